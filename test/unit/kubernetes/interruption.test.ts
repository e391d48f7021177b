import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Cluster } from "../../../dynamic-providers/kubernetes/cluster.ts";
import { markFailed, newestRecord } from "../../../dynamic-providers/kubernetes/helm-records.ts";
import { situationOf } from "../../../dynamic-providers/kubernetes/interruption.ts";
import { hasEnded, processMark } from "../../../dynamic-providers/kubernetes/process-mark.ts";
import { announceFinished, announceRun } from "../../../dynamic-providers/kubernetes/run-mark.ts";

const place = { namespace: "fluss", release: "fluss" };
const now = Date.UTC(2026, 10, 30, 12);

interface Lease {
    annotations: Record<string, string>;
    holder: string;
    renewed: Date;
}

/** What of the API server the code under test asks for. */
class FakeCluster {
    records: { version: number; status: string; ours: boolean; begun: number; data?: string }[] = [];
    lease: Lease | undefined;
    patches: Record<string, unknown>[] = [];

    readonly core = {
        listNamespacedSecret: async () => ({
            items: this.records.map(({ version, status, ours, begun }) => ({
                metadata: {
                    name: `sh.helm.release.v1.fluss.v${version}`,
                    labels: { version: String(version), status },
                    creationTimestamp: new Date(begun),
                    resourceVersion: `${version}-${Math.random()}`,
                },
                data: { release: encoded(status, ours) },
            })),
        }),
        patchNamespacedSecret: async ({ body }: { body: Record<string, unknown> }) => {
            this.patches.push(body);
        },
    };

    readonly leases = {
        readNamespacedLease: async () => {
            if (!this.lease) throw Object.assign(new Error("not found"), { code: 404 });
            const { annotations, holder, renewed } = this.lease;
            return { metadata: { annotations }, spec: { holderIdentity: holder, renewTime: renewed } };
        },
        createNamespacedLease: async ({ body }: { body: LeaseBody }) => this.#write(body),
        patchNamespacedLease: async ({ body }: { body: LeaseBody }) => this.#write(body),
    };

    get asCluster(): Cluster {
        return this as unknown as Cluster;
    }

    #write({ metadata, spec }: LeaseBody): void {
        this.lease = {
            annotations: { ...this.lease?.annotations, ...metadata?.annotations },
            holder: spec?.holderIdentity ?? this.lease?.holder ?? "",
            renewed: spec?.renewTime ?? this.lease?.renewed ?? new Date(0),
        };
    }
}

interface LeaseBody {
    metadata?: { annotations?: Record<string, string> };
    spec?: { holderIdentity: string; renewTime: Date };
}

function encoded(status: string, ours: boolean): string {
    const config = ours ? { fluss: { tablet: { podAnnotations: { "pulumi-fluss/rollout": "0f" } } } } : {};
    const inner = gzipSync(JSON.stringify({ info: { status }, config, manifest: "---" })).toString("base64");
    return Buffer.from(inner).toString("base64");
}

let cluster: FakeCluster;

beforeEach(() => {
    cluster = new FakeCluster();
    vi.useFakeTimers();
    vi.setSystemTime(now);
});

/** When a process started, as `/proc` tells it: the 20th field after its name. */
function startOf(pid: number): string {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

/** Asks while the clock goes on, 30 s at the most. */
async function situation() {
    const asked = situationOf(cluster.asCluster, place);
    await vi.advanceTimersByTimeAsync(30_000);
    return asked;
}

const record = (status: string, changes: Partial<FakeCluster["records"][number]> = {}) => ({
    version: 1,
    status,
    ours: true,
    begun: now - 60_000,
    ...changes,
});

describe("an operation of Helm that has not ended", () => {
    it("was cut off when its run left no sign of life", async () => {
        cluster.records = [record("pending-install")];
        expect(await situation()).toMatchObject({ cutOff: true, busy: undefined });
    });

    it("was cut off when the sign of its run is never renewed, however young it is", async () => {
        cluster.records = [record("pending-upgrade")];
        cluster.lease = { annotations: {}, holder: "other, process 7", renewed: new Date(now) };
        expect(await situation()).toMatchObject({ cutOff: true, busy: undefined });
    });

    it.runIf(process.platform === "linux")(
        "was cut off at once when its process on this machine has ended, and watched while it lives",
        async () => {
            cluster.records = [record("pending-upgrade")];
            const child = spawn("sleep", ["60"]);
            const mark = `${processMark()!.split("/").slice(0, 2).join("/")}/${child.pid}/${startOf(child.pid!)}`;
            cluster.lease = {
                annotations: { "pulumi-fluss/process": mark },
                holder: "other",
                renewed: new Date(now),
            };
            let settled = false;
            const alive = situationOf(cluster.asCluster, place).finally(() => {
                settled = true;
            });
            await vi.advanceTimersByTimeAsync(5000);
            expect(settled).toBe(false);
            await vi.advanceTimersByTimeAsync(30_000);
            await alive;
            cluster.records = [record("pending-upgrade", { version: 2 })];
            const ended = once(child, "exit");
            child.kill("SIGKILL");
            await ended;
            // No time passes.
            expect(await situationOf(cluster.asCluster, place)).toMatchObject({ cutOff: true });
        },
    );

    it("is under way while another run gives signs of life, whatever its clock says", async () => {
        cluster.records = [record("pending-upgrade")];
        cluster.lease = { annotations: {}, holder: "other, process 7", renewed: new Date(0) };
        const beats = setInterval(() => {
            cluster.lease!.renewed = new Date(cluster.lease!.renewed.getTime() + 1000);
        }, 5000);
        expect(await situation()).toMatchObject({
            cutOff: false,
            busy: "another run of Pulumi (other, process 7)",
        });
        clearInterval(beats);
    });

    it("that somebody began with Helm itself is under way for an hour", async () => {
        cluster.records = [record("pending-upgrade", { ours: false, begun: now - 59 * 60_000 })];
        expect((await situation()).busy).toBe("Helm (pending-upgrade, begun 59 minutes ago, not by Pulumi)");
        cluster.records = [record("pending-upgrade", { ours: false, begun: now - 61 * 60_000 })];
        expect(await situation()).toMatchObject({ cutOff: true, busy: undefined });
    });

    it("counts only as the newest one", async () => {
        cluster.records = [
            record("deployed", { version: 10 }),
            record("pending-upgrade", { version: 9 }),
            record("superseded", { version: 2 }),
        ];
        expect(await situation()).toMatchObject({ cutOff: false, busy: undefined });
    });
});

describe("before Helm has any record", () => {
    it("a run that began is under way while it gives signs of life, and nothing when it gives none", async () => {
        cluster.lease = { annotations: { "pulumi-fluss/begun": "a" }, holder: "other", renewed: new Date(0) };
        const beats = setInterval(() => {
            cluster.lease!.renewed = new Date(cluster.lease!.renewed.getTime() + 1000);
        }, 5000);
        expect((await situation()).busy).toBe("another run of Pulumi (other)");
        clearInterval(beats);
        expect(await situation()).toMatchObject({ cutOff: false, busy: undefined });
    });
});

describe("an installation that Helm finished", () => {
    const lease = (begun: string, finished?: string): Lease => ({
        annotations: {
            "pulumi-fluss/begun": begun,
            ...(finished ? { "pulumi-fluss/finished": finished } : {}),
        },
        holder: "other, process 7",
        renewed: new Date(now),
    });

    it("was cut off when its run never said so", async () => {
        cluster.records = [record("deployed")];
        cluster.lease = lease("a");
        expect(await situation()).toMatchObject({ cutOff: true });
        cluster.lease = lease("b", "a");
        expect(await situation()).toMatchObject({ cutOff: true });
    });

    it("is as it should be when its run said so, or nobody says anything about it", async () => {
        cluster.records = [record("deployed")];
        cluster.lease = lease("a", "a");
        expect(await situation()).toMatchObject({ cutOff: false, busy: undefined });
        cluster.lease = undefined;
        expect(await situation()).toMatchObject({ cutOff: false, busy: undefined });
        cluster.records = [record("deployed", { ours: false })];
        cluster.lease = lease("a");
        expect(await situation()).toMatchObject({ cutOff: false, busy: undefined });
    });
});

it("a record is marked as failed and keeps the rest of its content", async () => {
    cluster.records = [record("pending-install")];
    const found = await newestRecord(cluster.asCluster, place);
    await markFailed(cluster.asCluster, place.namespace, found!);
    const [patch] = cluster.patches as { metadata: object; data: { release: string } }[];
    expect(patch?.metadata).toEqual({
        resourceVersion: found?.resourceVersion,
        labels: { status: "failed" },
    });
    const inner = Buffer.from(patch?.data.release ?? "", "base64").toString();
    expect(JSON.parse(gunzipSync(Buffer.from(inner, "base64")).toString())).toMatchObject({
        info: { status: "failed" },
        manifest: "---",
        config: { fluss: {} },
    });
});

it("a run gives a sign of life every 5 s, and says which installation it began and finished", async () => {
    await announceRun(cluster.asCluster, place, "a");
    const first = cluster.lease!.renewed;
    expect(first).toEqual(new Date(now));
    await vi.advanceTimersByTimeAsync(5100);
    expect(cluster.lease!.renewed.getTime()).toBeGreaterThan(first.getTime());
    await announceFinished(cluster.asCluster, place, "a");
    expect(cluster.lease!.annotations).toMatchObject({
        "pulumi-fluss/begun": "a",
        "pulumi-fluss/finished": "a",
    });
});

it.runIf(process.platform === "linux")(
    "of a process elsewhere, or of none, nothing is known; this one has not ended",
    () => {
        expect(hasEnded(processMark())).toBe(false);
        const [, space, pid, start] = processMark()!.split("/");
        expect(hasEnded(`another-boot/${space}/${pid}/${start}`)).toBeUndefined();
        expect(hasEnded(undefined)).toBeUndefined();
    },
);
