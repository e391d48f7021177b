import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { tieredCluster } from "../../model/engine-rules.ts";
import type { ResourceDefinition } from "../resource.ts";
import { unknown } from "../unknown.ts";
import { sha256Of } from "../vvp/artifact-file.ts";
import { clusterSchema, FlinkCluster } from "./cluster.ts";
import {
    bringJob,
    idOf,
    needsJobUpdate,
    observeJob,
    removeJobs,
    type SessionJob,
    type SessionJobOutputs,
    sessionJobFaults,
    sessionJobInputs,
} from "./session-job.ts";
import { refuseSecondTiering } from "./tiering-guard.ts";

const inputs = z.strictObject({
    cluster: clusterSchema,
    jar: z.string().min(1),
    /** SHA-256 of the file. Filled in here, so that new content is seen; never set it. */
    sha256: z.string().optional(),
    entryClass: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    ...sessionJobInputs,
});

type Inputs = z.output<typeof inputs>;

/** A JAR that runs in a session cluster, uploaded and started over Flink's REST API (Flink 1.20.3 observed). */
export const flinkJarJob: ResourceDefinition<Inputs, SessionJobOutputs> = {
    kind: "Flink JAR job",
    inputs,
    fields: {
        // Another cluster has another job; the old one must not go on there.
        cluster: ({ old, new: wanted }) => (old?.url === wanted?.url ? "ignore" : "replace"),
        // Only the content counts: two people's checkouts lie in different folders.
        jar: "ignore",
        sha256: "update",
        entryClass: "update",
        args: "update",
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
    },
    secretInputs: ["args"],

    async review({ new: wanted, known }) {
        const faults = sessionJobFaults(wanted);
        if (known("flinkConfiguration")) faults.push(...optionFaults(wanted.flinkConfiguration));
        if (!known("jar")) return { faults, inputs: { sha256: unknown } };
        try {
            return { faults, inputs: { sha256: await sha256Of(wanted.jar) } };
        } catch (error) {
            return { faults: [...faults, (error as Error).message.replace(/^source: /, "jar: ")] };
        }
    },

    needsUpdate: needsJobUpdate,

    async create(wanted) {
        return { id: idOf(wanted), outputs: await bringJob(jobOf(wanted, false), undefined) };
    },

    async read(_id, state) {
        return { outputs: await observeJob(jobOf(state, false).cluster, state) };
    },

    async update(_id, state, wanted) {
        const definition = [
            "sha256",
            "entryClass",
            "args",
            "executionMode",
            "parallelism",
            "flinkConfiguration",
        ] as const;
        const changed = definition.some((field) => !isDeepStrictEqual(state[field], wanted[field]));
        return bringJob(jobOf(wanted, changed), state);
    },

    async delete(_id, state) {
        await removeJobs(jobOf(state, false), state.jobId);
    },
};

function jobOf(wanted: Inputs, changed: boolean): SessionJob {
    const { args, mark, name } = wanted;
    // Names of arguments are no secrets, and errors would lose their sense without them.
    const cluster = new FlinkCluster(wanted.cluster, () => args.filter((word) => !word.startsWith("--")));
    const tiered = tieredCluster(wanted.jar, args.join(" "));
    return {
        cluster,
        wanted,
        changed,
        ...(tiered === undefined
            ? {}
            : { beforeStart: () => refuseSecondTiering(cluster, { name, mark, tiered }) }),
        async submit(jobId, savepoint) {
            const jar = await cluster.uploadJar(wanted.jar);
            try {
                await cluster.runJar(jar, {
                    jobId,
                    args,
                    entryClass: wanted.entryClass,
                    parallelism: wanted.parallelism,
                    configuration: {
                        ...wanted.flinkConfiguration,
                        "pipeline.name": name,
                        "execution.runtime-mode": wanted.executionMode,
                    },
                    savepoint,
                });
            } finally {
                await cluster.deleteJar(jar);
            }
        },
    };
}

function optionFaults(options: Record<string, string>): string[] {
    const own: Record<string, string> = {
        "pipeline.name": "name",
        "execution.runtime-mode": "executionMode",
        "execution.state-recovery.path": "restart",
        "execution.savepoint.path": "restart",
    };
    return Object.entries(own)
        .filter(([key]) => key in options)
        .map(([key, field]) => `flinkConfiguration["${key}"]: is set by the argument ${field}`);
}
