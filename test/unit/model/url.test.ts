import { describe, expect, it } from "vitest";
import { clusterSchema } from "../../../dynamic-providers/flink/cluster.ts";
import { gatewayFields } from "../../../dynamic-providers/flink-sql/gateway-client.ts";
import { faultLine, shownValue } from "../../../model/faults.ts";
import { defineLake } from "../../../model/lake.ts";
import { hasLogin, isServiceUrl, withoutLogin } from "../../../model/url.ts";
import { faultsOf } from "./fixtures/faults.ts";
import { lakeInput } from "./fixtures/quickstart.ts";

describe("a URL with a login", () => {
    it("is shown without it", () => {
        expect(withoutLogin("http://me:hunter2@lk:8181/catalog")).toBe("http://***@lk:8181/catalog");
        expect(withoutLogin("jdbc:postgresql://h/db?user=u&password=hunter2")).toBe(
            "jdbc:postgresql://h/db?user=***&password=***",
        );
        expect(withoutLogin("https://me:h@nt/er 2@host/x")).toBe("https://***@host/x");
        expect(withoutLogin("https://store/x.jar?sig=hunter2")).toBe("https://store/x.jar?sig=***");
    });

    it("is not confused with the container of a storage account, nor with a text that is no URL", () => {
        for (const text of ["abfss://lake@acme.dfs.core.windows.net/x", "a@b", "s3://lake/x", "a?b=c"])
            expect(withoutLogin(text)).toBe(text);
    });

    it("does not stand in a fault, however long it is", () => {
        const url = `http://me:hunter2${"x".repeat(100)}@lk`;
        expect(shownValue("lake.catalog.uri", url).value).toBe('"http://***@lk"');
        expect(
            faultLine({ path: "uri", value: '"http://me:hunter2@lk"', reason: "is wrong", fix: "Mend it" }),
        ).toBe('uri = "http://***@lk": is wrong. Mend it.');
    });

    it("is no address of a catalog, a database, a store, a Flink cluster or a SQL gateway", () => {
        const { storage } = lakeInput;
        const refused = {
            "lake.catalog.uri": {
                ...lakeInput,
                catalog: { ...lakeInput.catalog, uri: "http://u:hunter2@lk/catalog" },
            },
            "lake.storage.endpoint": {
                ...lakeInput,
                storage: { ...storage, type: "s3Compatible", endpoint: "http://u:hunter2@s3" },
            },
        };
        for (const [path, lake] of Object.entries(refused)) {
            const faults = faultsOf(() => defineLake(lake as typeof lakeInput));
            expect(faults).toMatchObject([{ path, reason: expect.stringMatching(/without user, password/) }]);
            expect(JSON.stringify(faults)).not.toContain("hunter2");
        }
        const key = { id: { value: "AKIA" }, secret: { value: "shh" } };
        const database = {
            catalog: {
                type: "jdbc",
                name: "lake",
                uri: "jdbc:postgresql://u:hunter2@db:5432/lake",
                user: "u",
                password: { value: "x" },
            },
            storage: { ...storage, accessKey: key },
        } as const;
        expect(faultsOf(() => defineLake(database))).toMatchObject([
            { path: "lake.catalog.uri", value: '"jdbc:postgresql://***@db:5432/lake"' },
        ]);
        for (const schema of [clusterSchema.shape.url, gatewayFields.url]) {
            expect(schema.safeParse("http://u:hunter2@flink:8081").success).toBe(false);
            expect(schema.safeParse("http://flink:8081?x=hunter2").success).toBe(false);
            expect(schema.safeParse("http://flink:8081").success).toBe(true);
        }
    });
});

it("tells a service's URL from others", () => {
    for (const url of ["http://h:8181/catalog", "HTTPS://h", "http://[::1]:80"])
        expect(isServiceUrl(url)).toBe(true);
    for (const url of [
        "h:8181",
        "http://",
        "http://h:99999",
        "http://a b",
        "s3://h",
        "http://h#x",
        "http://u@h",
    ])
        expect(isServiceUrl(url)).toBe(false);
    expect(hasLogin("no url")).toBe(false);
});
