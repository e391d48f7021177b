import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import * as z from "zod";
import { isServiceUrl } from "../../model/url.ts";
import { innermostCause, readFlinkError } from "../flink-sql/cause.ts";
import { type ApiError, hasStatus } from "../http/api-error.ts";
import { type HttpCall, HttpClient } from "../http/client.ts";
import { pathSegment } from "../http/path-segment.ts";
import { redact } from "../http/redact.ts";
import { waitFor } from "../vvp/waiting.ts";
import {
    type Checkpoints,
    checkpointing,
    checkpoints,
    exceptionHistory,
    jarList,
    jobDetail,
    jobOverview,
    savepointState,
} from "./answers.ts";
import { isTerminal, type JobState, stateOf } from "./job-state.ts";

/** Where the REST API of a Flink session cluster is. */
export const clusterSchema = z.strictObject({
    /** Base URL of the JobManager's REST endpoint. */
    url: z.string().refine(isServiceUrl, {
        error: "must be the base URL of a Flink cluster's REST endpoint, like http://localhost:8081, without user, password and query",
    }),
    /** Certificate of the authority that signed the cluster's, as PEM text. */
    caCertificate: z
        .string()
        .regex(/-----BEGIN CERTIFICATE-----/, { error: "must be a certificate in PEM form" })
        .optional(),
});

/** See {@link clusterSchema}. */
export type ClusterInputs = z.output<typeof clusterSchema>;

/** A job as the cluster's overview lists it. */
export interface ListedJob {
    id: string;
    name: string;
    state: JobState;
    /** Milliseconds since 1970. */
    started: number;
}

/** A job as the cluster knows it at this moment. */
export interface SeenJob {
    state: JobState;
    /** Every task runs. */
    allRunning: boolean;
    /** Names of its tasks. */
    vertices: string[];
    /** Failures in Flink's history, 16 at most by default; the one that ended the job is not among them. */
    restarts: number;
    /** The newest failure, by its innermost cause. */
    failure?: string;
}

/** How a JAR is run; what is left out is the JAR's or the cluster's default. */
export interface JarRun {
    /** Flink's id of the job: 32 hexadecimal digits. */
    jobId: string;
    args: readonly string[];
    entryClass?: string;
    parallelism?: number;
    configuration: Readonly<Record<string, string>>;
    savepoint?: string;
}

/** The REST API of a Flink 1.20 session cluster, as far as jobs and their JARs go. */
export class FlinkCluster {
    readonly url: string;
    readonly #http: HttpClient;
    readonly #secrets: () => readonly string[];

    /** @param secrets values that must not appear in errors and outputs, as the job's arguments */
    constructor({ url, caCertificate }: ClusterInputs, secrets: () => readonly string[] = () => []) {
        this.url = url;
        this.#secrets = secrets;
        this.#http = new HttpClient({
            system: "Flink",
            baseUrl: url,
            caCertificate,
            secrets: () => [...secrets()],
            readError: readFlinkError,
            hint: ({ message }) => flinkHint(message),
        });
    }

    /**
     * Uploads a JAR under a name that nobody else gives, so that it is found again when the answer gets lost.
     * @returns the id under which it is run
     */
    async uploadJar(file: string): Promise<string> {
        const name = `${randomBytes(6).toString("hex")}-${path.basename(file)}`;
        const action = `upload ${path.basename(file)}`;
        const { size } = await stat(file);
        const boundary = `pulumi-fluss-${randomBytes(12).toString("hex")}`;
        const head = `--${boundary}\r\nContent-Disposition: form-data; name="jarfile"; filename="${name}"\r\nContent-Type: application/x-java-archive\r\n\r\n`;
        const tail = `\r\n--${boundary}--\r\n`;
        async function* form(): AsyncGenerator<Buffer> {
            yield Buffer.from(head);
            yield* createReadStream(file) as AsyncIterable<Buffer>;
            yield Buffer.from(tail);
        }
        try {
            const { filename } = await this.#call(
                {
                    method: "POST",
                    path: "/jars/upload",
                    body: Readable.from(form(), { objectMode: false }),
                    headers: {
                        "content-type": `multipart/form-data; boundary=${boundary}`,
                        "content-length": String(Buffer.byteLength(head) + size + Buffer.byteLength(tail)),
                    },
                    action,
                    deadlineSeconds: 300,
                },
                z.object({ filename: z.string() }),
            );
            return path.posix.basename(filename);
        } catch (error) {
            if (!(error as Partial<ApiError>).ambiguous) throw error;
            const { files } = await this.#get("/jars", "list the JARs", jarList);
            const found = files.find((jar) => jar.name === name);
            if (!found) throw error;
            return found.id;
        }
    }

    /** A job that runs has its own copy. A failure leaves a file on the cluster and changes nothing else. */
    async deleteJar(id: string): Promise<void> {
        const call: HttpCall = {
            method: "DELETE",
            path: `/jars/${pathSegment(id)}`,
            action: `delete JAR ${id}`,
        };
        await this.#http.call(call).catch(() => undefined);
    }

    /** Runs the JAR's main method on the JobManager; it submits the job under the id that is given. */
    async runJar(jar: string, run: JarRun): Promise<void> {
        await this.#call(
            {
                method: "POST",
                path: `/jars/${pathSegment(jar)}/run`,
                json: {
                    jobId: run.jobId,
                    programArgsList: run.args,
                    entryClass: run.entryClass,
                    parallelism: run.parallelism,
                    flinkConfiguration: run.configuration,
                    savepointPath: run.savepoint,
                },
                action: `run ${jar}`,
                deadlineSeconds: 180,
            },
            z.object({ jobid: z.string() }),
        );
    }

    /** Jobs of this cluster, ended ones included until Flink forgets them. */
    async jobs(): Promise<ListedJob[]> {
        const { jobs } = await this.#get("/jobs/overview", "list the jobs", jobOverview);
        return jobs.map((job) => ({
            id: job.jid,
            name: job.name,
            state: stateOf(job.state),
            started: job["start-time"],
        }));
    }

    /** The state of a job at this moment; undefined when the cluster does not know it. */
    async state(job: string): Promise<JobState | undefined> {
        const action = `read the state of job ${job}`;
        const found = await this.#find(`/jobs/${job}/status`, action, z.object({ status: z.string() }));
        return found && stateOf(found.status);
    }

    /** A job with its tasks and failures; undefined when the cluster does not know it. */
    async look(job: string): Promise<SeenJob | undefined> {
        const detail = await this.#find(`/jobs/${job}`, `read job ${job}`, jobDetail);
        if (!detail) return undefined;
        // The details are some seconds old, the state is of this moment.
        const state = await this.state(job);
        const action = `read the failures of job ${job}`;
        const history = await this.#find(
            `/jobs/${job}/exceptions?maxExceptions=20`,
            action,
            exceptionHistory,
        );
        if (!state || !history) return undefined;
        const { entries } = history.exceptionHistory;
        const [newest] = entries;
        return {
            state: await this.#stopped(job, state),
            allRunning:
                state === "RUNNING" &&
                detail.vertices.length > 0 &&
                detail.vertices.every(({ status }) => status === "RUNNING" || status === "FINISHED"),
            vertices: detail.vertices.map(({ name }) => name),
            restarts: Math.max(0, entries.length - (state === "FAILED" ? 1 : 0)),
            ...(newest ? { failure: this.#told(newest.stacktrace) } : {}),
        };
    }

    /** The savepoint with which a job was stopped, if it was. */
    async stoppedWith(job: string): Promise<string | undefined> {
        const savepoint = (await this.#checkpoints(job))?.latest?.savepoint;
        if (savepoint?.checkpoint_type !== "SYNC_SAVEPOINT") return undefined;
        return savepoint.external_path ?? undefined;
    }

    /** The checkpoint that a failed job has left, where the cluster keeps those. */
    async leftCheckpoint(job: string): Promise<string | undefined> {
        const action = `read the checkpointing of job ${job}`;
        const kept = await this.#find(`/jobs/${job}/checkpoints/config`, action, checkpointing).catch(
            () => undefined,
        );
        if (kept?.externalization.enabled !== true) return undefined;
        return (await this.#checkpoints(job))?.latest?.completed?.external_path ?? undefined;
    }

    /** True when the job has state that a start afresh would lose. */
    async hasState(job: string): Promise<boolean> {
        const counts = (await this.#checkpoints(job))?.counts;
        return counts !== undefined && counts.completed + counts.restored > 0;
    }

    /** Cancels a job and waits until it has ended; one that has ended or is not known is left as it is. */
    async cancel(job: string, timeoutSeconds: number): Promise<void> {
        try {
            await this.#http.call({
                method: "PATCH",
                path: `/jobs/${job}`,
                query: { mode: "cancel" },
                action: `cancel job ${job}`,
            });
        } catch (error) {
            const state = await this.state(job);
            if (state !== undefined && !isTerminal(state) && state !== "CANCELLING") throw error;
        }
        await this.#ended(job, timeoutSeconds);
    }

    /** Stops a job with a savepoint. @returns where the savepoint is */
    async stop(job: string, directory: string | undefined, timeoutSeconds: number): Promise<string> {
        const action = `stop job ${job} with a savepoint`;
        // Of our own making, so that a lost answer can be asked for.
        const triggerId = randomBytes(16).toString("hex");
        const trigger: HttpCall = {
            method: "POST",
            path: `/jobs/${job}/stop`,
            json: { drain: false, targetDirectory: directory, triggerId },
            action,
        };
        await this.#http.call(trigger).catch((error: ApiError) => {
            if (!error.ambiguous || error.status !== undefined) throw error;
        });
        const done = await waitFor({
            ...here(this.url),
            what: `job ${job} to stop with a savepoint`,
            deadlineSeconds: timeoutSeconds,
            probe: () => this.#get(`/jobs/${job}/savepoints/${triggerId}`, action, savepointState),
            done: ({ operation }) => operation?.location !== undefined,
            failed: ({ status, operation }) => {
                if (status.id !== "COMPLETED" || operation?.location !== undefined) return undefined;
                const trace = operation?.["failure-cause"]?.["stack-trace"];
                return trace === undefined ? "no reason was told" : this.#told(trace);
            },
            describe: ({ status }) => `the savepoint is ${status.id}`,
        });
        await this.#ended(job, timeoutSeconds);
        return done.operation!.location!;
    }

    /** A job that was stopped with a savepoint ends as FINISHED in Flink. */
    async #stopped(job: string, state: JobState): Promise<JobState> {
        if (state !== "FINISHED") return state;
        return (await this.stoppedWith(job)) === undefined ? state : "CANCELLED";
    }

    /** Undefined also for a job without checkpoints, of which Flink tells nothing. */
    async #checkpoints(job: string): Promise<Checkpoints | undefined> {
        const action = `read the savepoints of job ${job}`;
        return this.#find(`/jobs/${job}/checkpoints`, action, checkpoints).catch(() => undefined);
    }

    async #ended(job: string, timeoutSeconds: number): Promise<void> {
        await waitFor({
            ...here(this.url),
            what: `job ${job} to end`,
            deadlineSeconds: timeoutSeconds,
            probe: () => this.state(job),
            done: (state) => state === undefined || isTerminal(state),
            describe: (state) => `it is ${state}`,
        });
    }

    #told(trace: string): string {
        const { type, message } = innermostCause(trace);
        const text = [type, message].filter(Boolean).join(": ");
        return redact(text, this.#secrets()).slice(0, 500);
    }

    async #find<S extends z.ZodType>(
        route: string,
        action: string,
        schema: S,
    ): Promise<z.output<S> | undefined> {
        try {
            return await this.#get(route, action, schema);
        } catch (error) {
            // Another server at this address answers 404, too, and in other words.
            if (hasStatus(error, 404) && /\bjob\b.*(not found|could not be found)/i.test(error.serverMessage))
                return undefined;
            throw error;
        }
    }

    #get<S extends z.ZodType>(route: string, action: string, schema: S): Promise<z.output<S>> {
        const [at = "", query] = route.split("?");
        return this.#call(
            { method: "GET", path: at, query: Object.fromEntries(new URLSearchParams(query)), action },
            schema,
        );
    }

    async #call<S extends z.ZodType>(call: HttpCall, schema: S): Promise<z.output<S>> {
        const answer = await this.#http.call(call);
        const parsed = schema.safeParse(answer.json);
        if (parsed.success) return parsed.data;
        throw new Error(
            `Flink: could not ${call.action} (${this.url}): the answer is not one of Flink's REST API.\n` +
                "What to do: check that the URL is that of a Flink JobManager, not of its SQL gateway",
        );
    }
}

/** Whom the waits name, and where people look. */
export function here(url: string): { system: string; place: string } {
    return { system: "Flink", place: `Flink's web interface at ${url}` };
}

function flinkHint(message: string): string | undefined {
    if (/state\.savepoints\.dir|savepoint-dir|target-directory/.test(message)) {
        return 'the cluster has no folder for savepoints: give savepointDirectory, or restart: "WITHOUT_STATE"';
    }
    if (/NoResourceAvailable|slot request|Could not acquire the minimum required resources/i.test(message)) {
        return "the cluster has no free task slots: add TaskManagers, or end a job that is not needed";
    }
    if (/ClassNotFound|NoClassDefFound|NoSuchMethod/.test(message)) {
        return "a JAR is missing on the class path of the cluster: add the client JARs of the Fluss setup to its lib folder";
    }
    if (/Failed to deserialize JobGraph|serialVersionUID|InvalidClassException/.test(message)) {
        return "the gateway and the cluster are of different Flink releases";
    }
    return undefined;
}
