import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSameCluster } from "../../../model/fluss-client.ts";
import { serverOptions } from "../../../model/fluss-config.ts";
import { defineLake } from "../../../model/lake.ts";
import {
    argumentTokens,
    lakeJobFlinkConfiguration,
    mainArgs,
    mainArgsWarnings,
    tieringArguments,
    tieringFlinkConfiguration,
} from "../../../model/tiering.ts";
import { faultsOf, pathsOf } from "./fixtures/faults.ts";
import { bootstrapServers, catalogUri, client, cluster, lake, lakeInput } from "./fixtures/quickstart.ts";

describe("arguments of the tiering job", () => {
    it("are the twelve of the quickstart, on one line", () => {
        const line = mainArgs(tieringArguments(lake, client, "secretValue"));
        expect(line).toBe(
            [
                `--fluss.bootstrap.servers ${bootstrapServers}`,
                "--fluss.client.security.protocol SASL",
                "--fluss.client.security.sasl.mechanism PLAIN",
                "--fluss.client.security.sasl.username fluss-client",
                "--fluss.client.security.sasl.password ${secret_values.fluss-password}",
                "--datalake.format iceberg",
                "--datalake.iceberg.type rest",
                `--datalake.iceberg.uri ${catalogUri}`,
                "--datalake.iceberg.warehouse fluss",
                "--datalake.iceberg.token ${secret_values.fluss-iceberg-token}",
                "--datalake.iceberg.io-impl org.apache.iceberg.aws.s3.S3FileIO",
                "--datalake.iceberg.client.region eu-central-1",
            ].join(" "),
        );
        expect(mainArgsWarnings(line)).toEqual([]);
    });

    it("repeat the server's lake options without datalake.enabled", () => {
        const server = Object.entries(serverOptions(cluster, "env")).filter(
            ([key]) => key.startsWith("datalake.") && key !== "datalake.enabled",
        );
        const anonymous = { bootstrapServers };
        const job = tieringArguments(lake, anonymous, "env").filter(([key]) => key.startsWith("datalake."));
        expect(job).toEqual(server);
    });

    it("leave SASL out for a cluster without it", () => {
        const list = tieringArguments(lake, { bootstrapServers }, "secretValue");
        expect(list.filter(([key]) => key.startsWith("fluss."))).toEqual([
            ["fluss.bootstrap.servers", bootstrapServers],
        ]);
    });

    it("allow exactly the variables that they name", () => {
        const sasl = { username: "fluss-client", password: { env: "FLUSS_PASSWORD" } };
        expect(tieringArguments(lake, { bootstrapServers, sasl }, "env").slice(-2)).toEqual([
            ["config.providers", "env"],
            ["config.providers.env.param.allowlist.pattern", "FLUSS_PASSWORD|FLUSS_DATALAKE_ICEBERG_TOKEN"],
        ]);
    });

    it("take no variables with 0.9", () => {
        const act = () => tieringArguments(lake, { bootstrapServers }, "env", { version: "0.9" });
        expect(pathsOf(act)).toEqual(["version"]);
    });

    it("end with what is given besides", () => {
        const extra = { "fluss.tiering.poll.table.interval": "5s" };
        expect(tieringArguments(lake, client, "secretValue", { extra }).at(-1)).toEqual([
            "fluss.tiering.poll.table.interval",
            "5s",
        ]);
    });

    it("refuse extras that are not the job's, or derived", () => {
        const extra = {
            "datalake.iceberg.cache": "x",
            "fluss.bootstrap.servers": "h:1",
            parallelism: "2",
            "lake.tiering.auto-expire-snapshot": "a b",
        };
        expect(pathsOf(() => tieringArguments(lake, client, "secretValue", { extra }))).toEqual([
            'extra["datalake.iceberg.cache"]',
            'extra["fluss.bootstrap.servers"]',
            "extra.parallelism",
            'extra["lake.tiering.auto-expire-snapshot"]',
        ]);
    });

    it.each(["host", "host:0", "host:70000", "a:1, b:2", "http://host:9124", "", "host:1:2"])(
        "refuse the bootstrap address %j",
        (address) => {
            const act = () => tieringArguments(lake, { bootstrapServers: address }, "secretValue");
            expect(pathsOf(act)).toEqual(["client.bootstrapServers"]);
        },
    );

    it("take several servers", () => {
        expect(() =>
            tieringArguments(lake, { bootstrapServers: "a:1,[::1]:2" }, "secretValue"),
        ).not.toThrow();
    });

    it("refuse whitespace without showing a secret", () => {
        const auth = { type: "token", token: { value: "two words" } } as const;
        const spaced = defineLake({ ...lakeInput, catalog: { ...lakeInput.catalog, auth } });
        const act = () => tieringArguments(spaced, { bootstrapServers }, "value");
        expect(faultsOf(act)).toEqual([
            {
                path: "lake.catalog.auth.token",
                reason: "--datalake.iceberg.token contains whitespace, at which the arguments are split",
                fix: "Give a value without whitespace",
            },
        ]);
    });

    it("come back from the line as they were, or are refused", () => {
        const text = fc.string({
            unit: fc.constantFrom("a", "Z", "9", "-", ".", "$", "{", "'", "é", " ", "\n"),
            minLength: 1,
        });
        fc.assert(
            fc.property(text, text, (password, token) => {
                const sasl = { username: "u", password: { value: password } };
                const auth = { type: "token", token: { value: token } } as const;
                const any = { ...lakeInput, catalog: { ...lakeInput.catalog, auth } };
                const act = () => tieringArguments(defineLake(any), { bootstrapServers, sasl }, "value");
                const spaced = /\s/.test(password + token);
                expect(faultsOf(act).length > 0).toBe(spaced);
                if (!spaced) expect(mainArgs(act()).split(" ")).toEqual(argumentTokens(act()));
            }),
        );
    });

    it("warn above 1024 characters", () => {
        expect(mainArgsWarnings("x".repeat(1024))).toEqual([]);
        expect(mainArgsWarnings("x".repeat(1025))).toMatchObject([{ path: "mainArgs" }]);
    });
});

describe("Flink configuration", () => {
    const key = { id: { secretValue: "id" }, secret: { secretValue: "secret" } };
    const catalog = {
        type: "jdbc",
        name: "lake",
        uri: "jdbc:postgresql://db/lake",
        user: "u",
        password: { secretValue: "p" },
    } as const;
    const compatible = {
        type: "s3Compatible",
        endpoint: "http://minio:9000",
        bucket: "lake",
        region: "us-east-1",
        accessKey: key,
    } as const;

    it("restarts the 0.9 job, which would not restart by itself", () => {
        expect(tieringFlinkConfiguration(lake, "0.9")).toEqual({
            "restart-strategy.type": "exponential-delay",
        });
        expect(tieringFlinkConfiguration(lake, "1.0")).toEqual({});
    });

    it("turns checksums off for a JDBC catalog on an S3-compatible store", () => {
        expect(lakeJobFlinkConfiguration(defineLake({ catalog, storage: compatible }))).toEqual({
            "env.java.opts.all":
                "-Daws.requestChecksumCalculation=when_required -Daws.responseChecksumValidation=when_required",
        });
        const amazon = { type: "s3", bucket: "lake", region: "us-east-1", accessKey: key } as const;
        expect(lakeJobFlinkConfiguration(defineLake({ catalog, storage: amazon }))).toEqual({});
    });
});

it("two addresses are of one cluster when they share a server, in whatever letters", () => {
    expect(isSameCluster("a:1,b:1", "B:1")).toBe(true);
    expect(isSameCluster("a:1", "a:2")).toBe(false);
    expect(isSameCluster("a:1,c:1", "b:1,d:1")).toBe(false);
});

it("a form of secrets that does not exist renders no secret", () => {
    const sasl = { username: "u", password: { value: "sesame" } };
    const act = () =>
        tieringArguments(defineLake(lakeInput), { bootstrapServers, sasl }, "secret" as "value");
    expect(faultsOf(act)).toMatchObject([
        { path: "form", value: '"secret"', reason: "is no form of a secret" },
    ]);
});
