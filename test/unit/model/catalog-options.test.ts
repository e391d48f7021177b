import { describe, expect, it } from "vitest";
import { catalogOptions, readHints } from "../../../model/catalog-options.ts";
import { defineLake } from "../../../model/lake.ts";
import type { Storage } from "../../../model/lake-storage.ts";
import { pathsOf } from "./fixtures/faults.ts";
import { bootstrapServers, client, lake, remote } from "./fixtures/quickstart.ts";

const key = { id: { secretValue: "store-access-key" }, secret: { secretValue: "store-secret-key" } };
const jdbc = defineLake({
    catalog: {
        type: "jdbc",
        name: "fluss-iceberg-catalog",
        uri: "jdbc:postgresql://db/lake",
        user: "u",
        password: { secretValue: "jdbc-password" },
    },
    storage: { type: "s3", bucket: "lake", region: "us-east-1", accessKey: key },
});

describe("options of CREATE CATALOG", () => {
    it("are the seven of the quickstart, in its order", () => {
        expect(Object.entries(catalogOptions("fluss_quickstart", client, lake, "secretValue"))).toEqual([
            ["type", "fluss"],
            ["bootstrap.servers", bootstrapServers],
            ["client.security.protocol", "sasl"],
            ["client.security.sasl.mechanism", "PLAIN"],
            ["client.security.sasl.username", "fluss-client"],
            ["client.security.sasl.password", "${secret_values.fluss-password}"],
            ["iceberg.token", "${secret_values.fluss-iceberg-token}"],
        ]);
    });

    it("are two without authentication and lake", () => {
        expect(catalogOptions("any", { bootstrapServers }, undefined, "secretValue")).toEqual({
            type: "fluss",
            "bootstrap.servers": bootstrapServers,
        });
    });

    it("carry password and store keys for a JDBC catalog of the same name", () => {
        const options = catalogOptions("fluss-iceberg-catalog", { bootstrapServers }, jdbc, "secretValue");
        expect(options).toEqual({
            type: "fluss",
            "bootstrap.servers": bootstrapServers,
            "iceberg.jdbc.password": "${secret_values.jdbc-password}",
            "iceberg.s3.access-key-id": "${secret_values.store-access-key}",
            "iceberg.s3.secret-access-key": "${secret_values.store-secret-key}",
        });
    });

    it("refuse another name than that of the JDBC catalog", () => {
        const act = () => catalogOptions("fluss_quickstart", { bootstrapServers }, jdbc, "secretValue");
        expect(pathsOf(act)).toEqual(["catalogName"]);
        expect(act).toThrow(/files its tables under "fluss-iceberg-catalog"/);
    });

    it("refuse markers that SQL does not know, and secrets without the form", () => {
        expect(pathsOf(() => catalogOptions("c", client, lake, "env"))).toEqual([
            "form",
            "client.sasl.password",
        ]);
        expect(pathsOf(() => catalogOptions("c", client, lake, "value"))).toEqual([
            "client.sasl.password",
            "lake.catalog.auth.token",
        ]);
    });
});

describe("read hints", () => {
    const compatible: Storage = {
        type: "s3Compatible",
        endpoint: "http://noobaa:9000",
        bucket: "remote",
        region: "us-east-1",
        pathStyle: true,
        accessKey: key,
    };

    it("carry endpoint and keys for a store without STS", () => {
        expect(readHints(compatible, "secretValue")).toEqual({
            "client.fs.s3.endpoint": "http://noobaa:9000",
            "client.fs.s3.access.key": "${secret_values.store-access-key}",
            "client.fs.s3.secret.key": "${secret_values.store-secret-key}",
            "client.fs.s3.region": "us-east-1",
            "client.fs.s3.path-style-access": "true",
        });
    });

    it("carry the account key of an Azure store that has no service principal", () => {
        const azure: Storage = { type: "adls", account: "acme", container: "remote" };
        expect(
            readHints({ ...azure, accountKey: { secretValue: "adls-account-key" } }, "secretValue"),
        ).toEqual({
            "client.fs.fs.azure.account.key": "${secret_values.adls-account-key}",
        });
        expect(readHints(azure, "secretValue")).toEqual({});
    });

    it("are empty where the server hands out keys", () => {
        expect(readHints(remote, "secretValue")).toEqual({});
        expect(readHints({ ...compatible, stsEndpoint: "http://sts:9000" }, "secretValue")).toEqual({});
    });

    it("refuse a store that nobody has keys for", () => {
        const { accessKey: _, ...keyless } = compatible;
        expect(pathsOf(() => readHints(keyless, "secretValue"))).toEqual(["remote.accessKey"]);
    });
});
