import { describe, expect, it } from "vitest";
import { defineLake } from "../../../model/lake.ts";
import { defineReaders } from "../../../model/readers.ts";
import { pathsOf } from "./fixtures/faults.ts";

const client = {
    bootstrapServers: "fluss:9124",
    sasl: { username: "reader", password: { value: "p\"a\\s's" } },
};
const rest = {
    type: "rest",
    uri: "http://catalog:8181/catalog",
    warehouse: "fluss",
    auth: { type: "token", token: { value: "tok" } },
} as const;
const oauth = {
    ...rest,
    auth: {
        type: "oauth",
        clientId: "id",
        clientSecret: { value: "hush" },
        scope: "PRINCIPAL_ROLE:ALL",
        oauth2ServerUri: "http://catalog:8181/token",
    },
} as const;
const jdbc = {
    type: "jdbc",
    name: "tables",
    uri: "jdbc:postgresql://db:5432/iceberg",
    user: "fluss",
    password: { value: "p@ss/w" },
} as const;
const accessKey = { id: { value: "AKIA" }, secret: { value: "shh" } };
const s3 = { type: "s3", bucket: "lake", region: "eu-central-1" } as const;
const minio = {
    type: "s3Compatible",
    endpoint: "http://minio:9000",
    bucket: "lake",
    region: "us-east-1",
    accessKey,
} as const;
const adls = { type: "adls", account: "acme", container: "lake", accountKey: { value: "azure" } } as const;

const readersOf = (lake: Parameters<typeof defineLake>[0], catalog = "lakehouse") =>
    defineReaders({ catalog, client, lake: defineLake(lake) });

describe("readers of a REST catalog", () => {
    const { readers, unavailable } = readersOf({ catalog: rest, storage: s3 });

    it("are all there", () => {
        expect(unavailable).toEqual({});
        expect(Object.keys(readers).sort()).toEqual([
            "dataStream",
            "flink",
            "flussCatalog",
            "javaClient",
            "pyIceberg",
            "spark",
            "starRocks",
            "trino",
        ]);
    });

    it("ask the catalog for store keys where the lake has none", () => {
        expect(readers.flink?.settings).toEqual({
            type: "iceberg",
            "catalog-type": "rest",
            uri: "http://catalog:8181/catalog",
            warehouse: "fluss",
            token: "tok",
            "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
            "client.region": "eu-central-1",
            "header.X-Iceberg-Access-Delegation": "vended-credentials",
        });
        expect(readers.trino?.settings).toMatchObject({
            "iceberg.rest-catalog.vended-credentials-enabled": "true",
            "iceberg.rest-catalog.oauth2.token": "tok",
        });
        expect(readers.starRocks?.settings["iceberg.catalog.vended-credentials-enabled"]).toBe("true");
    });

    it("take the lake's own keys instead where it has some, each under its name", () => {
        const own = readersOf({ catalog: rest, storage: minio }).readers;
        expect(own.flink?.settings["header.X-Iceberg-Access-Delegation"]).toBeUndefined();
        expect(own.trino?.settings).toMatchObject({
            "fs.native-s3.enabled": "true",
            "s3.endpoint": "http://minio:9000",
            "s3.path-style-access": "true",
            "s3.aws-access-key": "AKIA",
            "s3.aws-secret-key": "shh",
        });
        expect(own.trino?.settings["iceberg.rest-catalog.vended-credentials-enabled"]).toBeUndefined();
        expect(own.starRocks?.settings).toMatchObject({
            "iceberg.catalog.vended-credentials-enabled": "false",
            "aws.s3.endpoint": "http://minio:9000",
            "aws.s3.enable_ssl": "false",
            "aws.s3.enable_path_style_access": "true",
            "aws.s3.secret_key": "shh",
        });
        expect(own.pyIceberg?.settings).toMatchObject({
            "s3.endpoint": "http://minio:9000",
            "s3.force-virtual-addressing": "false",
            "s3.secret-access-key": "shh",
        });
        expect(own.spark?.settings).toMatchObject({
            "spark.sql.catalog.lakehouse": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.lakehouse.type": "rest",
            "spark.sql.catalog.lakehouse.s3.secret-access-key": "shh",
        });
    });

    it("use Iceberg's own client of the store where the writers go through Hadoop", () => {
        const { flink } = readersOf({ catalog: { ...rest, fileIo: "hadoop" }, storage: s3 }).readers;
        expect(flink?.settings["io-impl"]).toBe("org.apache.iceberg.aws.s3.S3FileIO");
    });

    it("carry credential, scope and token endpoint of an OAuth client, and no token", () => {
        const { flink, trino, starRocks, pyIceberg } = readersOf({ catalog: oauth, storage: s3 }).readers;
        for (const [settings, prefix] of [
            [flink?.settings, ""],
            [trino?.settings, "iceberg.rest-catalog.oauth2."],
            [starRocks?.settings, "iceberg.catalog.oauth2."],
            [pyIceberg?.settings, ""],
        ] as const) {
            expect(settings?.[`${prefix}credential`]).toBe("id:hush");
            expect(settings?.[`${prefix}scope`]).toBe("PRINCIPAL_ROLE:ALL");
            const endpoint = prefix === "" ? "oauth2-server-uri" : `${prefix}server-uri`;
            expect(settings?.[endpoint]).toBe("http://catalog:8181/token");
            expect(settings).not.toHaveProperty(`${prefix}token`);
        }
    });
});

describe("readers of other lakes", () => {
    it("are named as the JDBC catalog, which files its tables under its name", () => {
        const { readers } = readersOf({ catalog: jdbc, storage: minio });
        expect(readers.flink?.text).toMatch(/^CREATE CATALOG `tables`/);
        expect(readers.flink?.settings).toMatchObject({
            "catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog",
            "jdbc.password": "p@ss/w",
        });
        expect(readers.flink?.settings).not.toHaveProperty("catalog-type");
        expect(readers.trino?.settings).toMatchObject({
            "iceberg.jdbc-catalog.catalog-name": "tables",
            "iceberg.jdbc-catalog.connection-password": "p@ss/w",
            "iceberg.jdbc-catalog.default-warehouse-dir": "s3://lake",
        });
        expect(readers.pyIceberg?.settings["uri"]).toBe(
            "postgresql+psycopg2://fluss:p%40ss%2Fw@db:5432/iceberg",
        );
        expect(readers.starRocks?.settings["iceberg.catalog.jdbc.user"]).toBe("fluss");
    });

    it("do without the engines that have no Hadoop catalog, and say so", () => {
        const { readers, unavailable } = readersOf({ catalog: { type: "hadoop" }, storage: minio });
        expect(unavailable).toEqual({
            trino: "Trino has no Hadoop catalog",
            pyIceberg: "PyIceberg has no Hadoop catalog",
        });
        expect(readers.trino).toBeUndefined();
        expect(
            readers.spark?.settings["spark.sql.catalog.lakehouse.hadoop.fs.s3a.bucket.lake.secret.key"],
        ).toBe("shh");
    });

    it("have Azure's keys by each engine's names", () => {
        const { readers } = readersOf({ catalog: jdbc, storage: adls });
        expect(readers.trino?.settings).toMatchObject({
            "fs.native-azure.enabled": "true",
            "azure.auth-type": "ACCESS_KEY",
            "azure.access-key": "azure",
        });
        expect(readers.starRocks?.settings["azure.adls2.shared_key"]).toBe("azure");
        expect(readers.pyIceberg?.settings["adls.account-key"]).toBe("azure");
    });

    it("are those of Fluss alone without a lake", () => {
        const { readers } = defineReaders({ catalog: "c", client });
        expect(Object.keys(readers).sort()).toEqual(["dataStream", "flussCatalog", "javaClient"]);
    });
});

describe("texts to paste", () => {
    const { readers } = readersOf({ catalog: rest, storage: minio });

    it("quote what has quotes and backslashes, each in its language", () => {
        expect(readers.flussCatalog?.text).toContain(`'client.security.sasl.password' = 'p"a\\s''s'`);
        expect(readers.javaClient?.text).toContain(`client.security.sasl.password=p"a\\\\s's\n`);
        expect(readers.dataStream?.text).toContain(
            `configuration.setString("client.security.sasl.password", "p\\"a\\\\s's");`,
        );
        const hostile = { type: "token", token: { value: 't"o\\k' } } as const;
        const { starRocks, pyIceberg } = readersOf({
            catalog: { ...rest, auth: hostile },
            storage: s3,
        }).readers;
        expect(starRocks?.text).toContain(`"iceberg.catalog.oauth2.token" = "t\\"o\\\\k"`);
        expect(pyIceberg?.text).toContain(`    token: "t\\"o\\\\k"\n`);
    });

    it("are plain ASCII where Java reads a properties file, whatever its encoding", () => {
        const sasl = { username: "fluss", password: { value: "pä€😀" } };
        const { javaClient } = defineReaders({ catalog: "c", client: { ...client, sasl } }).readers;
        expect(javaClient?.settings["client.security.sasl.password"]).toBe("pä€😀");
        expect(javaClient?.text).toContain("client.security.sasl.password=p\\u00e4\\u20ac\\ud83d\\ude00\n");
    });

    it("do without Spark where the catalog's name would tear its settings, and refuse no name at all", () => {
        const lake = defineLake({ catalog: rest, storage: s3 });
        const { readers, unavailable } = defineReaders({ catalog: "my lake", client, lake });
        expect(unavailable).toEqual({ spark: expect.stringMatching(/no catalog named "my lake"/) });
        expect(readers.flink?.text).toContain("CREATE CATALOG `my lake` WITH");
        expect(pathsOf(() => defineReaders({ catalog: "", client, lake }))).toEqual(["catalog"]);
    });

    it("give Fluss clients the keys of a remote store that hands out none", () => {
        const { javaClient } = defineReaders({
            catalog: "c",
            client,
            remote: { ...minio, pathStyle: true },
        }).readers;
        expect(javaClient?.settings["client.fs.s3.secret.key"]).toBe("shh");
    });
});

it("names every fault of a lake that a program put together by itself", () => {
    const lake = { catalog: { ...rest, warehouse: undefined }, storage: { ...s3, type: "gcs" } } as never;
    expect(pathsOf(() => defineReaders({ catalog: "c", client, lake }))).toEqual([
        "lake.catalog.warehouse",
        "lake.storage.type",
    ]);
});

it("names every secret that has no value", () => {
    const lake = defineLake({
        catalog: { ...rest, auth: { type: "token", token: { secretValue: "token" } } },
        storage: s3,
    });
    expect(pathsOf(() => defineReaders({ catalog: "c", client, lake }))).toEqual(["lake.catalog.auth.token"]);
});
