import { FlinkRest, SqlGateway, terminalStates } from "../../flink/index.ts";
import type { FlinkBackend, FlinkJob, SqlResult } from "./flink-backend.ts";

/**
 * A session cluster and its SQL gateway as backend.
 * @param restUrl of the JobManager, as `http://127.0.0.1:27082`
 * @param gatewayUrl of the SQL gateway, as `http://127.0.0.1:27085`
 */
export function realFlink(restUrl: string, gatewayUrl: string): FlinkBackend {
    const rest = new FlinkRest(restUrl);
    const gateway = new SqlGateway(gatewayUrl, rest);
    return {
        ping: async () => {
            await rest.slots();
        },
        runJar: async ({ file, options, ...run }) => {
            const jar = await rest.uploadJar(file);
            try {
                return await rest.runJar(jar, { ...run, configuration: options });
            } finally {
                // The job has its own copy by now; Flink would keep each upload until its end.
                await rest.deleteJar(jar).catch(() => undefined);
            }
        },
        openSession: async (options) => {
            const session = await gateway.openSession(options);
            const jobName = options["pipeline.name"];
            return {
                execute: async (statement) => {
                    const { columns, rows, jobId } = await session.execute(statement, { jobName });
                    const names = columns.map(({ name }) => name);
                    return withoutOk({ columns: names, rows: rows.map(({ fields }) => fields), jobId });
                },
                // A session that is gone needs no closing.
                close: () => session.close().catch(() => undefined),
            };
        },
        job: (id) => look(rest, id),
        findJob: async (name, since) => {
            const ours = (await rest.jobs()).filter((job) => job.name === name && job.started >= since);
            const unfinished = ours.filter((job) => !terminalStates.includes(job.state));
            return unfinished.sort((a, b) => b.started - a.started)[0]?.id;
        },
        cancel: (id) => rest.cancel(id),
        stopWithSavepoint: (id, options) => rest.stopWithSavepoint(id, options),
        savepoint: (id) => rest.savepoint(id),
    };
}

async function look(rest: FlinkRest, id: string): Promise<FlinkJob | undefined> {
    const detail = await rest.job(id);
    if (!detail) return undefined;
    // The details are some seconds old, the state is of this moment.
    const state = await rest.state(id);
    const { vertices } = detail;
    const exceptions = await rest.exceptions(id);
    const last = exceptions[0];
    return {
        state,
        allVerticesRunning:
            state === "RUNNING" &&
            vertices.length > 0 &&
            vertices.every((vertex) => vertex.state === "RUNNING"),
        // The failure that ends a job is no restart.
        restarts: Math.max(0, exceptions.length - (state === "FAILED" ? 1 : 0)),
        ...(last ? { lastException: { message: `${last.type}: ${last.reason}`, at: last.time } } : {}),
    };
}

/** DDL and SET answer one row `OK` in a column `result`. */
function withoutOk(result: Omit<SqlResult, "hasContent">): SqlResult {
    const isOk =
        result.columns.length === 1 &&
        result.columns[0] === "result" &&
        result.rows.length === 1 &&
        result.rows[0]?.[0] === "OK";
    return isOk ? { ...result, columns: [], rows: [], hasContent: false } : { ...result, hasContent: true };
}
