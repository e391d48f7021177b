import { randomUUID } from "node:crypto";
import type { Handler } from "../shared/index.ts";
import type { Context } from "./context.ts";
import { v1List } from "./dialect.ts";
import type { Event, Job, SessionCluster } from "./state.ts";

/** The event log of jobs and session clusters, as VVP 2 has one: each new state, and each failure with its message. */
export function eventHandlers({ store }: Context): Record<string, Handler> {
    return {
        listEvents: (call) => {
            const asked = (["deploymentId", "jobId", "sessionClusterId"] as const)
                .map((key) => [key, call.query.get(key)] as const)
                .filter(([, value]) => value !== null);
            const wanted = store.state.events
                .filter((event) => event.namespace === call.params["namespace"])
                .filter((event) => asked.every(([key, value]) => event[key] === value));
            return v1List("Event", wanted.map(show));
        },
    };
}

/** Notes where a job is, unless that was noted last. */
export function noteJob(context: Context, job: Job): void {
    const { jobId, deploymentId, namespace, status, failure } = job;
    note(context, { namespace, deploymentId, jobId }, `JOB_${status}`, failure);
}

/** Notes where a session cluster is, unless that was noted last. */
export function noteCluster(context: Context, cluster: SessionCluster): void {
    const { id, namespace, status } = cluster;
    note(context, { namespace, sessionClusterId: id }, `SESSION_CLUSTER_${status.state}`, status.failure);
}

type Of = Pick<Event, "namespace" | "deploymentId" | "jobId" | "sessionClusterId">;

function note(
    { store }: Context,
    of: Of,
    name: string,
    failure: { reason: string; message: string } | undefined,
): void {
    const { events } = store.state;
    const message = failure ? `${failure.reason}: ${failure.message}` : "";
    const last = events.findLast(
        (event) => event.jobId === of.jobId && event.sessionClusterId === of.sessionClusterId,
    );
    if (last?.name === name && last.message === message) return;
    events.push({ id: randomUUID(), ...of, name, message, createdAt: new Date().toISOString() });
    if (events.length > most) events.splice(0, events.length - most);
}

const most = 500;

function show({ id, namespace, name, message, createdAt, deploymentId, jobId, sessionClusterId }: Event) {
    return {
        apiVersion: "v1",
        kind: "Event",
        metadata: { id, namespace, name, createdAt, deploymentId, jobId, sessionClusterId },
        spec: { message },
    };
}
