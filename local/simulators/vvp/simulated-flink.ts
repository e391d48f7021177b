import { randomBytes } from "node:crypto";
import { FlinkError } from "../../flink/index.ts";
import type { FlinkBackend, FlinkJob, JarRun, PythonRun, SqlResult } from "./flink-backend.ts";
import { SimulatedCatalogs } from "./simulated-sql.ts";
import { kindOf } from "./sql-text.ts";

/** A Flink in memory, with what a test may look at and order. */
export interface SimulatedFlink extends FlinkBackend {
    /** Statements in the order in which they came, with secrets put in. */
    readonly statements: string[];
    /** Options of the sessions that were opened. */
    readonly sessions: Record<string, string>[];
    readonly jarRuns: JarRun[];
    readonly pythonRuns: PythonRun[];
    /** Ids of the jobs, oldest first. */
    readonly jobIds: string[];
    /** Statements that fit `pattern` answer this from now on; the latest order that fits wins. */
    answer(pattern: RegExp, answer: { columns: string[]; rows: unknown[][] } | FlinkError): void;
    /** The next start of a job is refused with this message. */
    refuseNextStart(message: string): void;
    /** The next savepoint fails with this message; the job goes on. */
    failNextSavepoint(message: string): void;
    /** The job ends as FAILED with this exception. */
    fail(jobId: string, message: string): void;
    /** The job fails and restarts, and does not get all its tasks running again until `recover`. */
    restart(jobId: string, message: string): void;
    recover(jobId: string): void;
    /** The job ends as FINISHED. */
    finish(jobId: string): void;
    /** Forgets all jobs and sessions, as a restarted cluster does. */
    forgetAll(): void;
    /** While false, nothing answers. */
    reachable: boolean;
}

/**
 * A Flink for tests of what stands in front of it: jobs run after `pollsUntilRunning` looks at them (default 1) and end
 * when told; SQL knows catalogs, databases and tables by name.
 */
export function simulatedFlink(options: { pollsUntilRunning?: number } = {}): SimulatedFlink {
    const jobs = new Map<
        string,
        { job: FlinkJob; polls: number; name: string | undefined; started: number }
    >();
    const answers: { pattern: RegExp; answer: { columns: string[]; rows: unknown[][] } | FlinkError }[] = [];
    const catalogs = new SimulatedCatalogs();
    let refusal: string | undefined;
    let savepointFailure: string | undefined;
    let savepoints = 0;
    let generation = 0;

    const submit = (name: string | undefined): string => {
        if (refusal !== undefined) {
            const reason = refusal;
            refusal = undefined;
            throw failure("org.apache.flink.client.program.ProgramInvocationException", reason, 500);
        }
        const id = randomBytes(16).toString("hex");
        const job = { state: "INITIALIZING", allVerticesRunning: false, restarts: 0 };
        jobs.set(id, { job, polls: options.pollsUntilRunning ?? 1, name, started: Date.now() });
        flink.jobIds.push(id);
        return id;
    };
    const known = (id: string): FlinkJob => {
        const found = jobs.get(id);
        if (!found)
            throw failure("org.apache.flink.runtime.rest.NotFoundException", `Job ${id} not found`, 404);
        return found.job;
    };
    const end = (id: string, state: string) => {
        const job = known(id);
        if (!ENDED.includes(job.state)) job.state = state;
        job.allVerticesRunning = false;
    };
    const reach = () => {
        if (!flink.reachable) throw failure("", "connect ECONNREFUSED", 0);
    };

    const flink: SimulatedFlink = {
        statements: [],
        sessions: [],
        jarRuns: [],
        pythonRuns: [],
        jobIds: [],
        reachable: true,
        answer: (pattern, answer) => answers.unshift({ pattern, answer }),
        refuseNextStart: (message) => {
            refusal = message;
        },
        failNextSavepoint: (message) => {
            savepointFailure = message;
        },
        fail: (id, message) => {
            end(id, "FAILED");
            known(id).lastException = { message, at: Date.now() };
        },
        restart: (id, message) => {
            const job = known(id);
            job.restarts += 1;
            job.lastException = { message, at: Date.now() };
            job.state = "RESTARTING";
            job.allVerticesRunning = false;
        },
        recover: (id) => {
            known(id).state = "RUNNING";
            known(id).allVerticesRunning = true;
        },
        finish: (id) => end(id, "FINISHED"),
        forgetAll: () => {
            jobs.clear();
            generation += 1;
        },
        ping: async () => reach(),
        runJar: async (run) => {
            reach();
            flink.jarRuns.push(run);
            return submit(run.options["pipeline.name"]);
        },
        runPython: async (run) => {
            reach();
            flink.pythonRuns.push(run);
            return submit(run.options["pipeline.name"]);
        },
        openSession: async (properties) => {
            reach();
            flink.sessions.push(properties);
            const opened = generation;
            const own = new Set<string>();
            let inSet = false;
            return {
                execute: async (statement): Promise<SqlResult> => {
                    reach();
                    if (opened !== generation) {
                        const type = "org.apache.flink.table.gateway.service.utils.SqlGatewayException";
                        throw failure(type, "Session '0' does not exist.", 500);
                    }
                    flink.statements.push(statement);
                    const ordered = answers.find(({ pattern }) => pattern.test(statement))?.answer;
                    if (ordered instanceof FlinkError) throw ordered;
                    if (ordered) return { ...ordered, hasContent: true };
                    const kind = kindOf(statement);
                    if (kind === "set-begin") inSet = true;
                    const starts = kind === "set-end" || (kind === "insert" && !inSet);
                    if (starts)
                        return {
                            columns: ["job id"],
                            rows: [],
                            hasContent: true,
                            jobId: submit(properties["pipeline.name"]),
                        };
                    return catalogs.run(statement, own) ?? { columns: [], rows: [], hasContent: false };
                },
                close: async () => undefined,
            };
        },
        job: async (id) => {
            reach();
            const found = jobs.get(id);
            if (!found) return undefined;
            if (found.job.state === "INITIALIZING" && found.polls-- <= 0) {
                found.job.state = "RUNNING";
                found.job.allVerticesRunning = true;
            }
            return { ...found.job };
        },
        findJob: async (name, since) => {
            reach();
            const ours = [...jobs].filter(([, job]) => job.name === name && job.started >= since);
            return ours.filter(([, { job }]) => !ENDED.includes(job.state)).at(-1)?.[0];
        },
        cancel: async (id) => {
            reach();
            end(id, "CANCELED");
        },
        stopWithSavepoint: async (id) => {
            const location = await flink.savepoint(id);
            end(id, "FINISHED");
            return location;
        },
        savepoint: async (id) => {
            reach();
            known(id);
            if (savepointFailure !== undefined) {
                const reason = savepointFailure;
                savepointFailure = undefined;
                throw failure("org.apache.flink.runtime.checkpoint.CheckpointException", reason, 500);
            }
            savepoints += 1;
            return `file:/savepoints/savepoint-${savepoints}`;
        },
    };
    return flink;
}

const ENDED = ["FAILED", "CANCELED", "FINISHED"];

function failure(type: string, reason: string, status: number): FlinkError {
    return new FlinkError("The simulated Flink refused", { status, type, reason });
}
