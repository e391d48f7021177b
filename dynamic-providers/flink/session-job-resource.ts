import { isDeepStrictEqual } from "node:util";
import type { Change, Effect, ResourceDefinition } from "../resource.ts";
import type { ClusterInputs } from "./cluster.ts";
import {
    bringJob,
    idOf,
    type JobProgram,
    needsJobUpdate,
    observeJob,
    removeJobs,
    type SessionJobInputs,
    type SessionJobOutputs,
} from "./session-job.ts";

/** What a change of the cluster, or of an input that every job has, does. */
export const sessionJobFields = {
    // Another cluster has another job; the old one must not go on there.
    cluster: ({ old, new: wanted }: Change<ClusterInputs>): Effect =>
        old?.url === wanted?.url ? "ignore" : "replace",
    executionMode: "update",
    name: "replace",
    parallelism: "update",
    flinkConfiguration: "update",
    state: "update",
    restart: "ignore",
    restartTrigger: "update",
    savepointDirectory: "ignore",
    healthySeconds: "ignore",
    timeoutSeconds: "ignore",
    mark: "replace",
} as const;

type Definition<I extends SessionJobInputs> = ResourceDefinition<I, SessionJobOutputs>;

/** The calls of a resource that is a job of a session cluster, whatever it runs. */
export function sessionJobCalls<I extends SessionJobInputs>(
    fields: Definition<I>["fields"],
    programOf: (inputs: I) => JobProgram,
): Required<Pick<Definition<I>, "needsUpdate" | "create" | "read" | "update" | "delete">> {
    // The other updates say whether and when it runs, and not what.
    const definition = (Object.keys(fields) as (keyof I)[]).filter(
        (field) => fields[field] === "update" && field !== "state" && field !== "restartTrigger",
    );
    return {
        needsUpdate: needsJobUpdate,

        async create(wanted) {
            const job = { ...programOf(wanted), wanted, changed: false };
            return { id: idOf(wanted), outputs: await bringJob(job, undefined) };
        },

        async read(_id, state) {
            return { outputs: await observeJob(programOf(state).cluster, state) };
        },

        async update(_id, state, wanted) {
            const changed = definition.some((field) => !isDeepStrictEqual(state[field], wanted[field]));
            return bringJob({ ...programOf(wanted), wanted, changed }, state);
        },

        async delete(_id, state) {
            await removeJobs({ ...programOf(state), wanted: state }, state.jobId);
        },
    };
}

/**
 * What is wrong with the inputs together.
 * @param options the Flink options, once they are known
 * @param own options that arguments of this kind of job set besides, with the argument's name
 */
export function sessionJobFaults(
    { restart, restartTrigger }: SessionJobInputs,
    options: Record<string, string>,
    own: Record<string, string> = {},
): string[] {
    const faults = Object.entries({ ...commonOptions, ...own })
        .filter(([key]) => key in options)
        .map(([key, field]) => `flinkConfiguration["${key}"]: is set by the argument ${field}`);
    if (restart === "NEVER" && restartTrigger !== undefined) {
        faults.unshift('restartTrigger asks for restarts, and restart: "NEVER" for none: give one of them');
    }
    return faults;
}

const commonOptions = {
    "pipeline.name": "name",
    "execution.runtime-mode": "executionMode",
    "execution.state-recovery.path": "restart",
    "execution.savepoint.path": "restart",
};
