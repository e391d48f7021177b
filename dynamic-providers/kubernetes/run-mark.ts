import { randomBytes } from "node:crypto";
import net from "node:net";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cluster, kubernetesError, orUndefined } from "./cluster.ts";
import type { ReleasePlace } from "./helm-records.ts";
import { hasEnded, processMark } from "./process-mark.ts";

/** How often a run says that it is still at work, in milliseconds. */
const BEAT_MS = 5000;

/** How long a run may be silent before it is taken for dead: two beats and some patience. */
const SILENCE_MS = 12_000;

/** No run is at work for longer: its timeouts end it. */
const LONGEST_MS = 12 * 3600_000;

/** What a run leaves in the cluster about a release, as annotations of a Lease. */
export interface RunMark {
    /** Who is, or was, at work: machine, process and a random text. */
    holder: string;
    /** The guard whose installation was begun last. */
    begun: string | undefined;
    /** The guard whose installation was finished last. */
    finished: string | undefined;
    /** Changes with each sign of life. */
    renewed: string;
    /** The process that gives the signs, for others on its machine. */
    process: string | undefined;
}

/** This process, as others see it. */
const self = `${os.hostname()}, process ${process.pid}, ${randomBytes(4).toString("hex")}`;

/** The mark of a release; undefined when no run has left one. */
export async function readMark(cluster: Cluster, place: ReleasePlace): Promise<RunMark | undefined> {
    const { namespace } = place;
    const lease = await orUndefined(
        `read Lease ${leaseName(place)} in ${namespace}`,
        cluster.leases.readNamespacedLease({ name: leaseName(place), namespace }),
    );
    if (!lease) return undefined;
    const { annotations = {} } = lease.metadata ?? {};
    return {
        holder: lease.spec?.holderIdentity ?? "somebody",
        begun: annotations[begunKey],
        finished: annotations[finishedKey],
        // The client gives the text of the answer, whatever type it declares.
        renewed: JSON.stringify(lease.spec?.renewTime ?? ""),
        process: annotations[processKey],
    };
}

/** True when a run began an installation and has not said that it is finished. */
export function isUnfinished(mark: RunMark | undefined): mark is RunMark {
    return mark !== undefined && mark.begun !== mark.finished;
}

/**
 * Says that this run begins to work on a release, and again every 5 s as long as this process and the engine that
 * started it live. Another run can so tell whether an operation of Helm that has not ended is under way or was cut off.
 * @param begun names the guard
 */
export async function announceRun(cluster: Cluster, place: ReleasePlace, begun: string): Promise<void> {
    const { namespace } = place;
    const name = leaseName(place);
    const spec = await leaseSpec();
    const own = processMark();
    const annotations = { [begunKey]: begun, ...(own ? { [processKey]: own } : {}) };
    try {
        if (await readMark(cluster, place)) await patch(cluster, place, { metadata: { annotations }, spec });
        else
            await cluster.leases.createNamespacedLease({
                namespace,
                body: { metadata: { name, annotations }, spec },
            });
    } catch (error) {
        throw kubernetesError(`write Lease ${name} in ${namespace}`, error);
    }
    const key = `${namespace}/${name}`;
    if (beating.has(key)) return;
    const end = Date.now() + LONGEST_MS;
    const timer = setInterval(async () => {
        if (Date.now() > end || !(await engineLives())) {
            clearInterval(timer);
            return;
        }
        // One beat may get lost.
        await patch(cluster, place, { spec: await leaseSpec() }).catch(() => {});
    }, BEAT_MS);
    timer.unref();
    beating.set(key, timer);
}

/** Says that the installation of that guard is finished. */
export async function announceFinished(
    cluster: Cluster,
    place: ReleasePlace,
    finished: string,
): Promise<void> {
    try {
        await patch(cluster, place, { metadata: { annotations: { [finishedKey]: finished } } });
    } catch (error) {
        throw kubernetesError(`write Lease ${leaseName(place)} in ${place.namespace}`, error);
    }
}

/** Removes the mark, with the release. */
export async function removeMark(cluster: Cluster, place: ReleasePlace): Promise<void> {
    const { namespace } = place;
    clearInterval(beating.get(`${namespace}/${leaseName(place)}`));
    await orUndefined(
        `remove Lease ${leaseName(place)} in ${namespace}`,
        cluster.leases.deleteNamespacedLease({ name: leaseName(place), namespace }),
    );
}

/**
 * Who else is at work on the release: watches for 12 s whether a sign of life comes, unless the run's process is known to
 * have ended. Clocks are not compared.
 * @param mark as it was read a moment ago
 */
export async function livingRun(
    cluster: Cluster,
    place: ReleasePlace,
    mark: RunMark | undefined,
    silence = SILENCE_MS,
): Promise<string | undefined> {
    if (!mark || mark.holder === self || hasEnded(mark.process)) return undefined;
    const end = Date.now() + silence;
    while (Date.now() < end) {
        await sleep(Math.min(1000, silence));
        const now = await readMark(cluster, place);
        if (now && now.renewed !== mark.renewed && now.holder !== self) return now.holder;
    }
    return undefined;
}

const begunKey = "pulumi-fluss/begun";
const finishedKey = "pulumi-fluss/finished";
const processKey = "pulumi-fluss/process";

/** Releases for which this process gives signs of life. */
const beating = new Map<string, NodeJS.Timeout>();

function leaseName({ release }: ReleasePlace): string {
    return `pulumi-fluss-${release}`;
}

async function leaseSpec() {
    const { V1MicroTime } = await import("@kubernetes/client-node");
    const renewTime = new V1MicroTime(Date.now());
    return { holderIdentity: self, leaseDurationSeconds: Math.ceil(SILENCE_MS / 1000), renewTime };
}

async function patch(cluster: Cluster, place: ReleasePlace, body: object): Promise<void> {
    const { PatchStrategy, setHeaderOptions } = await import("@kubernetes/client-node");
    await cluster.leases.patchNamespacedLease(
        { name: leaseName(place), namespace: place.namespace, body },
        setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
}

/**
 * The engine gives its address as the first argument. A process that it started may outlive it when it is killed alone,
 * and does nothing then.
 */
async function engineLives(): Promise<boolean> {
    const [, port] = /^127\.0\.0\.1:(\d+)$/.exec(process.argv[2] ?? "") ?? [];
    if (port === undefined) return true;
    return new Promise((done) => {
        const socket = net.connect(Number(port), "127.0.0.1");
        const settle = (lives: boolean) => {
            socket.destroy();
            done(lives);
        };
        socket.once("connect", () => settle(true));
        socket.once("error", () => settle(false));
    });
}
