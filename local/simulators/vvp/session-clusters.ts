import { isDeepStrictEqual } from "node:util";
import { type Handler, Refusal } from "../shared/index.ts";
import type { Context } from "./context.ts";
import { findNamed, mergePatch, metadataOf, refuseTaken, v1List } from "./dialect.ts";
import { noteCluster } from "./events.ts";
import { isActive } from "./jobs.ts";
import { type Job, newNamed, type SessionCluster, type SessionClusterSpec, touch } from "./state.ts";

interface Body {
    metadata: {
        name: string;
        labels?: Record<string, string> | null;
        annotations?: Record<string, string> | null;
    };
    spec: SessionClusterSpec;
}

/**
 * Session clusters: STOPPED -> STARTING -> RUNNING (so many reads later, when Flink answers), engines with `jdk17` in their
 * name fail (quickstart). While a cluster is not STOPPED only `state` and `numberOfTaskManagers` may change, and only a
 * STOPPED or FAILED one can be deleted (VVP 2 documentation).
 */
export function sessionClusterHandlers(context: Context): Record<string, Handler> {
    const { store } = context;
    const clusters = store.state.sessionClusters;
    const show = (cluster: SessionCluster) => ({
        apiVersion: "v1",
        kind: "SessionCluster",
        metadata: metadataOf(cluster, context.workspace),
        spec: cluster.spec,
        status: cluster.status,
    });
    return {
        listSessionClusters: async (call) => {
            const mine = clusters.filter((cluster) => cluster.namespace === call.params["namespace"]);
            for (const cluster of mine) await advance(context, cluster);
            return v1List("SessionCluster", mine.map(show));
        },
        createSessionCluster: (call) => {
            const { metadata, spec } = call.body as Body;
            const namespace = call.params["namespace"]!;
            refuseTaken(clusters, namespace, metadata.name, "session cluster");
            refuseUnknownTarget(context, namespace, spec.deploymentTargetName);
            const record = newNamed(namespace, metadata, withDefaults(spec));
            const cluster: SessionCluster = { ...record, status: { state: "STOPPED" }, readsLeft: 0 };
            if (spec.state === "RUNNING") begin(context, cluster, "STARTING");
            clusters.push(cluster);
            noteCluster(context, cluster);
            store.save();
            return { status: 201, body: show(cluster) };
        },
        getSessionCluster: async (call) => {
            const cluster = findNamed(clusters, call, "session cluster");
            await advance(context, cluster);
            return { status: 200, body: show(cluster) };
        },
        patchSessionCluster: (call) => {
            const cluster = findNamed(clusters, call, "session cluster");
            const body = call.body as {
                metadata?: Partial<Body["metadata"]>;
                spec?: Partial<SessionClusterSpec>;
            };
            const spec = mergePatch(cluster.spec, body.spec ?? {}) as SessionClusterSpec;
            refuseFrozen(cluster, spec);
            refuseUnknownTarget(context, cluster.namespace, spec.deploymentTargetName);
            if (spec.state === "STOPPED" && isUp(cluster)) refuseBusy(context, cluster);
            const before = cluster.spec;
            cluster.spec = spec;
            cluster.labels = mergePatch(cluster.labels, body.metadata?.labels ?? {}) as Record<
                string,
                string
            >;
            cluster.annotations = mergePatch(cluster.annotations, body.metadata?.annotations ?? {}) as Record<
                string,
                string
            >;
            touch(cluster);
            if (spec.state === "RUNNING" && !isUp(cluster)) begin(context, cluster, "STARTING");
            else if (spec.state === "STOPPED" && isUp(cluster)) begin(context, cluster, "STOPPING");
            else if (isUp(cluster) && before.numberOfTaskManagers !== spec.numberOfTaskManagers) {
                begin(context, cluster, "UPDATING");
            } else if (spec.state === "STOPPED" && cluster.status.state === "FAILED")
                cluster.status = { state: "STOPPED" };
            noteCluster(context, cluster);
            store.save();
            return { status: 200, body: show(cluster) };
        },
        deleteSessionCluster: (call) => {
            const cluster = findNamed(clusters, call, "session cluster");
            if (cluster.status.state !== "STOPPED" && cluster.status.state !== "FAILED") {
                throw new Refusal(
                    409,
                    `session cluster ${cluster.name} is ${cluster.status.state}: stop it before it is deleted`,
                );
            }
            clusters.splice(clusters.indexOf(cluster), 1);
            store.save();
            return { status: 200, body: show(cluster) };
        },
    };
}

/** What the platform does after some idle time: the cluster stops, its desired state stays RUNNING. */
export function stopIdle(context: Context, namespace: string, name: string): void {
    const cluster = context.store.state.sessionClusters.find(
        (c) => c.namespace === namespace && c.name === name,
    );
    if (!cluster) throw new Error(`no session cluster ${name} in namespace ${namespace}`);
    cluster.status = { state: "STOPPED" };
    noteCluster(context, cluster);
    context.store.save();
}

function isUp(cluster: SessionCluster): boolean {
    return ["STARTING", "RUNNING", "UPDATING"].includes(cluster.status.state);
}

function withDefaults(spec: SessionClusterSpec): SessionClusterSpec {
    return {
        numberOfTaskManagers: 1,
        // Quickstart: JobManager 1 core and 4 GiB, TaskManager 2 cores and 8 GiB.
        resources: { jobmanager: { cpu: 1, memory: "4GiB" }, taskmanager: { cpu: 2, memory: "8GiB" } },
        ...spec,
    };
}

function begin(context: Context, cluster: SessionCluster, state: "STARTING" | "STOPPING" | "UPDATING"): void {
    cluster.status = { state };
    cluster.readsLeft = context.transitionReads;
}

/** Time passes with reads, so that tests need no clock. */
async function advance(context: Context, cluster: SessionCluster): Promise<void> {
    const { state } = cluster.status;
    if (state === "RUNNING" && isIdle(context, cluster)) stopIdle(context, cluster.namespace, cluster.name);
    if (state !== "STARTING" && state !== "STOPPING" && state !== "UPDATING") return;
    if (cluster.readsLeft > 0) {
        cluster.readsLeft -= 1;
        return;
    }
    const now = new Date().toISOString();
    if (state === "STOPPING") cluster.status = { state: "STOPPED" };
    else {
        const fault = await startFault(context, cluster);
        cluster.status = fault
            ? { state: "FAILED", failure: { ...fault, failedAt: now, isRecoverable: false } }
            : { state: "RUNNING", running: { startedAt: now, lastUpdateTime: now } };
    }
    noteCluster(context, cluster);
    context.store.save();
}

async function startFault(
    context: Context,
    cluster: SessionCluster,
): Promise<{ reason: string; message: string } | undefined> {
    const { versionName } = cluster.spec;
    if (!context.engineVersions.some((version) => version.engineVersion === versionName)) {
        return { reason: "UnknownEngineVersion", message: `engine version ${versionName} is not available` };
    }
    if (versionName.includes("jdk17")) {
        return {
            reason: "StartFailed",
            message: `a session cluster does not start on ${versionName} on this platform release`,
        };
    }
    try {
        await context.flink.ping();
        return undefined;
    } catch (error) {
        return { reason: "FlinkUnreachable", message: (error as Error).message };
    }
}

function refuseUnknownTarget(context: Context, namespace: string, name: string): void {
    if (context.store.state.targets.some((target) => target.namespace === namespace && target.name === name))
        return;
    throw new Refusal(400, `deployment target ${name} does not exist in namespace ${namespace}`);
}

function refuseFrozen(cluster: SessionCluster, spec: SessionClusterSpec): void {
    if (cluster.status.state === "STOPPED" || cluster.status.state === "FAILED") return;
    const free = ["state", "numberOfTaskManagers"];
    const changed = [...new Set([...Object.keys(spec), ...Object.keys(cluster.spec)])].filter(
        (key) => !free.includes(key) && !isDeepStrictEqual(spec[key], cluster.spec[key]),
    );
    if (changed.length === 0) return;
    throw new Refusal(
        409,
        `session cluster ${cluster.name} is ${cluster.status.state}: only state and numberOfTaskManagers can change, ` +
            `stop it to change ${changed.join(", ")}`,
    );
}

function isIdle(context: Context, cluster: SessionCluster): boolean {
    const jobs = jobsOn(context, cluster);
    if (jobs.some(isActive)) return false;
    const started = Date.parse(cluster.status.running?.startedAt ?? "");
    const used = Math.max(started, ...jobs.map((job) => job.endTime ?? job.startTime));
    return Date.now() - used > context.idleSeconds * 1000;
}

function jobsOn({ store }: Context, { namespace, name }: SessionCluster): Job[] {
    return store.state.jobs.filter(
        ({ namespace: its, body: { deploymentTarget } }) =>
            its === namespace && deploymentTarget.mode === "SESSION" && deploymentTarget.name === name,
    );
}

function refuseBusy(context: Context, cluster: SessionCluster): void {
    const busy = jobsOn(context, cluster).filter(isActive);
    if (busy.length === 0) return;
    const names = busy.map((job) => job.body.name).join(", ");
    throw new Refusal(409, `session cluster ${cluster.name} still runs jobs of ${names}: stop them first`);
}
