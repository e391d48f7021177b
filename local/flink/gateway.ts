import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { type ClientOptions, RestClient } from "./http.ts";
import { type FlinkRest, terminalStates } from "./rest.ts";

/** A row, and what it does to the result so far: INSERT, UPDATE_BEFORE, UPDATE_AFTER or DELETE. */
export interface SqlRow {
    kind: string;
    /** In the order of the columns. DECIMAL and BIGINT are numbers, dates and times text, BYTES base64. */
    fields: unknown[];
}

export interface SqlResult {
    columns: { name: string; type: string }[];
    rows: SqlRow[];
    /** False for a statement without a result (DDL, SET), of which the gateway makes one row `OK`. */
    hasContent: boolean;
    /** The Flink job behind it, when there is one. */
    jobId?: string;
    /** False when `until` ended the reading. */
    complete: boolean;
}

/** How one statement is run. */
export interface Execution {
    /** Seconds until its last row, or until `until` is content; default 90. */
    deadlineSeconds?: number;
    /** Ends the reading of a result that has no end; the job behind it is cancelled then. */
    until?: (rows: readonly SqlRow[]) => boolean;
    /** Name of the Flink job; a made-up one by default. */
    jobName?: string;
}

/** Flink 1.20's SQL gateway (REST v1). */
export class SqlGateway {
    readonly #http: RestClient;
    readonly #flink: FlinkRest;

    /**
     * @param url as `http://127.0.0.1:27085`
     * @param flink the cluster that the gateway submits to: the gateway's own cancel leaves the job running and
     * its slots taken, so jobs are cancelled there
     */
    constructor(url: string, flink: FlinkRest, options: ClientOptions = {}) {
        this.#http = new RestClient(url, options);
        this.#flink = flink;
    }

    /**
     * Opens a session; catalogs and temporary tables live only in it.
     * @param properties Flink options of the session, as `execution.runtime-mode`
     */
    async openSession(properties: Record<string, string> = {}): Promise<SqlSession> {
        const call = { attempt: "The SQL gateway did not open a session", body: { properties } };
        const { sessionHandle } = await this.#http.call("POST", "/v1/sessions", sessionOpened, call);
        return new SqlSession(this.#http, this.#flink, sessionHandle);
    }
}

/** One session; its statements run one after the other. Close it: the gateway keeps it for ten minutes otherwise. */
export class SqlSession {
    readonly #http: RestClient;
    readonly #flink: FlinkRest;
    readonly #path: string;

    constructor(http: RestClient, flink: FlinkRest, handle: string) {
        this.#http = http;
        this.#flink = flink;
        this.#path = `/v1/sessions/${handle}`;
    }

    /**
     * Runs one statement and reads its whole result. An INSERT returns when its job is submitted, or when it has
     * ended if the session has `table.dml-sync` on.
     * @throws FlinkError with the innermost cause; past the deadline its job is cancelled
     */
    async execute(statement: string, options: Execution = {}): Promise<SqlResult> {
        const attempt = `The SQL gateway did not run ${shortened(this.#http.clean(statement))}`;
        const seconds = options.deadlineSeconds ?? 90;
        const jobName = options.jobName ?? `sql-${randomUUID()}`;
        const submission = { statement, executionConfig: { "pipeline.name": jobName } };
        const deadline = performance.now() + seconds * 1000;
        const call = { attempt, body: submission, deadlineSeconds: seconds };
        const answer = await this.#http.call("POST", `${this.#path}/statements`, statementTaken, call);
        const operation = `${this.#path}/operations/${answer.operationHandle}`;
        const result: SqlResult = { columns: [], rows: [], hasContent: false, complete: false };
        try {
            for await (const page of this.#pages(operation, attempt)) {
                collect(result, page);
                if (options.until?.(result.rows) === true) break;
                if (result.complete) return result;
                if (performance.now() > deadline) {
                    const reason = `not finished within ${seconds} s; ${result.rows.length} rows were read`;
                    throw this.#http.failure(attempt, { status: 0, type: "", reason });
                }
            }
            await this.#cancel(result.jobId, jobName);
            return result;
        } catch (error) {
            // What went wrong first is what the caller has to know.
            await this.#cancel(result.jobId, jobName).catch(() => undefined);
            throw error;
        } finally {
            // Frees what the gateway holds for it. A failure changes nothing for the caller.
            const close = { attempt: "The SQL gateway did not close an operation" };
            await this.#http.call("DELETE", `${operation}/close`, z.unknown(), close).catch(() => undefined);
        }
    }

    async close(): Promise<void> {
        await this.#http.call("DELETE", this.#path, z.unknown(), {
            attempt: "The SQL gateway did not close a session",
        });
    }

    /** Page by page, without end for a streaming query; an empty page means that nothing new is there yet. */
    async *#pages(operation: string, attempt: string): AsyncGenerator<z.infer<typeof resultPage>> {
        let path = `${operation}/result/0`;
        for (;;) {
            const page = await this.#http.call("GET", `${path}?rowFormat=JSON`, resultPage, { attempt });
            yield page;
            if (page.resultType === "EOS") return;
            const token = /\/result\/(\d+)/.exec(page.nextResultUri ?? "")?.[1];
            if (page.resultType === "PAYLOAD" && token !== undefined) path = `${operation}/result/${token}`;
            if ((page.results?.data.length ?? 0) === 0) await sleep(50);
        }
    }

    /** Without a known id (the statement failed or is still being submitted) the job is found by its name. */
    async #cancel(jobId: string | undefined, jobName: string): Promise<void> {
        const running = (await this.#flink.jobs()).filter((job) => !terminalStates.includes(job.state));
        const ours = running.filter((job) => job.id === jobId || job.name === jobName);
        await Promise.all(ours.map((job) => this.#flink.cancel(job.id)));
    }
}

const sessionOpened = z.object({ sessionHandle: z.string() });
const statementTaken = z.object({ operationHandle: z.string() });
const resultPage = z.object({
    resultType: z.enum(["NOT_READY", "PAYLOAD", "EOS"]),
    resultKind: z.string().nullish(),
    jobID: z.string().nullish(),
    nextResultUri: z.string().nullish(),
    results: z
        .object({
            columns: z.array(z.object({ name: z.string(), logicalType: z.object({ type: z.string() }) })),
            data: z.array(z.object({ kind: z.string(), fields: z.array(z.unknown()) })),
        })
        .nullish(),
});

function collect(result: SqlResult, page: z.infer<typeof resultPage>): void {
    result.complete = page.resultType === "EOS";
    if (page.resultKind === "SUCCESS_WITH_CONTENT") result.hasContent = true;
    if (page.jobID) result.jobId = page.jobID;
    if (!page.results) return;
    result.columns = page.results.columns.map(({ name, logicalType }) => ({ name, type: logicalType.type }));
    for (const row of page.results.data) result.rows.push(row);
}

function shortened(statement: string): string {
    const line = statement.replace(/\s+/g, " ").trim();
    return line.length <= 160 ? line : `${line.slice(0, 159)}…`;
}
