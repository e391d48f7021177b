import * as z from "zod";
import { tieredCluster } from "../../model/engine-rules.ts";
import { sha256Of } from "../client-jars/sha256.ts";
import type { ResourceDefinition } from "../resource.ts";
import { unknown } from "../unknown.ts";
import { clusterSchema, FlinkCluster } from "./cluster.ts";
import { type JobProgram, type SessionJobOutputs, sessionJobInputs } from "./session-job.ts";
import { sessionJobCalls, sessionJobFaults, sessionJobFields } from "./session-job-resource.ts";
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

const fields: ResourceDefinition<Inputs, SessionJobOutputs>["fields"] = {
    // Only the content counts: two people's checkouts lie in different folders.
    jar: "ignore",
    sha256: "update",
    entryClass: "update",
    args: "update",
    ...sessionJobFields,
};

/** A JAR that runs in a session cluster, uploaded and started over Flink's REST API (Flink 1.20.3 observed). */
export const flinkJarJob: ResourceDefinition<Inputs, SessionJobOutputs> = {
    kind: "Flink JAR job",
    inputs,
    fields,
    secretInputs: ["args"],

    async review({ new: wanted, known }) {
        const options = known("flinkConfiguration") ? wanted.flinkConfiguration : {};
        const faults = sessionJobFaults(wanted, options);
        if (!known("jar")) return { faults, inputs: { sha256: unknown } };
        try {
            return { faults, inputs: { sha256: await sha256Of(wanted.jar) } };
        } catch (error) {
            return { faults: [...faults, (error as Error).message.replace(/^source: /, "jar: ")] };
        }
    },

    ...sessionJobCalls(fields, programOf),
};

function programOf(wanted: Inputs): JobProgram {
    const { args, mark, name } = wanted;
    // Names of arguments are no secrets, and errors would lose their sense without them.
    const cluster = new FlinkCluster(wanted.cluster, () => args.filter((word) => !word.startsWith("--")));
    const tiered = tieredCluster(wanted.jar, args.join(" "));
    return {
        cluster,
        beforeStart:
            tiered === undefined ? undefined : () => refuseSecondTiering(cluster, { name, mark, tiered }),
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
