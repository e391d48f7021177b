import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { type Cluster, openCluster } from "../../dynamic-providers/kubernetes/cluster.ts";
import { markFailed, newestRecord } from "../../dynamic-providers/kubernetes/helm-records.ts";
import { situationOf } from "../../dynamic-providers/kubernetes/interruption.ts";
import {
    announceFinished,
    announceRun,
    readMark,
    removeMark,
} from "../../dynamic-providers/kubernetes/run-mark.ts";
import { sharedBed } from "./shared-bed.ts";

/** The marks of runs on a real API server, without an engine: who is told from whom, and what is written. */
const namespace = "default";
const secrets = `/api/v1/namespaces/${namespace}/secrets`;

const bed = sharedBed();
let cluster: Cluster;

beforeAll(async () => {
    cluster = await openCluster(bed.access);
});

const packed = (content: object) =>
    Buffer.from(gzipSync(JSON.stringify(content)).toString("base64")).toString("base64");

/** A record of Helm as a run of this library would have left it. */
async function record(release: string, status: string): Promise<void> {
    const config = { tablet: { podAnnotations: { "pulumi-fluss/rollout": "0f" } } };
    await bed.send("POST", secrets, {
        apiVersion: "v1",
        kind: "Secret",
        type: "helm.sh/release.v1",
        metadata: {
            name: `sh.helm.release.v1.${release}.v1`,
            labels: { owner: "helm", name: release, version: "1", status },
        },
        data: { release: packed({ name: release, info: { status }, config, manifest: "---\n" }) },
    });
}

/** Another process that says that it works on the release, until it is ended. */
async function otherRun(release: string): Promise<ChildProcess> {
    const folder = path.resolve(import.meta.dirname, "../../dynamic-providers/kubernetes");
    const script = `
        import { openCluster } from ${JSON.stringify(path.join(folder, "cluster.ts"))};
        import { announceRun } from ${JSON.stringify(path.join(folder, "run-mark.ts"))};
        const cluster = await openCluster({});
        await announceRun(cluster, ${JSON.stringify({ namespace, release })}, "other");
        console.log("announced");
        setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
        env: { ...process.env, KUBECONFIG: bed.kubeconfig },
        stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => {
        child.kill("SIGKILL");
    });
    await new Promise<void>((done, failed) => {
        child.stdout?.once("data", () => done());
        child.once("exit", () => failed(new Error("the other run ended")));
    });
    return child;
}

test("a run begins, gives signs of life, and says that it is finished", async () => {
    const place = { namespace, release: "alone" };
    await announceRun(cluster, place, "guard");
    const first = await readMark(cluster, place);
    expect(first).toMatchObject({ begun: "guard", finished: undefined });
    await announceRun(cluster, place, "guard");
    await announceFinished(cluster, place, "guard");
    const second = await readMark(cluster, place);
    expect(second).toMatchObject({ begun: "guard", finished: "guard", holder: first?.holder });
    expect(second?.renewed).not.toBe(first?.renewed);
    await removeMark(cluster, place);
    expect(await readMark(cluster, place)).toBeUndefined();
});

test("an operation is under way while the other run lives, and cut off once it was killed", async () => {
    const place = { namespace, release: "shared" };
    await record(place.release, "pending-install");
    const other = await otherRun(place.release);
    const busy = await situationOf(cluster, place);
    expect(busy).toMatchObject({ cutOff: false, busy: expect.stringContaining(`process ${other.pid}`) });
    other.kill("SIGKILL");
    expect(await situationOf(cluster, place)).toMatchObject({ cutOff: true, busy: undefined });
});

test("a record that is marked as failed is one that Helm reads", async () => {
    const place = { namespace, release: "cut" };
    await record(place.release, "pending-install");
    const found = await newestRecord(cluster, place);
    expect(found).toMatchObject({ status: "pending-install", ours: true });
    await markFailed(cluster, namespace, found!);
    const secret = await bed.get(`${secrets}/sh.helm.release.v1.cut.v1`);
    expect(secret?.metadata.labels).toMatchObject({ owner: "helm", name: "cut", status: "failed" });
    const inner = Buffer.from(secret?.data["release"] ?? "", "base64").toString("utf8");
    expect(JSON.parse(gunzipSync(Buffer.from(inner, "base64")).toString("utf8"))).toMatchObject({
        name: "cut",
        info: { status: "failed" },
        manifest: "---\n",
    });
    // Changed meanwhile: the mark of another run is not overwritten.
    await expect(markFailed(cluster, namespace, found!)).rejects.toThrow(/409|modified/);
});
