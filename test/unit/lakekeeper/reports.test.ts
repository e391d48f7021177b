import { spawnSync } from "node:child_process";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { warehouse } from "../../../dynamic-providers/lakekeeper/warehouse.ts";
import { type Bag, lead } from "../../lakekeeper/lead.ts";
import { startCatalogStub } from "../simulators-lakekeeper/stub-catalog.ts";
import { closeLater, type Fixture, startFixture } from "./fixture.ts";

/** Public reports of users of Lakekeeper that no other test holds, by repository and number. */
const storage = { type: "s3", bucket: "lake", keyPrefix: "p", region: "us-east-1" };
const args = ({ connection }: Fixture, change: Bag = {}): Bag => ({
    connection,
    name: "w",
    storage,
    credential: { type: "s3-access-key", accessKeyId: "a", secretAccessKey: "the-secret-key" },
    deletionProtection: false,
    storageWaitSeconds: 0,
    ...change,
});

describe("what a server says about its storage has what to do beside it", () => {
    it.each<[string, number, string, string, RegExp]>([
        ["duckgres#594", 412, "ShortTermCredentialError", "PackedPolicyTooLarge: 112 %", /0\.13 or newer/],
        ["lakekeeper#1022", 400, "PermissionDenied", "kms: denied", /awsKmsKeyArn.*kms:GenerateDataKey/],
        ["lakekeeper#1501", 412, "InitializeClientError", "jwt error", /what the server's pod runs as/],
        ["lakekeeper#781", 400, "Unexpected", "unhandled error", /reachable from the server's pod/],
    ])("%s: %i %s", async (_report, status, type, message, hint) => {
        const fixture = await startFixture();
        const error = { error: { message, type, code: status, stack: [] } };
        fixture.simulator.faults.failNext("create_warehouse", status, error);
        await expect(lead(warehouse).create(args(fixture))).rejects.toThrow(hint);
    });
});

describe("what stores need is taken", () => {
    it.each<[string, Bag]>([
        ["lakekeeper#888, a role on Ceph", { stsEnabled: true, stsRoleArn: "arn:aws:iam::1:role/r" }],
        ["lakekeeper#1626, STS at another address", { stsEnabled: true, stsEndpoint: "http://sts:9000/" }],
        ["lakekeeper#1022, a KMS key", { awsKmsKeyArn: "arn:aws:kms:us-east-1:1:key/k" }],
        ["lakekeeper#1413, Content-MD5", { legacyMd5Behavior: true }],
        ["polaris#1569, longer keys", { stsTokenValiditySeconds: 43200 }],
    ])("%s", async (_report, change) => {
        const fixture = await startFixture();
        const made = lead(warehouse);
        const profile = { ...storage, flavor: "s3-compat", endpoint: "http://store:9000/", ...change };
        await made.create(args(fixture, { storage: profile }));
        expect(await made.refresh()).toBe("there");
        expect(made.state["storage"]).toMatchObject(change);
        expect(await made.up(args(fixture, { storage: profile }))).toBe("same");
    });
});

describe("deleting", () => {
    it("texera#7742: a warehouse whose dropped tables can be brought back is drained by force only, and then goes", async () => {
        const catalog = await startCatalogStub();
        closeLater(catalog.close);
        const fixture = await startFixture({ backendUrl: catalog.url });
        const made = lead(warehouse);
        const soft = { deleteProfile: { type: "soft", expirationSeconds: 3600 } };
        await made.create(args(fixture, soft));
        const namespaces = `/catalog/v1/${made.id}/namespaces`;
        await fixture.outside("POST", namespaces, { namespace: ["ns"] });
        catalog.namespaces.get("ns")!.push("t");
        await fixture.outside("DELETE", `${namespaces}/ns/tables/t`);
        await expect(made.destroy()).rejects.toThrow(/not empty: ns \(namespace\)/);
        await made.up(args(fixture, { ...soft, drain: { deadlineSeconds: 5 } }));
        await expect(made.destroy()).rejects.toThrow(/NamespaceDeleteNotAllowed.*force: true/s);
        await made.up(args(fixture, { ...soft, drain: { deadlineSeconds: 5, force: true } }));
        await made.destroy();
        expect(await made.refresh()).toBe("gone");
    });
});

it("the library for Kubernetes is loaded only by those who get a token there", () => {
    const root = path.resolve(import.meta.dirname, "../../..");
    const program = `
        import { registerHooks } from "node:module";
        registerHooks({ resolve(name, context, next) {
            if (name.includes("kubernetes/client-node")) console.log("loaded");
            return next(name, context);
        } });
        const { lakekeeperProviders } = await import("./dynamic-providers/lakekeeper/index.ts");
        console.log(Object.keys(lakekeeperProviders).length);
        const { kubernetesToken } = await import("./dynamic-providers/lakekeeper/kubernetes.ts");
        await kubernetesToken({ namespace: "n", secret: "s", kubeconfig: "{}" }).catch(() => {});
    `;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
        cwd: root,
        encoding: "utf8",
    });
    expect(stdout.trim().split("\n"), stderr).toEqual(["9", "loaded"]);
});
