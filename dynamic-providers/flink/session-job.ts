import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { ApiError } from "../http/api-error.ts";
import { PartialCreateError } from "../resource.ts";
import type { FlinkCluster, SeenJob } from "./cluster.ts";
import { isActive, type JobState } from "./job-state.ts";
import { waitHealthy } from "./job-watch.ts";

/** The inputs that every job of a session cluster has; `FlinkJobArgs` says what each means. */
export const sessionJobInputs = {
    name: z
        .string()
        .min(1)
        .max(200)
        .refine((name) => !/[\r\n]/.test(name), { error: "must be one line" }),
    executionMode: z.enum(["STREAMING", "BATCH"]).default("STREAMING"),
    parallelism: z.int().min(1).optional(),
    flinkConfiguration: z.record(z.string(), z.string()).default({}),
    state: z.enum(["RUNNING", "CANCELLED"]).default("RUNNING"),
    restart: z.enum(["WITH_STATE", "WITHOUT_STATE", "NEVER"]).default("WITH_STATE"),
    restartTrigger: z.string().min(1).optional(),
    savepointDirectory: z.string().min(1).optional(),
    healthySeconds: z.number().min(0).default(10),
    timeoutSeconds: z.number().positive().default(900),
    mark: z.string().min(1),
};

/** What is wanted of a job, whatever it runs. */
export type SessionJobInputs = z.output<z.ZodObject<typeof sessionJobInputs>>;

/** What the cluster adds to a job. */
export interface SessionJobOutputs {
    /** Flink's id of the newest job, chosen before it is submitted; empty when there was none. */
    jobId: string;
    /** As last seen. */
    jobStatus: JobState;
    /** Failures in Flink's history of that job, 16 at most by default. */
    restarts: number;
    /** The newest of them. */
    failure?: string;
    /** Where the job left its state when it was stopped, until one has started from it. */
    savepoint?: string;
    /** True while the running job is not the current definition (restart: "NEVER", or a run that failed). */
    restartPending: boolean;
    /** The `restartTrigger` that the newest job was started for. */
    startedFor?: string;
}

/** Where a job runs and how it gets there: what depends on what it is made of. */
export interface JobProgram {
    cluster: FlinkCluster;
    /** Looks at the cluster before a start. @throws when the job must not be started */
    beforeStart?(): Promise<void>;
    /** Submits the job under this id. @throws an `ApiError`, ambiguous when it may have been submitted all the same */
    submit(jobId: string, savepoint: string | undefined): Promise<void>;
}

/** A job of a session cluster. */
export interface SessionJob extends JobProgram {
    wanted: SessionJobInputs;
    /** True when what runs is not what is wanted. */
    changed: boolean;
}

/** What else than a changed input demands an update. */
export function needsJobUpdate(
    state: SessionJobInputs & SessionJobOutputs,
    wanted: SessionJobInputs,
): boolean {
    const active = isActive(state.jobStatus);
    if (wanted.state === "CANCELLED") return active;
    // Nobody knows whether a lost batch job had written its rows: writing them once more is for people to decide.
    if (!active) return state.jobStatus !== "FINISHED" && !(state.jobStatus === "GONE" && isBatch(wanted));
    if (wanted.restart === "NEVER") return false;
    return state.restartPending || isTriggered(state.startedFor, wanted.restartTrigger);
}

/**
 * Brings the job to what is wanted, from whatever state a run before left it in; it never starts a second job beside an
 * active one. A job of this resource is known by the first half of its id, so that one whose submission was not recorded,
 * because the answer got lost or the run was killed, is found again.
 *
 * @param before the outputs so far; undefined when the resource is new
 */
export async function bringJob(
    job: SessionJob,
    before: SessionJobOutputs | undefined,
): Promise<SessionJobOutputs> {
    const { cluster, wanted } = job;
    let outputs: SessionJobOutputs = before ?? {
        jobId: "",
        jobStatus: "NOT_STARTED",
        restarts: 0,
        restartPending: false,
        startedFor: wanted.restartTrigger,
    };
    let touched = false;
    const seen = (jobId: string, found: SeenJob | undefined) => {
        outputs = { ...outputs, jobId, ...observed(found) };
    };
    try {
        const own = await activeJobs(job);
        const batch = isBatch(wanted);
        const stray = own.filter(({ id }) => id !== before?.jobId);
        const changed = job.changed || before?.restartPending === true;
        const triggered = isTriggered(outputs.startedFor, wanted.restartTrigger);
        const restart = (changed || triggered || stray.length > 0) && wanted.restart !== "NEVER";
        outputs = { ...outputs, restartPending: changed };
        if (outputs.jobId !== "") seen(outputs.jobId, await cluster.look(outputs.jobId));
        const withState = wanted.restart === "WITH_STATE" && !batch;
        // A batch job that a run before started and did not record does the very work that is wanted.
        const kept = batch && before === undefined ? stray[0] : undefined;
        if (wanted.state === "CANCELLED" || (restart && !kept)) {
            // The newest last: its state is the one to go on from.
            for (const { id } of own.toReversed()) {
                touched = true;
                const savepoint = await end(job, id, withState);
                outputs = { ...outputs, jobId: id, jobStatus: "CANCELLED", savepoint };
            }
            if (wanted.state === "CANCELLED") return outputs;
        }
        const running = kept ?? (restart ? undefined : own[0]);
        const finished = outputs.jobStatus === "FINISHED" && !restart;
        if (running) seen(running.id, await cluster.look(running.id));
        else if (!finished) {
            // A run that was cut off between the stop and the start has not recorded where the state is.
            outputs.savepoint ??= withState ? await leftBehind(job, outputs) : undefined;
            await job.beforeStart?.();
            const jobId = newJobId(wanted.mark);
            await submitted(job, jobId, withState ? outputs.savepoint : undefined);
            touched = true;
            outputs = {
                jobId,
                jobStatus: "STARTING",
                restarts: 0,
                restartPending: false,
                startedFor: wanted.restartTrigger,
            };
        }
        if (!finished) {
            const until = batch ? "FINISHED" : "RUNNING";
            await waitHealthy(cluster, outputs.jobId, { ...wanted, until }, (found) =>
                seen(outputs.jobId, found),
            );
        }
        return outputs;
    } catch (error) {
        // Nothing was done on the cluster: the state stays as it is, and what was wanted is seen as a change again.
        if (!touched) throw error;
        const message = error instanceof Error ? error.message : String(error);
        throw new PartialCreateError(idOf(wanted), outputs, message);
    }
}

/** The outputs as the cluster tells them now. A finished job that Flink has forgotten stays finished. */
export async function observeJob(
    cluster: FlinkCluster,
    state: SessionJobOutputs,
): Promise<SessionJobOutputs> {
    if (state.jobId === "") return state;
    const found = await cluster.look(state.jobId);
    if (found) return { ...state, ...observed(found) };
    if (!isActive(state.jobStatus)) return state;
    const failure = "the cluster does not know this job any more: it was started anew, or forgot the job";
    console.warn(`warning: Flink job ${state.jobId}: ${failure}`);
    return { ...state, jobStatus: "GONE", failure };
}

/** Cancels every job of the resource. */
export async function removeJobs(job: Pick<SessionJob, "cluster" | "wanted">, jobId: string): Promise<void> {
    const own = await activeJobs(job);
    const ids = new Set([...own.map(({ id }) => id), ...(jobId === "" ? [] : [jobId])]);
    for (const id of ids) {
        const state = await job.cluster.state(id);
        if (state !== undefined && isActive(state)) await job.cluster.cancel(id, job.wanted.timeoutSeconds);
    }
}

/** Pulumi's id of the resource. */
export function idOf({ name }: SessionJobInputs): string {
    return name;
}

/** True when the job's id says that this resource submitted it. */
export function isOwnJob(jobId: string, mark: string): boolean {
    return jobId.startsWith(ownPart(mark));
}

function newJobId(mark: string): string {
    return ownPart(mark) + randomBytes(8).toString("hex");
}

function ownPart(mark: string): string {
    return createHash("sha256").update(mark).digest("hex").slice(0, 16);
}

function isTriggered(startedFor: string | undefined, trigger: string | undefined): boolean {
    return trigger !== undefined && trigger !== startedFor;
}

function observed(found: SeenJob | undefined): Partial<SessionJobOutputs> {
    if (!found) return {};
    return { jobStatus: found.state, restarts: found.restarts, failure: found.failure };
}

function isBatch({ executionMode }: SessionJobInputs): boolean {
    return executionMode === "BATCH";
}

/** Jobs of this resource that hold slots, the newest first; those that are being cancelled are waited for. */
async function activeJobs({ cluster, wanted }: Pick<SessionJob, "cluster" | "wanted">) {
    const jobs = (await cluster.jobs()).filter(
        ({ id, state }) => isActive(state) && isOwnJob(id, wanted.mark),
    );
    for (const { id, state } of jobs)
        if (state === "CANCELLING") await cluster.cancel(id, wanted.timeoutSeconds);
    return jobs.filter(({ state }) => state !== "CANCELLING").sort((a, b) => b.started - a.started);
}

/** Stops a job with its state, or without. @returns where the state is */
async function end(job: SessionJob, id: string, withState: boolean): Promise<string | undefined> {
    const { cluster, wanted } = job;
    const seen = withState ? await cluster.look(id) : undefined;
    // One that fails before its first checkpoint takes no savepoint, and has nothing to lose.
    const nothing = seen && !seen.allRunning && seen.restarts > 0 && !(await cluster.hasState(id));
    if (seen && isActive(seen.state) && !nothing) {
        return cluster.stop(id, wanted.savepointDirectory, wanted.timeoutSeconds);
    }
    await cluster.cancel(id, wanted.timeoutSeconds);
    return undefined;
}

/** The state of a job that does not run any more: of its stop, or of its failure. */
async function leftBehind(
    { cluster }: SessionJob,
    { jobId, jobStatus }: SessionJobOutputs,
): Promise<string | undefined> {
    if (jobId === "") return undefined;
    return jobStatus === "FAILED" ? cluster.leftCheckpoint(jobId) : cluster.stoppedWith(jobId);
}

/** Submits once: a lost answer is settled by looking for the job's id. */
async function submitted(job: SessionJob, jobId: string, savepoint: string | undefined): Promise<void> {
    try {
        await job.submit(jobId, savepoint);
    } catch (error) {
        if (!(error instanceof ApiError) || !error.ambiguous) throw error;
        // Without any answer the cluster may still be at it.
        for (const milliseconds of error.status === undefined ? [0, 1000, 3000, 6000, 10_000] : [0]) {
            await sleep(milliseconds);
            if ((await job.cluster.state(jobId)) !== undefined) return;
        }
        throw error;
    }
}
