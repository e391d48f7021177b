import { describe, expect, it } from "vitest";
import { defineLake, type Lake, lakeWarnings } from "../../../model/lake.ts";
import { datalakeOptions, lakeCredentialOptions } from "../../../model/lake-options.ts";
import { type Option, renderOptions } from "../../../model/secret-ref.ts";
import { faultsOf, pathsOf } from "./fixtures/faults.ts";
import { lakeInput } from "./fixtures/quickstart.ts";

const s3 = { type: "s3", bucket: "lake", region: "eu-central-1", prefix: "warehouse" };
const s3Key = { id: { value: "AKIA" }, secret: { value: "s3-secret" } };
const compatible = {
    type: "s3Compatible",
    endpoint: "http://minio:9000",
    bucket: "lake",
    region: "us-east-1",
};
const adls = { type: "adls", account: "acme", container: "lake", prefix: "warehouse" };
const token = { type: "token", token: { value: "a-token" } };
const oauth = {
    type: "oauth",
    clientId: "fluss",
    clientSecret: { value: "oauth-secret" },
    scope: "PRINCIPAL_ROLE:ALL",
};
const rest = { type: "rest", uri: "http://catalog:8181/catalog", warehouse: "fluss", auth: token };
const jdbc = {
    type: "jdbc",
    name: "lake",
    uri: "jdbc:postgresql://db:5432/lake",
    user: "iceberg",
    password: { value: "db-secret" },
};

describe("illegal lakes", () => {
    const cases: [string, unknown, unknown, string, RegExp][] = [
        [
            "a warehouse that is a URI",
            { ...rest, warehouse: "s3://lake/x" },
            s3,
            "lake.catalog.warehouse",
            /name of a warehouse/,
        ],
        [
            "token and credential",
            { ...rest, auth: { ...token, ...oauth, type: "token" } },
            s3,
            "lake.catalog.auth.clientSecret",
            /no setting/,
        ],
        [
            "credential and token",
            { ...rest, auth: { ...oauth, token: token.token } },
            s3,
            "lake.catalog.auth.token",
            /no setting/,
        ],
        ["no authentication", { ...rest, auth: undefined }, s3, "lake.catalog.auth", /required/],
        [
            "a client id with a colon",
            { ...rest, auth: { ...oauth, clientId: "a:b" } },
            s3,
            "lake.catalog.auth.clientId",
            /one colon/,
        ],
        [
            "a client secret with a colon",
            { ...rest, auth: { ...oauth, clientSecret: { value: "a:b" } } },
            s3,
            "lake.catalog.auth.clientSecret",
            /one colon/,
        ],
        [
            "a token without a name",
            { ...rest, auth: { type: "token", token: {} } },
            s3,
            "lake.catalog.auth.token",
            /no secret/,
        ],
        [
            "a catalog URI with a password",
            { ...rest, uri: "http://u:p@host/catalog" },
            s3,
            "lake.catalog.uri",
            /without user/,
        ],
        [
            "a JDBC catalog name with a dot",
            { ...jdbc, name: "a.b" },
            { ...s3, accessKey: s3Key },
            "lake.catalog.name",
            /letters/,
        ],
        [
            "a JDBC URI with parameters",
            { ...jdbc, uri: "jdbc:postgresql://db/lake?password=x" },
            { ...s3, accessKey: s3Key },
            "lake.catalog.uri",
            /PostgreSQL/,
        ],
        ["a JDBC catalog without store keys", jdbc, s3, "lake.storage.accessKey", /hands out no store keys/],
        [
            "a JDBC catalog without account key",
            jdbc,
            adls,
            "lake.storage.accountKey",
            /hands out no store keys/,
        ],
        [
            "an endpoint for Amazon",
            rest,
            { ...s3, endpoint: "http://minio:9000" },
            "lake.storage.endpoint",
            /no setting/,
        ],
        [
            "a store without region",
            rest,
            { ...compatible, region: undefined },
            "lake.storage.region",
            /required/,
        ],
        [
            "a store without endpoint",
            rest,
            { ...compatible, endpoint: undefined },
            "lake.storage.endpoint",
            /required/,
        ],
        [
            "a region that AWS has not",
            rest,
            { ...s3, region: "Frankfurt" },
            "lake.storage.region",
            /AWS region/,
        ],
        [
            "a prefix that climbs",
            rest,
            { ...s3, prefix: "a/../b" },
            "lake.storage.prefix",
            /no empty, \. or \.\./,
        ],
        ["a prefix with an empty folder", rest, { ...s3, prefix: "a//b" }, "lake.storage.prefix", /no empty/],
        [
            "a folder that climbs",
            { type: "hadoop" },
            { type: "files", folder: "/lake/../etc" },
            "lake.storage.folder",
            /without \. and \.\./,
        ],
        [
            "a token as it was read from a file",
            { ...rest, auth: { type: "token", token: { value: "a-token\n" } } },
            s3,
            "lake.catalog.auth.token.value",
            /ends with a blank or a line break/,
        ],
        [
            "a password of two lines",
            { ...jdbc, password: { value: "a\nb" } },
            { ...s3, accessKey: s3Key },
            "lake.catalog.password.value",
            /control character/,
        ],
        [
            "an empty token",
            { ...rest, auth: { type: "token", token: { value: "" } } },
            s3,
            "lake.catalog.auth.token.value",
            /is empty/,
        ],
        [
            "a token as plain text",
            { ...rest, auth: { type: "token", token: "x" } },
            s3,
            "lake.catalog.auth.token",
            /must be of type object/,
        ],
        ["an unknown catalog", { ...rest, type: "hive" }, s3, "lake.catalog.type", /none of the kinds/],
        [
            "a folder of a REST catalog",
            rest,
            { type: "files", folder: "/lake" },
            "lake.storage.type",
            /only a Hadoop catalog/,
        ],
        [
            "a relative folder",
            { type: "hadoop" },
            { type: "files", folder: "lake" },
            "lake.storage.folder",
            /absolute path/,
        ],
        ["a prefix with slashes", rest, { ...s3, prefix: "/a/" }, "lake.storage.prefix", /slash/],
    ];
    it.each(cases)("refuses %s", (_, catalog, storage, path, reason) => {
        const faults = faultsOf(() => defineLake({ catalog, storage } as never));
        expect(faults).toContainEqual(
            expect.objectContaining({ path, reason: expect.stringMatching(reason), fix: expect.any(String) }),
        );
    });

    it("tells why a token excludes a credential", () => {
        const auth = { ...oauth, token: token.token };
        const [fault] = faultsOf(() => defineLake({ catalog: { ...rest, auth }, storage: s3 } as never));
        expect(fault!.fix).toMatch(/never both/);
    });

    it("names all faults at once and no secret", () => {
        const catalog = {
            ...rest,
            warehouse: "s3://x",
            auth: { type: "token", token: { value: "", secretValue: "my secret" } },
        };
        const act = () => defineLake({ catalog, storage: { ...s3, bucket: "UPPER", region: "" } } as never);
        expect(pathsOf(act)).toEqual([
            "lake.catalog.warehouse",
            "lake.catalog.auth.token.secretValue",
            "lake.catalog.auth.token.value",
            "lake.storage.bucket",
            "lake.storage.region",
        ]);
        expect(act).not.toThrow(/my secret/);
    });
});

/** Options of the lake per flavor, with all secrets as values. `*` marks what a SQL catalog needs, too. */
const flavors: Record<string, { catalog: unknown; storage: unknown; options: Record<string, string> }> = {
    "REST with token on S3": {
        catalog: rest,
        storage: s3,
        options: {
            type: "rest",
            uri: "http://catalog:8181/catalog",
            warehouse: "fluss",
            "token*": "a-token",
            "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
            "client.region": "eu-central-1",
        },
    },
    "REST with token on an S3-compatible store": {
        catalog: rest,
        storage: compatible,
        options: {
            type: "rest",
            uri: "http://catalog:8181/catalog",
            warehouse: "fluss",
            "token*": "a-token",
            "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
            "client.region": "us-east-1",
            "s3.endpoint": "http://minio:9000",
            "s3.path-style-access": "true",
        },
    },
    "REST with OAuth credential and own keys on S3": {
        catalog: { ...rest, auth: { ...oauth, oauth2ServerUri: "http://idp/token" } },
        storage: { ...s3, accessKey: s3Key },
        options: {
            type: "rest",
            uri: "http://catalog:8181/catalog",
            warehouse: "fluss",
            "credential*": "fluss:oauth-secret",
            scope: "PRINCIPAL_ROLE:ALL",
            "oauth2-server-uri": "http://idp/token",
            "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
            "client.region": "eu-central-1",
            "s3.access-key-id*": "AKIA",
            "s3.secret-access-key*": "s3-secret",
        },
    },
    "REST with OAuth credential and vended keys": {
        catalog: { ...rest, auth: oauth, vendedCredentials: true },
        storage: s3,
        options: {
            type: "rest",
            uri: "http://catalog:8181/catalog",
            warehouse: "fluss",
            "credential*": "fluss:oauth-secret",
            scope: "PRINCIPAL_ROLE:ALL",
            "header.X-Iceberg-Access-Delegation": "vended-credentials",
            "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
            "client.region": "eu-central-1",
        },
    },
    "REST with OAuth credential through Hadoop": {
        catalog: { ...rest, auth: oauth, fileIo: "hadoop" },
        storage: { ...s3, accessKey: s3Key },
        options: {
            type: "rest",
            uri: "http://catalog:8181/catalog",
            warehouse: "fluss",
            "credential*": "fluss:oauth-secret",
            scope: "PRINCIPAL_ROLE:ALL",
            "io-impl": "org.apache.iceberg.hadoop.HadoopFileIO",
        },
    },
    "JDBC on S3": {
        catalog: jdbc,
        storage: { ...s3, accessKey: s3Key },
        options: {
            "catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog",
            name: "lake",
            uri: "jdbc:postgresql://db:5432/lake",
            "jdbc.user": "iceberg",
            "jdbc.password*": "db-secret",
            warehouse: "s3://lake/warehouse",
            "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
            "client.region": "eu-central-1",
            "s3.access-key-id*": "AKIA",
            "s3.secret-access-key*": "s3-secret",
        },
    },
    "Hadoop on files": {
        catalog: { type: "hadoop" },
        storage: { type: "files", folder: "/var/lake" },
        options: { type: "hadoop", warehouse: "file:///var/lake" },
    },
    "JDBC on Azure": {
        catalog: jdbc,
        storage: { ...adls, accountKey: { value: "az-secret" } },
        options: {
            "catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog",
            name: "lake",
            uri: "jdbc:postgresql://db:5432/lake",
            "jdbc.user": "iceberg",
            "jdbc.password*": "db-secret",
            warehouse: "abfss://lake@acme.dfs.core.windows.net/warehouse",
            "io-impl": "org.apache.iceberg.azure.adlsv2.ADLSFileIO",
            "adls.auth.shared-key.account.name*": "acme",
            "adls.auth.shared-key.account.key*": "az-secret",
        },
    },
    "Hadoop on S3": {
        catalog: { type: "hadoop" },
        storage: s3,
        options: { type: "hadoop", warehouse: "s3a://lake/warehouse" },
    },
    "Hadoop on an S3-compatible store, without prefix": {
        catalog: { type: "hadoop" },
        storage: compatible,
        options: { type: "hadoop", warehouse: "s3a://lake" },
    },
    "Hadoop on Azure": {
        catalog: { type: "hadoop" },
        storage: adls,
        options: { type: "hadoop", warehouse: "abfs://lake@acme.dfs.core.windows.net/warehouse" },
    },
};

describe.each(Object.entries(flavors))("%s", (_, { catalog, storage, options }) => {
    const lake = defineLake({ catalog, storage } as never);
    const written = (list: Option[]) => renderOptions(list, "value").rendered;
    const expected = Object.entries(options);

    it("gives the datalake options in order", () => {
        expect(written(datalakeOptions(lake))).toEqual([
            ["datalake.format", "iceberg"],
            ...expected.map(([key, value]) => [`datalake.iceberg.${key.replace("*", "")}`, value]),
        ]);
    });

    it("gives the credentials that readers need", () => {
        const credentials = expected.filter(([key]) => key.endsWith("*"));
        expect(written(lakeCredentialOptions(lake))).toEqual(
            credentials.map(([key, value]) => [`iceberg.${key.slice(0, -1)}`, value]),
        );
    });
});

describe("lake", () => {
    it("fills in defaults", () => {
        expect(defineLake(lakeInput)).toMatchObject({
            format: "iceberg",
            catalog: { vendedCredentials: false, fileIo: "native" },
        });
    });

    it("keeps the OAuth pair whole where a marker stands for it", () => {
        const auth = { ...oauth, clientSecret: { secretValue: "lake-oauth" } };
        const lake = defineLake({ catalog: { ...rest, auth }, storage: s3 } as never);
        const { rendered } = renderOptions(lakeCredentialOptions(lake), "secretValue");
        expect(rendered).toEqual([["iceberg.credential", "${secret_values.lake-oauth}"]]);
    });

    it("warns of what the manuals doubt", () => {
        const warned = (catalog: unknown, storage: unknown, release: string) =>
            lakeWarnings(defineLake({ catalog, storage } as never) as Lake, release).map(({ path }) => path);
        expect(warned(rest, adls, "1.0.0-vv-3")).toEqual(["lake.storage.type"]);
        expect(warned({ type: "hadoop" }, s3, "1.0.0-vv-3")).toEqual(["lake.catalog.type"]);
        expect(warned({ type: "hadoop" }, adls, "0.9.1-vv-1")).toEqual([]);
        expect(warned({ type: "hadoop" }, s3, "0.9.1-vv-1")).toEqual(["lake.catalog.type"]);
        expect(warned({ type: "hadoop" }, { type: "files", folder: "/lake" }, "0.9.1-vv-1")).toEqual([]);
        expect(warned(jdbc, { ...s3, accessKey: s3Key }, "0.9.1-vv-1")).toEqual([]);
        expect(warned(jdbc, { ...s3, accessKey: s3Key }, "1.0.0-vv-3")).toEqual([]);
        expect(warned(rest, s3, "1.0.0-vv-3")).toEqual([]);
    });
});
