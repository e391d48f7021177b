import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FormData } from "undici";
import { z } from "zod";
import {
    jobOverview,
    savepointState,
    jobDetail as tasksOfJob,
} from "../../dynamic-providers/flink/answers.ts";
import { FlinkError, innermostCause } from "./failure.ts";
import { type ClientOptions, RestClient } from "./http.ts";

/** A JAR that was uploaded to the session cluster. */
export interface UploadedJar {
    id: string;
    name: string;
    /** Milliseconds since 1970. */
    uploaded: number;
    /** Main classes that its manifest names. */
    entryClasses: string[];
}

/** How a JAR is run; what is left out is the JAR's or the cluster's default. */
export interface RunJar {
    args: readonly string[];
    entryClass?: string;
    parallelism?: number;
    /** Flink options of this job alone, as `pipeline.name`. */
    configuration?: Record<string, string>;
    savepointPath?: string;
    allowNonRestoredState?: boolean;
}

/** A job as `GET /jobs/overview` lists it. */
export interface JobSummary {
    id: string;
    name: string;
    state: string;
    /** Milliseconds since 1970. */
    started: number;
}

/** A job and its tasks. */
export interface JobDetail {
    state: string;
    vertices: { name: string; state: string }[];
}

/** One failure in a job's history, told by its innermost cause. */
export interface JobException {
    /** Milliseconds since 1970. */
    time: number;
    type: string;
    reason: string;
}

/** States that a job never leaves. */
export const terminalStates: readonly string[] = ["FAILED", "CANCELED", "FINISHED", "SUSPENDED"];

/** Flink 1.20's REST API of a session cluster, as far as jobs and their JARs are concerned. */
export class FlinkRest {
    readonly url: string;
    readonly #http: RestClient;

    /** @param url of the JobManager, as `http://127.0.0.1:27082` */
    constructor(url: string, options: ClientOptions = {}) {
        this.#http = new RestClient(url, options);
        this.url = this.#http.url;
    }

    /** Slots of the cluster: all, and free ones. */
    async slots(): Promise<{ total: number; available: number }> {
        const call = { attempt: "Flink could not tell its slots" };
        const answer = await this.#http.call("GET", "/overview", overview, call);
        return { total: answer["slots-total"], available: answer["slots-available"] };
    }

    /**
     * @param name under which Flink lists it; default the file's own
     * @returns the id under which the JAR can be run; the same file uploaded twice has two ids
     */
    async uploadJar(file: string, name = path.basename(file)): Promise<string> {
        const form = new FormData();
        form.append("jarfile", await fs.openAsBlob(file, { type: "application/x-java-archive" }), name);
        const call = { attempt: `Flink did not take ${name}`, form, deadlineSeconds: 120 };
        const { filename } = await this.#http.call(
            "POST",
            "/jars/upload",
            z.object({ filename: z.string() }),
            call,
        );
        return path.posix.basename(filename);
    }

    async listJars(): Promise<UploadedJar[]> {
        const answer = await this.#http.call("GET", "/jars", jarList, {
            attempt: "Flink did not list its JARs",
        });
        return answer.files.map(({ id, name, uploaded, entry }) => {
            return { id, name, uploaded, entryClasses: entry.map(({ name: entryClass }) => entryClass) };
        });
    }

    async deleteJar(id: string): Promise<void> {
        const call = { attempt: `Flink did not delete JAR ${id}` };
        await this.#http.call("DELETE", `/jars/${encodeURIComponent(id)}`, z.unknown(), call);
    }

    /**
     * Runs the JAR's main method on the JobManager.
     * @returns the id of the job that it submitted
     */
    async runJar(id: string, run: RunJar): Promise<string> {
        const body = {
            programArgsList: run.args,
            entryClass: run.entryClass,
            parallelism: run.parallelism,
            flinkConfiguration: run.configuration,
            savepointPath: run.savepointPath,
            allowNonRestoredState: run.allowNonRestoredState,
        };
        const call = { attempt: `Flink could not run JAR ${id}`, body, deadlineSeconds: 120 };
        const path = `/jars/${encodeURIComponent(id)}/run`;
        const { jobid } = await this.#http.call("POST", path, z.object({ jobid: z.string() }), call);
        return jobid;
    }

    /** Jobs of this cluster, ended ones included until Flink forgets them. */
    async jobs(): Promise<JobSummary[]> {
        const call = { attempt: "Flink did not list its jobs" };
        const { jobs } = await this.#http.call("GET", "/jobs/overview", jobOverview, call);
        return jobs.map((job) => ({
            id: job.jid,
            name: job.name,
            state: job.state,
            started: job["start-time"],
        }));
    }

    /** State of the job at this moment. RUNNING says little: a job that fails and restarts is RUNNING most of the time. */
    async state(job: string): Promise<string> {
        const call = { attempt: `Flink could not tell the state of job ${job}` };
        const { status } = await this.#http.call(
            "GET",
            `/jobs/${job}/status`,
            z.object({ status: z.string() }),
            call,
        );
        return status;
    }

    /** State and tasks of the job, up to a few seconds old; undefined when this cluster does not know the job. */
    async job(job: string): Promise<JobDetail | undefined> {
        try {
            const call = { attempt: `Flink could not tell about job ${job}` };
            const { state, vertices } = await this.#http.call("GET", `/jobs/${job}`, jobDetail, call);
            return { state, vertices: vertices.map(({ name, status }) => ({ name, state: status })) };
        } catch (error) {
            if (error instanceof FlinkError && error.status === 404) return undefined;
            throw error;
        }
    }

    /** The job's failures, newest first: for a tiering job the only place that tells them. */
    async exceptions(job: string): Promise<JobException[]> {
        const call = { attempt: `Flink could not tell the exceptions of job ${job}` };
        const answer = await this.#http.call(
            "GET",
            `/jobs/${job}/exceptions?maxExceptions=20`,
            exceptionHistory,
            call,
        );
        return answer.exceptionHistory.entries.map((entry) => ({
            time: entry.timestamp,
            ...this.#clean(innermostCause(entry.stacktrace)),
        }));
    }

    /** Waits until every task of the job runs. @throws FlinkError when it ends before, or not all run in time */
    async waitUntilRunning(job: string, deadlineSeconds = 60): Promise<void> {
        const attempt = `Job ${job} does not run`;
        await this.#poll(attempt, deadlineSeconds, async () => {
            const state = await this.state(job);
            if (terminalStates.includes(state)) throw await this.#endedEarly(attempt, job, state);
            const { vertices } = (state === "RUNNING" && (await this.job(job))) || { vertices: [] };
            return vertices.length > 0 && vertices.every((vertex) => vertex.state === "RUNNING")
                ? true
                : undefined;
        });
    }

    /** Waits until the job has ended. @returns its last state */
    async waitUntilEnded(job: string, deadlineSeconds = 60): Promise<string> {
        return this.#poll(`Job ${job} does not end`, deadlineSeconds, async () => {
            const state = await this.state(job);
            return terminalStates.includes(state) ? state : undefined;
        });
    }

    /** Cancels the job and waits until it has ended; a job that has ended already is left as it is. */
    async cancel(job: string, deadlineSeconds = 60): Promise<void> {
        await this.requestCancel(job);
        await this.waitUntilEnded(job, deadlineSeconds);
    }

    /** Asks for the cancellation of the job without waiting for it; a job that has ended is left as it is. */
    async requestCancel(job: string): Promise<void> {
        const call = { attempt: `Flink could not cancel job ${job}` };
        try {
            await this.#http.call("PATCH", `/jobs/${job}?mode=cancel`, z.unknown(), call);
        } catch (error) {
            if (!terminalStates.includes(await this.state(job))) throw error;
        }
    }

    /** @returns where the savepoint is, as `file:/…` */
    async savepoint(job: string, deadlineSeconds = 120): Promise<string> {
        return this.#takeSavepoint(job, "savepoints", { "cancel-job": false }, deadlineSeconds);
    }

    /**
     * Ends the job with a savepoint.
     * @param options.drain lets the sources end first, as if there were no more data; default false
     * @returns where the savepoint is
     */
    async stopWithSavepoint(
        job: string,
        options: { drain?: boolean; deadlineSeconds?: number } = {},
    ): Promise<string> {
        const deadlineSeconds = options.deadlineSeconds ?? 120;
        const location = await this.#takeSavepoint(
            job,
            "stop",
            { drain: options.drain ?? false },
            deadlineSeconds,
        );
        await this.waitUntilEnded(job, deadlineSeconds);
        return location;
    }

    async #takeSavepoint(job: string, kind: "savepoints" | "stop", body: object, deadlineSeconds: number) {
        const attempt = `Flink could not take a savepoint of job ${job}`;
        const trigger = z.object({ "request-id": z.string() });
        const answer = await this.#http.call("POST", `/jobs/${job}/${kind}`, trigger, { attempt, body });
        const path = `/jobs/${job}/savepoints/${answer["request-id"]}`;
        return this.#poll(attempt, deadlineSeconds, async () => {
            const { status, operation } = await this.#http.call("GET", path, savepointState, { attempt });
            if (status.id !== "COMPLETED") return undefined;
            if (operation?.location !== undefined) return operation.location;
            const trace = operation?.["failure-cause"]?.["stack-trace"] ?? "no reason was told";
            throw this.#http.failure(attempt, { status: 200, ...innermostCause(trace) });
        });
    }

    async #poll<T>(attempt: string, deadlineSeconds: number, ask: () => Promise<T | undefined>): Promise<T> {
        const deadline = performance.now() + deadlineSeconds * 1000;
        for (;;) {
            const answer = await ask();
            if (answer !== undefined) return answer;
            if (performance.now() > deadline) {
                throw this.#http.failure(attempt, {
                    status: 0,
                    type: "",
                    reason: `not within ${deadlineSeconds} s`,
                });
            }
            await sleep(200);
        }
    }

    async #endedEarly(attempt: string, job: string, state: string): Promise<FlinkError> {
        const [last] = await this.exceptions(job);
        const reason = `it is ${state}${last === undefined ? "" : `, ${last.reason}`}`;
        return this.#http.failure(attempt, { status: 0, type: last?.type ?? "", reason });
    }

    #clean({ type, reason }: { type: string; reason: string }): { type: string; reason: string } {
        return { type, reason: this.#http.clean(reason) };
    }
}

const overview = z.object({ "slots-total": z.int(), "slots-available": z.int() });
const jarList = z.object({
    files: z.array(
        z.object({
            id: z.string(),
            name: z.string(),
            uploaded: z.number(),
            entry: z.array(z.object({ name: z.string() })),
        }),
    ),
});
const jobDetail = tasksOfJob.extend({ state: z.string() });
const exceptionHistory = z.object({
    exceptionHistory: z.object({
        entries: z.array(z.object({ timestamp: z.number(), stacktrace: z.string() })),
    }),
});
