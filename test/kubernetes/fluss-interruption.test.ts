import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { changesOf } from "../engine/engine.ts";
import { startTestBed, type TestBed } from "./bed.ts";
import { type FlussStack, flussStack } from "./fluss-stack.ts";
import { killEngine } from "./kill-engine.ts";

let bed: TestBed;
let namespace: string;
let count = 0;

beforeAll(async () => {
    bed = await startTestBed();
});

afterAll(() => bed?.stop());

beforeEach(() => {
    count += 1;
    namespace = `interrupted-${count}`;
});

async function newStack(): Promise<FlussStack> {
    const made = await flussStack(bed, namespace);
    onTestFinished(() => made.stack.dispose());
    return made;
}

const records = (status: string) =>
    `/api/v1/namespaces/${namespace}/secrets?labelSelector=owner%3Dhelm,status%3D${status}`;
const tablets = () => `/apis/apps/v1/namespaces/${namespace}/statefulsets/tablet-server`;

/** While it is set nothing can be placed, so that Helm waits. */
const holdPods = (held: boolean) =>
    bed.send("PATCH", "/api/v1/nodes/bed-0", { spec: { unschedulable: held } });

/** Begins an `up` and waits until Helm is in the midst of it. */
async function begin({ stack }: FlussStack, status: string): Promise<{ running: Promise<unknown> }> {
    await holdPods(true);
    onTestFinished(async () => {
        await holdPods(false);
    });
    const running = stack.up().catch((error: Error) => error);
    await bed.until(records(status), ({ items }) => items.length === 1);
    await bed.until(tablets(), ({ spec }) => spec.replicas > 0);
    return { running };
}

async function expectInstalled({ stack }: FlussStack, tabletServers = 3): Promise<void> {
    for (const status of ["pending-install", "pending-upgrade"]) {
        expect((await bed.get(records(status)))?.items).toEqual([]);
    }
    expect((await bed.get(records("deployed")))?.items.length).toBe(1);
    expect((await bed.get(tablets()))?.status.readyReplicas).toBe(tabletServers);
    expect(changesOf(await stack.up())).toEqual([]);
}

test("killed during the first installation, the next up goes through (pulumi-kubernetes#2054, pulumi.md 5 no. 25)", async () => {
    const made = await newStack();
    const { running } = await begin(made, "pending-install");
    killEngine(made.stack);
    expect(await running).toBeInstanceOf(Error);
    await holdPods(false);
    expect((await bed.get(records("pending-install")))?.items.length).toBe(1);
    await made.stack.up();
    await expectInstalled(made);
});

test("killed after Helm was done, but before Pulumi had a record of it, the next up goes through (pulumi-kubernetes#1727, #1697, pulumi.md 5 no. 25)", async () => {
    const made = await newStack();
    const { running } = await begin(made, "pending-install");
    // The plugin goes on by itself, and Helm in it comes to its end.
    killEngine(made.stack, { alone: true });
    expect(await running).toBeInstanceOf(Error);
    await holdPods(false);
    await bed.until(records("deployed"), ({ items }) => items.length === 1);
    await made.stack.up();
    await expectInstalled(made);
});

test("killed during an upgrade, the next up goes through", async () => {
    const made = await newStack();
    await made.stack.up();
    made.wish = { tabletServers: 4 };
    const { running } = await begin(made, "pending-upgrade");
    killEngine(made.stack);
    expect(await running).toBeInstanceOf(Error);
    await holdPods(false);
    await made.stack.up();
    await expectInstalled(made, 4);
});

test("two ups at once: the second is refused and touches nothing of the first", async () => {
    const first = await newStack();
    const second = await newStack();
    await first.stack.up();
    await expect(second.stack.preview()).rejects.toThrow("belongs to another stack");
    first.wish = { tabletServers: 4 };
    const { running } = await begin(first, "pending-upgrade");
    // The guard says so, unless Kubernetes comes first: the Secrets belong to the other stack.
    await expect(second.stack.up()).rejects.toThrow(
        /another run of Pulumi \(.*\) is at work on it|Apply failed with \d+ conflicts?/,
    );
    expect((await bed.get(records("pending-upgrade")))?.items.length).toBe(1);
    await holdPods(false);
    expect(await running).toMatchObject({ changes: { update: expect.any(Number) } });
    await expectInstalled(first, 4);
});

test("an operation that somebody began with Helm itself is waited for, not cut off", async () => {
    const made = await newStack();
    await made.stack.up();
    const name = "sh.helm.release.v1.fluss.v2";
    const newest = (await bed.get(records("deployed")))?.items[0];
    const labels = { ...newest?.metadata.labels, version: "2", status: "pending-upgrade" };
    const { release } = newest?.data ?? {};
    await bed.send("POST", `/api/v1/namespaces/${namespace}/secrets`, {
        apiVersion: "v1",
        kind: "Secret",
        type: "helm.sh/release.v1",
        metadata: { name, labels },
        data: { release: foreign(release ?? "") },
    });
    made.wish = { tabletServers: 4 };
    await expect(made.stack.preview()).rejects.toThrow(
        "Helm (pending-upgrade, begun 0 minutes ago, not by Pulumi) is at work on it",
    );
    await bed.send("DELETE", `/api/v1/namespaces/${namespace}/secrets/${name}`);
    await made.stack.up();
    await expectInstalled(made, 4);
});

test("a release that Helm itself installed is not taken over", async () => {
    const made = await newStack();
    await bed.send("POST", `/api/v1/namespaces/${namespace}/secrets`, {
        apiVersion: "v1",
        kind: "Secret",
        type: "helm.sh/release.v1",
        metadata: {
            name: "sh.helm.release.v1.fluss.v1",
            labels: { owner: "helm", name: "fluss", version: "1", status: "deployed" },
        },
        data: { release: packed({ info: { status: "deployed" }, config: {} }) },
    });
    await expect(made.stack.preview()).rejects.toThrow("was installed by Helm itself and is not taken over");
});

/** The record as Helm would have written it for somebody who gave other values. */
function foreign(data: string): string {
    const inner = Buffer.from(data, "base64").toString("utf8");
    const content = JSON.parse(gunzipSync(Buffer.from(inner, "base64")).toString("utf8"));
    return packed({ ...content, config: {}, info: { ...content.info, status: "pending-upgrade" } });
}

function packed(content: object): string {
    return Buffer.from(gzipSync(JSON.stringify(content)).toString("base64")).toString("base64");
}
