import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { faultLine } from "../../model/faults.ts";
import { isSecretOption } from "../../model/show-create.ts";
import { readSqlJob } from "../../model/sql-script.ts";
import { GatewayClient } from "../flink-sql/gateway-client.ts";
import type { ResourceDefinition } from "../resource.ts";
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

const catalogSchema = z.strictObject({
    name: z.string().min(1),
    options: z.record(z.string(), z.string()),
});

const inputs = z.strictObject({
    gateway: z.strictObject({
        url: z.string().refine((url) => /^https?:\/\/[^/\s?#]+/.test(url), {
            error: "must be the base URL of a SQL gateway, like http://localhost:8083",
        }),
        deadlineSeconds: z.number().positive().optional(),
    }),
    cluster: clusterSchema,
    catalogs: z.array(catalogSchema).default([]),
    sql: z.string().min(1),
    ...sessionJobInputs,
});

type Inputs = z.output<typeof inputs>;

/** A job of Flink SQL in a session cluster, submitted through a SQL gateway (Flink 1.20.3 observed). */
export const flinkSqlJob: ResourceDefinition<Inputs, SessionJobOutputs> = {
    kind: "Flink SQL job",
    inputs,
    fields: {
        gateway: "ignore",
        // Another cluster has another job; the old one must not go on there.
        cluster: ({ old, new: wanted }) => (old?.url === wanted?.url ? "ignore" : "replace"),
        catalogs: "update",
        sql: "update",
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
    secretInputs: ["catalogs", "sql"],

    review({ new: wanted, known }) {
        const faults = sessionJobFaults(wanted);
        if (known("sql")) faults.push(...readSqlJob(wanted.sql, "gateway").faults.map(faultLine));
        if (known("flinkConfiguration")) faults.push(...optionFaults(wanted.flinkConfiguration));
        return { faults };
    },

    needsUpdate: needsJobUpdate,

    async create(wanted) {
        return { id: idOf(wanted), outputs: await bringJob(jobOf(wanted, false), undefined) };
    },

    async read(_id, state) {
        return { outputs: await observeJob(jobOf(state, false).cluster, state) };
    },

    async update(_id, state, wanted) {
        const definition = ["catalogs", "sql", "executionMode", "parallelism", "flinkConfiguration"] as const;
        const changed = definition.some((field) => !isDeepStrictEqual(state[field], wanted[field]));
        return bringJob(jobOf(wanted, changed), state);
    },

    async delete(_id, state) {
        await removeJobs(jobOf(state, false), state.jobId);
    },
};

function jobOf(wanted: Inputs, changed: boolean): SessionJob {
    const secrets = wanted.catalogs.flatMap(({ options }) =>
        Object.entries(options)
            .filter(([key, value]) => isSecretOption(key, value))
            .map(([, value]) => value),
    );
    return {
        cluster: new FlinkCluster(wanted.cluster, () => secrets),
        wanted,
        changed,
        submit: (jobId, savepoint) => submit(wanted, jobId, savepoint),
    };
}

/** A session of its own, since temporary tables and the mode live in it. The job goes on when it is closed. */
async function submit(wanted: Inputs, jobId: string, savepoint: string | undefined): Promise<void> {
    const { gateway, catalogs, parallelism, name } = wanted;
    const client = new GatewayClient({ ...gateway, catalogs });
    const { setup, insert } = readSqlJob(wanted.sql, "gateway").script;
    const session = await client.openSession({
        ...wanted.flinkConfiguration,
        "execution.runtime-mode": wanted.executionMode.toLowerCase(),
        ...(parallelism === undefined ? {} : { "parallelism.default": String(parallelism) }),
    });
    try {
        for (const [index, statement] of setup.entries()) {
            await client.run(session, statement, `prepare job '${name}' (statement ${index + 1})`);
        }
        await client.run(session, insert, `submit job '${name}'`, {
            "pipeline.name": name,
            [fixedJobId]: jobId,
            ...(savepoint === undefined ? {} : { "execution.state-recovery.path": savepoint }),
        });
    } finally {
        await client.closeSession(session);
    }
}

/** Flink's own option for the id of the next job (`PipelineOptionsInternal`; Flink 1.20.3 observed). */
const fixedJobId = "$internal.pipeline.job-id";

function optionFaults(options: Record<string, string>): string[] {
    const own: Record<string, string> = {
        "pipeline.name": "name",
        "execution.runtime-mode": "executionMode",
        "parallelism.default": "parallelism",
        "execution.state-recovery.path": "restart",
        "execution.savepoint.path": "restart",
        [fixedJobId]: "name",
    };
    const faults = Object.entries(own)
        .filter(([key]) => key in options)
        .map(([key, field]) => `flinkConfiguration["${key}"]: is set by the argument ${field}`);
    if ("table.dml-sync" in options) {
        faults.push(
            'flinkConfiguration["table.dml-sync"]: would keep the gateway waiting for the end of the job; leave it out, a batch job is waited for anyway',
        );
    }
    return faults;
}
