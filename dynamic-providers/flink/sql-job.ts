import * as z from "zod";
import { faultLine } from "../../model/faults.ts";
import { readSqlJob } from "../../model/sql-script.ts";
import { catalogSecrets, GatewayClient, gatewayFields } from "../flink-sql/gateway-client.ts";
import type { ResourceDefinition } from "../resource.ts";
import { clusterSchema, FlinkCluster } from "./cluster.ts";
import { type JobProgram, type SessionJobOutputs, sessionJobInputs } from "./session-job.ts";
import { sessionJobCalls, sessionJobFaults, sessionJobFields } from "./session-job-resource.ts";

const catalogSchema = z.strictObject({
    name: z.string().min(1),
    options: z.record(z.string(), z.string()),
});

const inputs = z.strictObject({
    gateway: z.strictObject(gatewayFields),
    cluster: clusterSchema,
    catalogs: z.array(catalogSchema).default([]),
    sql: z.string().min(1),
    ...sessionJobInputs,
});

type Inputs = z.output<typeof inputs>;

const fields: ResourceDefinition<Inputs, SessionJobOutputs>["fields"] = {
    gateway: "ignore",
    catalogs: "update",
    sql: "update",
    ...sessionJobFields,
};

/** A job of Flink SQL in a session cluster, submitted through a SQL gateway (Flink 1.20.3 observed). */
export const flinkSqlJob: ResourceDefinition<Inputs, SessionJobOutputs> = {
    kind: "Flink SQL job",
    inputs,
    fields,
    secretInputs: ["catalogs", "sql"],

    review({ new: wanted, known }) {
        const options = known("flinkConfiguration") ? wanted.flinkConfiguration : {};
        const own = { "parallelism.default": "parallelism", [fixedJobId]: "name" };
        const faults = sessionJobFaults(wanted, options, own);
        if (known("sql")) faults.push(...readSqlJob(wanted.sql, "gateway").faults.map(faultLine));
        if ("table.dml-sync" in options) {
            faults.push(
                'flinkConfiguration["table.dml-sync"]: would keep the gateway waiting for the end of the job; leave it out, a batch job is waited for anyway',
            );
        }
        return { faults };
    },

    ...sessionJobCalls(fields, programOf),
};

function programOf(wanted: Inputs): JobProgram {
    const secrets = catalogSecrets(wanted.catalogs);
    return {
        cluster: new FlinkCluster(wanted.cluster, () => secrets),
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
