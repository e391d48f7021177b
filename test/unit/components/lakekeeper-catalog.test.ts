import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { LakekeeperCatalog, type LakekeeperCatalogArgs } from "../../../components/lakekeeper-catalog.ts";
import { defineLake } from "../../../model/lake.ts";
import { build, misplaced, resolved } from "./harness.ts";

const make = (args: Partial<LakekeeperCatalogArgs> = {}, preview = false) =>
    build(preview, (opts) => new LakekeeperCatalog("lake", { existing, storage: storage(), ...args }, opts));

const existing = {
    url: "http://localhost:8181/",
    internalUrl: "http://fluss-lakekeeper.fluss.svc.cluster.local:8181",
    token: "client-token",
};

const storage = () => ({
    bucket: "acme-lake",
    region: "eu-central-1",
    key: {
        accessKeyId: pulumi.output("AKIAEXAMPLE"),
        secretAccessKey: pulumi.secret("secret-key"),
    },
});

describe.each([true, false])("LakekeeperCatalog, preview %s", (preview) => {
    it("bootstraps the server, then makes the warehouse", async () => {
        const { made, completed } = await make({}, preview);
        expect([...made.values()].map(({ type, name }) => [type, name])).toEqual([
            ["fluss:index:LakekeeperCatalog", "lake"],
            ["pulumi-nodejs:dynamic/lakekeeper:Server", "lake-server"],
            ["pulumi-nodejs:dynamic/lakekeeper:Warehouse", "lake-warehouse"],
        ]);
        expect(made.get("lake-warehouse")?.dependsOn).toEqual(["lake-server"]);
        expect(made.get("lake-server")?.inputs.acceptTermsOfUse).toBe(true);
        expect(misplaced(made, "lake")).toEqual([]);
        expect(completed).toEqual(["lake"]);
    });

    it("takes a server that others bootstrap, without doing it", async () => {
        const { made } = await make({ bootstrap: false }, preview);
        expect(made.get("lake-server")?.inputs.bootstrap).toBe(false);
        expect(made.get("lake-warehouse")?.dependsOn).toEqual(["lake-server"]);
    });
});

describe("the warehouse", () => {
    it("is the quickstart's, on AWS", async () => {
        const { made } = await make();
        expect(made.get("lake-warehouse")?.inputs).toMatchObject({
            name: "fluss",
            storage: {
                type: "s3",
                bucket: "acme-lake",
                keyPrefix: "fluss-lake-storage",
                region: "eu-central-1",
                flavor: "aws",
            },
            credential: {
                type: "s3-access-key",
                accessKeyId: "AKIAEXAMPLE",
                secretAccessKey: "secret-key",
            },
            deletionProtection: true,
        });
    });

    it("is reached by path on another store", async () => {
        const { made } = await make({ storage: { ...storage(), endpoint: "http://minio:9000" } });
        expect(made.get("lake-warehouse")?.inputs.storage).toMatchObject({
            flavor: "s3-compat",
            endpoint: "http://minio:9000",
            pathStyleAccess: true,
        });
    });

    it("hands out short-lived keys of a role where there is one, and the lake asks for them", async () => {
        const sts = { roleArn: "arn:aws:iam::1:role/lake", externalId: "desk", validitySeconds: 7200 };
        const kmsKey = "arn:aws:kms:key";
        const { made, component } = await make({ storage: { ...storage(), sts: { ...sts, kmsKey } } });
        expect(made.get("lake-warehouse")?.inputs).toMatchObject({
            storage: {
                stsEnabled: true,
                stsRoleArn: sts.roleArn,
                stsTokenValiditySeconds: 7200,
                awsKmsKeyArn: kmsKey,
            },
            credential: { externalId: "desk" },
        });
        const { catalog } = await resolved(component.lake({ value: "t" }));
        expect(catalog).toMatchObject({ vendedCredentials: true });
    });

    it("takes name, protection and adoption as given", async () => {
        const { made } = await make({ warehouse: "desk", deletionProtection: false, adopt: true });
        expect(made.get("lake-warehouse")?.inputs).toMatchObject({
            name: "desk",
            deletionProtection: false,
            adopt: true,
        });
    });

    it("hands token and key on as secrets", async () => {
        const { component, made } = await make();
        expect(await pulumi.isSecret(component.token)).toBe(true);
        const warehouse = made.get("lake-warehouse");
        expect(warehouse?.secretOutputs).toEqual(expect.arrayContaining(["connection", "credential"]));
        expect(warehouse?.secrets).toEqual(expect.arrayContaining(["connection", "credential"]));
        expect(made.get("lake-server")?.secrets).toEqual(["connection"]);
    });
});

describe("what others are told", () => {
    it("is the address inside the cluster", async () => {
        const { component } = await make();
        expect(component.catalogUri).toBe("http://fluss-lakekeeper.fluss.svc.cluster.local:8181/catalog");
        const { component: plain } = await make({ existing: { url: existing.url, token: "t" } });
        expect(plain.catalogUri).toBe("http://localhost:8181/catalog");
    });

    it("is the lake, with the token in the reader's form", async () => {
        const { component } = await make();
        expect(await resolved(component.lake({ secretValue: "fluss-iceberg-token" }))).toEqual(
            defineLake({
                catalog: {
                    type: "rest",
                    uri: "http://fluss-lakekeeper.fluss.svc.cluster.local:8181/catalog",
                    warehouse: "fluss",
                    auth: { type: "token", token: { secretValue: "fluss-iceberg-token" } },
                },
                storage: {
                    type: "s3",
                    bucket: "acme-lake",
                    region: "eu-central-1",
                    prefix: "fluss-lake-storage",
                },
            }),
        );
    });

    it("is the lake on another store, with its endpoint", async () => {
        const { component } = await make({ storage: { ...storage(), endpoint: "http://minio:9000" } });
        expect((await resolved(component.lake({ value: "t" }))).storage).toMatchObject({
            type: "s3Compatible",
            endpoint: "http://minio:9000",
            stsEndpoint: "http://minio:9000",
        });
    });

    it("stays a secret when the token stands in it", async () => {
        const { component } = await make();
        const withToken = component.lake(component.token.apply((value) => ({ value })));
        expect(await pulumi.isSecret(withToken)).toBe(true);
    });
});
