import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startLakekeeperSimulator } from "../../local/simulators/lakekeeper/index.ts";
import { changesOf, type TestStack } from "../engine/engine.ts";
import { type FlussStack, flussStack } from "./fluss-stack.ts";
import { killEngine } from "./kill-engine.ts";
import { lakekeeperStack } from "./lakekeeper-stack.ts";
import { sharedBed } from "./shared-bed.ts";

/** Runs that are killed, that meet others, and that meet Helm; one release goes through most of them in order. */
const bed = sharedBed();
const namespace = "interrupted";
let made: FlussStack;

beforeAll(async () => {
    made = await flussStack(bed, namespace);
});

afterAll(() => made?.stack.dispose());

const records = (status: string, at = namespace) =>
    `/api/v1/namespaces/${at}/secrets?labelSelector=owner%3Dhelm,status%3D${status}`;
const setOf = (name: string, at = namespace) => `/apis/apps/v1/namespaces/${at}/statefulsets/${name}`;

/** While it is set nothing can be placed, so that Helm waits. */
const holdPods = (held: boolean) =>
    bed.send("PATCH", "/api/v1/nodes/bed-0", { spec: { unschedulable: held } });

/** Begins an `up` and waits until Helm is in the midst of it: it has made the set and waits for its pods. */
async function begin(
    stack: TestStack,
    status: string,
    { at = namespace, set = "tablet-server", version = "" } = {},
): Promise<{ running: Promise<unknown> }> {
    await holdPods(true);
    onTestFinished(async () => {
        await holdPods(false);
    });
    const running = stack.up().catch((error: Error) => error);
    await bed.until(
        records(status, at),
        ({ items }) => items.length === 1 && items[0]!.metadata.labels["version"]!.startsWith(version),
    );
    await bed.until(setOf(set, at), ({ spec }) => spec.replicas > 0);
    return { running };
}

async function expectInstalled(stack: TestStack, at = namespace): Promise<void> {
    for (const status of ["pending-install", "pending-upgrade"]) {
        expect((await bed.get(records(status, at)))?.items).toEqual([]);
    }
    expect((await bed.get(records("deployed", at)))?.items.length).toBe(1);
    expect(changesOf(await stack.up())).toEqual([]);
}

const readyTablets = async (at = namespace) =>
    (await bed.get(setOf("tablet-server", at)))?.status.readyReplicas;

test("killed during the first installation, the next up goes through (pulumi-kubernetes#2054, pulumi.md 5 no. 25)", async () => {
    const { running } = await begin(made.stack, "pending-install");
    killEngine(made.stack);
    expect(await running).toBeInstanceOf(Error);
    await holdPods(false);
    expect((await bed.get(records("pending-install")))?.items.length).toBe(1);
    await made.stack.up();
    await expectInstalled(made.stack);
    expect(await readyTablets()).toBe(3);
});

test("killed during an upgrade, the next up goes through", async () => {
    made.wish = { tabletServers: 4 };
    const { running } = await begin(made.stack, "pending-upgrade");
    killEngine(made.stack);
    expect(await running).toBeInstanceOf(Error);
    await holdPods(false);
    await made.stack.up();
    await expectInstalled(made.stack);
    expect(await readyTablets()).toBe(4);
});

test("two ups at once: the second is refused and touches nothing of the first", async () => {
    const second = await flussStack(bed, namespace);
    onTestFinished(() => second.stack.dispose());
    await expect(second.stack.preview()).rejects.toThrow("belongs to another stack");
    made.wish = { tabletServers: 5 };
    const { running } = await begin(made.stack, "pending-upgrade");
    // The guard says so, unless Kubernetes comes first: the Secrets belong to the other stack.
    await expect(second.stack.up()).rejects.toThrow(
        /another run of Pulumi \(.*\) is at work on it|Apply failed with \d+ conflicts?/,
    );
    expect((await bed.get(records("pending-upgrade")))?.items.length).toBe(1);
    await holdPods(false);
    expect(await running).toMatchObject({ changes: { update: expect.any(Number) } });
    await expectInstalled(made.stack);
    expect(await readyTablets()).toBe(5);
});

test("an operation that somebody began with Helm itself is waited for, not cut off", async () => {
    const newest = (await bed.get(records("deployed")))?.items[0];
    const version = String(Number(newest?.metadata.labels["version"]) + 1);
    const name = `sh.helm.release.v1.fluss.v${version}`;
    await bed.send("POST", `/api/v1/namespaces/${namespace}/secrets`, {
        apiVersion: "v1",
        kind: "Secret",
        type: "helm.sh/release.v1",
        metadata: { name, labels: { ...newest?.metadata.labels, version, status: "pending-upgrade" } },
        data: { release: foreign(newest?.data["release"] ?? "") },
    });
    made.wish = { tabletServers: 6 };
    await expect(made.stack.preview()).rejects.toThrow(
        "Helm (pending-upgrade, begun 0 minutes ago, not by Pulumi) is at work on it",
    );
    await bed.send("DELETE", `/api/v1/namespaces/${namespace}/secrets/${name}`);
    await made.stack.up();
    await expectInstalled(made.stack);
    expect(await readyTablets()).toBe(6);
});

test("a namespace that somebody deletes: its end is waited for, and all is made anew once it is there again", async () => {
    const place = `/api/v1/namespaces/${namespace}`;
    // As by a controller that takes its time.
    await bed.send("PATCH", place, { metadata: { finalizers: ["example.com/slow"] } });
    await bed.send("DELETE", place);
    await bed.until(place, ({ status }) => status.phase === "Terminating");
    await bed.until(setOf("tablet-server").replace(/\/[^/]*$/, ""), ({ items }) => items.length === 0);
    made.wish = { tabletServers: 6, overrides: { "default.bucket.number": 5 } };
    await expect(made.stack.up()).rejects.toThrow(/being terminated/);
    await bed.send("PATCH", place, { metadata: { finalizers: null } });
    await expect.poll(() => bed.get(place), { timeout: 20_000 }).toBeUndefined();
    await made.stack.refresh();
    await bed.makeNamespace(namespace);
    await made.stack.up();
    // Nothing is taken for cut off: the mark that went with the namespace is made anew, too.
    await expectInstalled(made.stack);
    expect(await readyTablets()).toBe(6);
});

test("killed after Helm was done, but before Pulumi had a record of it, the next up goes through (pulumi-kubernetes#1727, #1697, pulumi.md 5 no. 25)", async () => {
    const at = "interrupted-late";
    const { stack } = await flussStack(bed, at);
    onTestFinished(() => stack.dispose());
    const { running } = await begin(stack, "pending-install", { at });
    // The plugin goes on by itself, and Helm in it comes to its end.
    killEngine(stack, { alone: true });
    expect(await running).toBeInstanceOf(Error);
    await holdPods(false);
    await bed.until(records("deployed", at), ({ items }) => items.length === 1);
    await stack.up();
    await expectInstalled(stack, at);
    expect(await readyTablets(at)).toBe(3);
});

test("Lakekeeper: killed during its installation, and again after Helm was done, but before Pulumi had a record of it, the next up goes through", async () => {
    const at = "interrupted-lake";
    const lakekeeper = await startLakekeeperSimulator({
        port: bed.forwards[8181]!,
        token: "nobody-has-this-one",
        accepts: () => true,
    });
    onTestFinished(() => lakekeeper.close());
    const stack = await lakekeeperStack(bed, at, { storageClass: "kwok-volume" });
    onTestFinished(() => stack.dispose());
    const place = { at, set: "fluss-lakekeeper-lakekeeper-pg" };
    const { running } = await begin(stack, "pending-install", place);
    killEngine(stack);
    expect(await running).toBeInstanceOf(Error);
    const again = await begin(stack, "pending-install", { ...place, version: "2" });
    killEngine(stack, { alone: true });
    expect(await again.running).toBeInstanceOf(Error);
    await holdPods(false);
    await bed.until(records("deployed", at), ({ items }) => items.length === 1);
    expect(await warehousesOf(stack)).toEqual([]);
    await stack.up();
    await expectInstalled(stack, at);
    expect(await warehousesOf(stack)).toEqual(["fluss"]);
});

test("a release that Helm itself installed is not taken over", async () => {
    const at = "interrupted-foreign";
    const { stack } = await flussStack(bed, at);
    onTestFinished(() => stack.dispose());
    await bed.send("POST", `/api/v1/namespaces/${at}/secrets`, {
        apiVersion: "v1",
        kind: "Secret",
        type: "helm.sh/release.v1",
        metadata: {
            name: "sh.helm.release.v1.fluss.v1",
            labels: { owner: "helm", name: "fluss", version: "1", status: "deployed" },
        },
        data: { release: packed({ info: { status: "deployed" }, config: {} }) },
    });
    await expect(stack.preview()).rejects.toThrow("was installed by Helm itself and is not taken over");
});

/** Names of the warehouses in the state. */
async function warehousesOf(stack: TestStack): Promise<string[]> {
    const { deployment } = await stack.export();
    const resources = deployment.resources as { type: string; outputs: { name: string } }[];
    return resources
        .filter(({ type }) => type.endsWith("lakekeeper:Warehouse"))
        .map(({ outputs }) => outputs.name);
}

/** The record as Helm would have written it for somebody who gave other values. */
function foreign(data: string): string {
    const inner = Buffer.from(data, "base64").toString("utf8");
    const content = JSON.parse(gunzipSync(Buffer.from(inner, "base64")).toString("utf8"));
    return packed({ ...content, config: {}, info: { ...content.info, status: "pending-upgrade" } });
}

function packed(content: object): string {
    return Buffer.from(gzipSync(JSON.stringify(content)).toString("base64")).toString("base64");
}
