import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LakekeeperCatalog } from "../../components/lakekeeper-catalog.ts";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../local/simulators/lakekeeper/index.ts";
import { changesOf, type TestStack, testStack } from "../engine/engine.ts";
import { startTestBed, type TestBed } from "./bed.ts";

const namespace = "lake";
const object = (kind: string, name: string, group = "api/v1") =>
    `/${group}/namespaces/${namespace}/${kind}/${name}`;

let bed: TestBed;
/** Stands behind the pods of the Service, which are not real. */
let lakekeeper: LakekeeperSimulator;
let stack: TestStack;
let version = "0.12.0";
const tokens = new Set<string>();

beforeAll(async () => {
    lakekeeper = await startLakekeeperSimulator({
        port: 0,
        token: "nobody-has-this-one",
        accepts: (token) => tokens.add(token).size > 0,
    });
    bed = await startTestBed({ 8181: Number(new URL(lakekeeper.url).port) });
    await bed.send("POST", "/api/v1/namespaces", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: namespace },
    });
    stack = await testStack({ env: bed.env, program });
});

afterAll(async () => {
    await stack?.dispose();
    await bed?.stop();
    await lakekeeper?.close();
});

async function program() {
    const kubernetes = new k8s.Provider("bed", { kubeconfig: bed.access.kubeconfig });
    const catalog = new LakekeeperCatalog(
        "desk",
        {
            chart: {
                namespace,
                access: bed.access,
                repository: bed.registry.repository,
                login: { username: bed.registry.username, password: bed.registry.password },
                version,
                storageClass: "kwok-volume",
            },
            storage: {
                bucket: "acme-fluss-lake",
                region: "eu-central-1",
                key: {
                    accessKeyId: pulumi.output("AKIAEXAMPLE"),
                    secretAccessKey: pulumi.secret("key-in-clear"),
                },
            },
            deletionProtection: false,
        },
        { providers: { kubernetes } },
    );
    return { uri: catalog.catalogUri, token: catalog.token, warehouse: catalog.warehouse };
}

const secretText = async (name: string, key: string) =>
    Buffer.from((await bed.get(object("secrets", name)))?.data[key] ?? "", "base64").toString("utf8");

test("the server is installed, bootstrapped and given its warehouse through a port-forward", async () => {
    const { outputs } = await stack.up();
    expect(outputs["uri"]?.value).toBe("http://fluss-lakekeeper.lake.svc.cluster.local:8181/catalog");
    expect(outputs["warehouse"]?.value).toBe("fluss");
    const called = lakekeeper.requests.map(({ method, path }) => `${method} ${path}`);
    expect(called).toContain("POST /management/v1/bootstrap");
    expect(called).toContain("POST /management/v1/warehouse");
    // The token is the one that Kubernetes made for the ServiceAccount.
    const token = await secretText("fluss-lake-client-token", "token");
    expect(outputs["token"]).toEqual({ value: token, secret: true });
    expect([...tokens]).toEqual([token]);
    const [, claims = ""] = token.split(".");
    expect(JSON.parse(Buffer.from(claims, "base64url").toString("utf8")).sub).toBe(
        "system:serviceaccount:lake:fluss-lake-client",
    );
});

test("neither the chart's generated key nor its fixed password is used, and no secret is in the state", async () => {
    expect(await bed.get(object("secrets", "fluss-lakekeeper-postgres-encryption"))).toBeUndefined();
    expect(await bed.get(object("secrets", "fluss-lakekeeper-lakekeeper-pg"))).toBeUndefined();
    const key = await secretText("fluss-lakekeeper-encryption", "encryptionKey");
    const password = await secretText("fluss-lakekeeper-database", "password");
    expect([key.length, password.length]).toEqual([40, 32]);
    const hidden = [key, password, "key-in-clear", ...tokens];
    const state = JSON.stringify(await stack.export());
    const lists = ["configmaps", "pods", "services", "events"].map(
        (kind) => `/api/v1/namespaces/lake/${kind}`,
    );
    lists.push("/apis/apps/v1/namespaces/lake/deployments", "/apis/apps/v1/namespaces/lake/statefulsets");
    const seen = [
        state,
        ...(await Promise.all(lists.map(async (list) => JSON.stringify(await bed.get(list))))),
    ];
    for (const text of seen) for (const secret of hidden) expect(text.includes(secret)).toBe(false);
});

test("the next up changes nothing", async () => {
    expect(changesOf(await stack.up())).toEqual([]);
});

test("a chart whose database would not start on the old volume is refused in the preview", async () => {
    version = "0.11.0";
    await expect(stack.preview()).rejects.toThrow("does not move its data");
    version = "0.12.0";
});

test("installed again, key and password are those that the volume was written with", async () => {
    const before = [
        await secretText("fluss-lakekeeper-encryption", "encryptionKey"),
        await secretText("fluss-lakekeeper-database", "password"),
    ];
    await stack.destroy();
    await stack.up();
    expect([
        await secretText("fluss-lakekeeper-encryption", "encryptionKey"),
        await secretText("fluss-lakekeeper-database", "password"),
    ]).toEqual(before);
});
