import * as k8s from "@pulumi/kubernetes";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LakekeeperChartArgs } from "../../components/lakekeeper-catalog-chart.ts";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../local/simulators/lakekeeper/index.ts";
import { changesOf } from "../engine/engine.ts";
import type { KubeObject } from "./bed.ts";
import { helmRecord } from "./helm-record.ts";
import { expectHidden } from "./hidden.ts";
import {
    chartSource,
    countingProxy,
    type LakekeeperStack,
    lakekeeperStack,
    outputsOf,
} from "./lakekeeper-stack.ts";
import { lakekeeperQuickstartValues } from "./quickstart-values.ts";
import { accountWith, lakekeeperRules } from "./service-account.ts";
import { sharedBed } from "./shared-bed.ts";

/** Lakekeeper with the chart's own PostgreSQL, from its first installation to the last, in the order of the tests. */
const namespace = "lake";
const object = (kind: string, name: string, group = "api/v1") =>
    `/${group}/namespaces/${namespace}/${kind}/${name}`;
const deployment = object("deployments", "fluss-lakekeeper", "apis/apps/v1");
const claim = object("persistentvolumeclaims", "data-fluss-lakekeeper-lakekeeper-pg-0");

const bed = sharedBed();
/** Stands behind the pods of the Service, which are not real. */
let lakekeeper: LakekeeperSimulator;
let proxy: Awaited<ReturnType<typeof countingProxy>>;
let stack: LakekeeperStack;
const tokens = new Set<string>();

beforeAll(async () => {
    lakekeeper = await startLakekeeperSimulator({
        port: 0,
        token: "nobody-has-this-one",
        accepts: (token) => tokens.add(token).size > 0,
    });
    proxy = await countingProxy(Number(new URL(lakekeeper.url).port), bed.forwards[8181]);
    await bed.makeNamespace(namespace);
    // It may do no more than is documented.
    const access = await accountWith(bed, namespace, "deployer", lakekeeperRules);
    stack = await lakekeeperStack(bed, namespace, { storageClass: "kwok-volume", access });
});

afterAll(async () => {
    await stack?.dispose();
    await proxy?.close();
    await lakekeeper?.close();
});

const secretText = async (name: string, key: string) =>
    Buffer.from((await bed.get(object("secrets", name)))?.data[key] ?? "", "base64").toString("utf8");

const keys = async () => [
    await secretText("fluss-lakekeeper-encryption", "encryptionKey"),
    await secretText("fluss-lakekeeper-database", "password"),
];

const calls = () => lakekeeper.requests.map(({ method, path }) => `${method} ${path}`);

/** The preview with another wish, which is taken back. */
async function refusalOf(wish: Partial<LakekeeperChartArgs>): Promise<string> {
    const before = stack.wish;
    stack.wish = { ...before, ...wish };
    try {
        await stack.preview();
        return "";
    } catch (error) {
        return (error as Error).message;
    } finally {
        stack.wish = before;
    }
}

test("the server is installed, bootstrapped and given its warehouse through a port-forward", async () => {
    const { outputs } = await stack.up();
    expect(outputs["uri"]?.value).toBe("http://fluss-lakekeeper.lake.svc.cluster.local:8181/catalog");
    expect(outputs["warehouse"]?.value).toBe("fluss");
    expect(calls()).toContain("POST /management/v1/bootstrap");
    expect(calls()).toContain("POST /management/v1/warehouse");
    // The token is the one that Kubernetes made for the ServiceAccount.
    const token = await secretText("fluss-lake-client-token", "token");
    expect(outputs["token"]).toEqual({ value: token, secret: true });
    expect([...tokens]).toEqual([token]);
    const [, claims = ""] = token.split(".");
    const { sub, exp } = JSON.parse(Buffer.from(claims, "base64url").toString("utf8"));
    expect([sub, exp]).toEqual(["system:serviceaccount:lake:fluss-lake-client", undefined]);
});

test("with the run the way through the cluster is closed", async () => {
    expect(proxy.opened()).toBeGreaterThan(0);
    await expect.poll(proxy.open, { timeout: 10_000 }).toBe(0);
});

test("Helm was given the quickstart's values, key by key, and beside them what the component is there for", async () => {
    const { postgresql, auth, ...more } = (await helmRecord(bed, namespace, "fluss-lakekeeper"))
        .config as Record<string, Record<string, object>>;
    const { userDatabase, ...rest } = postgresql!;
    expect({ postgresql: rest, auth }).toEqual(lakekeeperQuickstartValues());
    const from = (secretKey: string) => ({ secretKey });
    expect(userDatabase).toEqual({
        existingSecret: "fluss-lakekeeper-database",
        name: from("name"),
        user: from("user"),
        password: from("password"),
    });
    expect(more).toEqual({
        fullnameOverride: "fluss-lakekeeper",
        helmWait: true,
        secretBackend: {
            type: "Postgres",
            postgres: {
                encryptionKeySecret: "fluss-lakekeeper-encryption",
                encryptionKeySecretKey: "encryptionKey",
            },
        },
        catalog: {
            extraEnv: [{ name: "LAKEKEEPER__KUBERNETES_AUTHENTICATION_SUBJECT_SOURCE", value: "username" }],
            podAnnotations: { "pulumi-fluss/rollout": expect.stringMatching(/^[0-9a-f]{32}$/) },
        },
    });
});

test("no password stands in any object but Secrets, in Helm's record, or in clear in the state", async () => {
    // Neither the chart's generated key nor its fixed password.
    expect(await bed.get(object("secrets", "fluss-lakekeeper-postgres-encryption"))).toBeUndefined();
    expect(await bed.get(object("secrets", "fluss-lakekeeper-lakekeeper-pg"))).toBeUndefined();
    const [key = "", password = ""] = await keys();
    expect([key.length, password.length]).toEqual([40, 32]);
    const hidden = [key, password, "store-in-clear", ...tokens];
    const kinds = ["/api/v1 pods", "/apis/apps/v1 deployments"];
    await expectHidden(hidden, { bed, namespace, stack, release: "fluss-lakekeeper", kinds });
});

test("the next up changes nothing, nor does a refresh", async () => {
    expect(changesOf(await stack.up())).toEqual([]);
    expect((await stack.refresh()).changes).toEqual({ same: expect.any(Number) });
    expect((await outputsOf(stack, "LakekeeperReleaseGuard"))["drift"]).toEqual([]);
});

test.each<[string, Partial<LakekeeperChartArgs>, RegExp]>([
    ["lakekeeper-charts#145: a chart with PostgreSQL 17", { version: "0.11.0" }, /does not move its data/],
    ["other storage", { storageClass: "fast" }, /storage class kwok-volume -> fast.*"storageChange"/],
    ["smaller storage", { storageSize: "1Gi" }, /cannot be made smaller/],
    [
        "another database",
        { storageClass: undefined, database: { host: "db", user: "u", password: "p-in-clear" } },
        /the chart's own PostgreSQL -> db:5432\/lakekeeper: nothing is copied/,
    ],
    ["OpenFGA after the bootstrap", { openFga: "internal" }, /knows no rights in the new one/],
    [
        "another store of credentials",
        { secretStore: { url: "http://vault", mount: "kv", user: "u", password: "p-in-clear" } },
        /the credentials of all warehouses stay in the old one/,
    ],
])("%s is refused in the preview", async (_, wish, reason) => {
    const told = await refusalOf(wish);
    expect(told).toMatch(reason);
    expect(told).not.toContain("in-clear");
});

test("what was patched inside of the release is found by a refresh and put right by the next up", async () => {
    await bed.send("PATCH", deployment, { spec: { replicas: 2 } });
    await bed.send("PATCH", object("secrets", "fluss-lakekeeper-config-envs"), {
        stringData: { LAKEKEEPER__ENABLE_KUBERNETES_AUTHENTICATION: "false" },
    });
    await stack.refresh();
    const { drift } = await outputsOf(stack, "LakekeeperReleaseGuard");
    expect((drift as string[]).sort()).toEqual([
        "Deployment fluss-lakekeeper has another spec.replicas: 2, not 1",
        "Secret fluss-lakekeeper-config-envs has another data.LAKEKEEPER__ENABLE_KUBERNETES_AUTHENTICATION",
    ]);
    await stack.up();
    expect((await bed.get(deployment))?.spec.replicas).toBe(1);
    expect(
        await secretText("fluss-lakekeeper-config-envs", "LAKEKEEPER__ENABLE_KUBERNETES_AUTHENTICATION"),
    ).toBe("true");
    expect((await outputsOf(stack, "LakekeeperReleaseGuard"))["drift"]).toEqual([]);
});

test("a larger volume is done on the same claim", async () => {
    const before = await bed.get(claim);
    stack.wish = { ...stack.wish, storageSize: "6Gi" };
    await stack.up();
    const after = await bed.get(claim);
    expect(after?.spec.resources.requests.storage).toBe("6Gi");
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
});

test("installed again, the Secrets are those that the volume was written with, and what the database holds is taken over", async () => {
    const before = await keys();
    stack.keepWarehouse = true;
    await stack.up();
    await stack.destroy();
    stack.keepWarehouse = false;
    expect(await bed.get(deployment)).toBeUndefined();
    const seen = calls().length;
    await stack.up();
    expect(await keys()).toEqual(before);
    const again = calls().slice(seen);
    expect(again).not.toContain("POST /management/v1/bootstrap");
    expect(again).not.toContain("POST /management/v1/warehouse");
    expect(await outputsOf(stack, "lakekeeper:Server")).toMatchObject({ adopted: true });
    expect(await outputsOf(stack, "lakekeeper:Warehouse")).toMatchObject({ adopted: true, name: "fluss" });
});

test("pulumi-kubernetes#205: a key that is gone is not made anew while the volume is there, and one that is brought back is taken", async () => {
    const place = object("secrets", "fluss-lakekeeper-encryption");
    const { data } = (await bed.get(place)) as KubeObject;
    await bed.send("DELETE", place);
    expect(await refusalOf({})).toMatch(
        /no Secret lake\/fluss-lakekeeper-encryption, but the volume data-fluss-lakekeeper-lakekeeper-pg-0.*bring it back/s,
    );
    await stack.refresh();
    await expect(stack.up()).rejects.toThrow("which only that Secret opens");
    await stack.destroy();
    await expect(stack.up()).rejects.toThrow("which only that Secret opens");
    await bed.send("POST", `/api/v1/namespaces/${namespace}/secrets`, {
        metadata: { name: "fluss-lakekeeper-encryption" },
        data,
    });
    await stack.preview();
});

test("lakekeeper-charts#145: a release of 0.11 that is there already is not upgraded, nor is its volume taken without its password", async () => {
    await stack.destroy();
    const secrets = ["fluss-lakekeeper-encryption", "fluss-lakekeeper-database"];
    for (const name of secrets) await bed.send("DELETE", object("secrets", name));
    await bed.send("DELETE", claim);
    await expect.poll(() => bed.get(claim), { timeout: 20_000 }).toBeUndefined();
    const old = (provider: k8s.Provider) => {
        const { repository: repo, login } = chartSource(bed);
        new k8s.helm.v3.Release(
            "old",
            {
                ...{ name: "fluss-lakekeeper", namespace, chart: "lakekeeper", version: "0.11.0" },
                repositoryOpts: { repo, ...login },
                values: { ...lakekeeperQuickstartValues(), helmWait: true },
            },
            { provider },
        );
    };
    stack.instead = old;
    await stack.up();
    delete stack.instead;
    // With Secrets of those names only the release itself stands in the way.
    const data = Object.fromEntries(
        ["encryptionKey", "name", "user", "password"].map((key) => [key, "eA=="]),
    );
    for (const name of secrets) {
        await bed.send("POST", `/api/v1/namespaces/${namespace}/secrets`, { metadata: { name }, data });
    }
    expect(await refusalOf({})).toMatch(
        /0\.11\.0 -> 0\.12\.0 takes the chart's own PostgreSQL from 17 to 18/,
    );
    for (const name of secrets) await bed.send("DELETE", object("secrets", name));
    stack.instead = old;
    await stack.destroy();
    delete stack.instead;
    expect(await refusalOf({})).toMatch(/no Secret lake\/fluss-lakekeeper-\w+, but the volume data-/);
});
