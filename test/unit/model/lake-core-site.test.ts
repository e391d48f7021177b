import { describe, expect, it } from "vitest";
import { defineLake } from "../../../model/lake.ts";
import { coreSiteProperties, coreSiteXml } from "../../../model/lake-core-site.ts";
import { faultsOf, pathsOf } from "./fixtures/faults.ts";

const accessKey = { id: { value: "AKIA" }, secret: { value: "a<b>&c" } };
const s3 = { type: "s3", bucket: "lake", region: "eu-central-1", accessKey } as const;
const minio = {
    type: "s3Compatible",
    endpoint: "http://minio:9000",
    bucket: "lake",
    region: "us-east-1",
    accessKey,
} as const;
const adls = { type: "adls", account: "acme", container: "lake" } as const;
const catalog = { type: "hadoop" } as const;
const rest = {
    type: "rest",
    uri: "http://catalog:8181/catalog",
    warehouse: "fluss",
    auth: { type: "token", token: { value: "t" } },
} as const;

describe("core-site.xml", () => {
    it("has global keys on Amazon S3, for a REST catalog, too, if Hadoop reads its files", () => {
        const properties = {
            "fs.s3a.access.key": "AKIA",
            "fs.s3a.secret.key": "a<b>&c",
            "fs.s3a.endpoint.region": "eu-central-1",
        };
        expect(coreSiteProperties(defineLake({ catalog, storage: s3 }))).toEqual(properties);
        const legacy = { ...rest, fileIo: "hadoop" } as const;
        expect(coreSiteProperties(defineLake({ catalog: legacy, storage: s3 }))).toEqual({
            // Its tables lie at s3://…, which Hadoop does not know.
            "fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
            ...properties,
        });
    });

    it("has the bucket's keys on another store", () => {
        expect(coreSiteProperties(defineLake({ catalog, storage: minio }))).toEqual({
            "fs.s3a.bucket.lake.endpoint": "http://minio:9000",
            "fs.s3a.bucket.lake.access.key": "AKIA",
            "fs.s3a.bucket.lake.secret.key": "a<b>&c",
            "fs.s3a.bucket.lake.endpoint.region": "us-east-1",
            "fs.s3a.bucket.lake.path.style.access": "true",
        });
    });

    it("has the account's key on Azure", () => {
        const storage = { ...adls, accountKey: { value: "key==" } };
        expect(coreSiteProperties(defineLake({ catalog, storage }))).toEqual({
            "fs.azure.account.key.acme.dfs.core.windows.net": "key==",
        });
    });

    it("is not needed where Iceberg reads the files itself", () => {
        expect(coreSiteXml(defineLake({ catalog: rest, storage: s3 }))).toBeUndefined();
    });

    it("leaves Amazon's keys to a role", () => {
        const { accessKey: _, ...storage } = s3;
        expect(coreSiteProperties(defineLake({ catalog, storage }))).toEqual({
            "fs.s3a.endpoint.region": "eu-central-1",
        });
    });

    it("takes the role of a pod where it is told to, which Hadoop does not look for by itself", () => {
        const { accessKey: _, ...storage } = s3;
        const webIdentity = { webIdentity: true };
        expect(coreSiteProperties(defineLake({ catalog, storage }), "lake", webIdentity)).toEqual({
            "fs.s3a.endpoint.region": "eu-central-1",
            "fs.s3a.aws.credentials.provider": "com.amazonaws.auth.WebIdentityTokenCredentialsProvider",
        });
        for (const other of [s3, minio]) {
            const lake = defineLake({ catalog, storage: other });
            expect(pathsOf(() => coreSiteXml(lake, "lake", webIdentity))).toEqual([
                other === s3 ? "lake.storage.accessKey" : "lake.storage.type",
            ]);
        }
    });

    it("escapes what XML would read", () => {
        expect(coreSiteXml(defineLake({ catalog, storage: s3 }))).toBe(
            [
                '<?xml version="1.0" encoding="UTF-8"?>',
                "<configuration>",
                "  <property><name>fs.s3a.access.key</name><value>AKIA</value></property>",
                "  <property><name>fs.s3a.secret.key</name><value>a&lt;b&gt;&amp;c</value></property>",
                "  <property><name>fs.s3a.endpoint.region</name><value>eu-central-1</value></property>",
                "</configuration>",
                "",
            ].join("\n"),
        );
    });

    it("refuses stores whose keys nobody has", () => {
        const { accessKey: _, ...storage } = minio;
        expect(pathsOf(() => coreSiteXml(defineLake({ catalog, storage })))).toEqual([
            "lake.storage.accessKey",
        ]);
        expect(pathsOf(() => coreSiteXml(defineLake({ catalog, storage: adls })))).toEqual([
            "lake.storage.accountKey",
        ]);
    });

    it("refuses markers and control characters, and shows no secret", () => {
        const marked = { ...s3, accessKey: { id: { env: "ID" }, secret: { value: "se\ncret" } } };
        const act = () => coreSiteXml({ ...defineLake({ catalog, storage: s3 }), storage: marked });
        expect(pathsOf(act)).toEqual(["lake.storage.accessKey.id", "lake.storage.accessKey.secret"]);
        expect(JSON.stringify(faultsOf(act))).not.toMatch(/se\\ncret/);
    });
});
