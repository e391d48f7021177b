import { randomUUID } from "node:crypto";
import { FlinkError } from "../../flink/index.ts";
import { redact } from "../../services/redact.ts";
import { type Call, type Handler, Refusal } from "../shared/index.ts";
import { type Context, findDeployment } from "./context.ts";
import { enveloped, page } from "./dialect.ts";
import { noteJob } from "./events.ts";
import { causeOf, type FlinkJob } from "./flink-backend.ts";
import { launch } from "./launch.ts";
import { newSavepoint } from "./savepoints.ts";
import type { SqlRunner } from "./sql.ts";
import type { Deployment, Job, JobStatus } from "./state.ts";

/** The jobs of the simulated VVP, each one run of a deployment. */
export interface JobKeeper {
    handlers: Record<string, Handler>;
    /** The jobs of a deployment, oldest first, as last seen. */
    of(deploymentId: string): Job[];
    latest(deploymentId: string): Job | undefined;
    /** Asks Flink about the deployment's active jobs. */
    refresh(deploymentId: string): Promise<void>;
    /** Number of the deployment's jobs by status. */
    summary(deployment: Deployment): Record<string, number>;
    /** Drops the jobs of a deleted deployment. */
    forget(deploymentId: string): void;
}

/**
 * Starting answers at once with STARTING; the work goes on behind. A job is RUNNING when all vertices of its Flink job
 * are; while it fails and restarts it stays what it was and tells the last exception in `status.failure`.
 */
export function jobKeeper(context: Context, sql: SqlRunner): JobKeeper {
    const { store, flink } = context;
    const jobs = store.state.jobs;
    // Work of this process that is under way; after a restart there is none.
    const starting = new Set<Job>();
    const ending = new Set<Job>();

    const of = (deploymentId: string) => jobs.filter((job) => job.deploymentId === deploymentId);
    const clean = (text: string) => redact(text, store.secretTexts());

    const keep = (job: Job) => {
        noteJob(context, job);
        store.save();
    };

    const fail = (job: Job, reason: string, message: string) => {
        job.status = "FAILED";
        job.failure = { reason, message: clean(message), failedAt: Date.now() };
        job.endTime = Date.now();
    };

    const refreshJob = async (job: Job) => {
        if (!isActive(job) || starting.has(job)) return;
        const before = JSON.stringify(job);
        // The start was cut off by a restart of the simulator: Flink may have the job all the same.
        job.flinkJobId ??= await flink.findJob(job.body.name, job.startTime);
        if (job.flinkJobId === undefined) {
            fail(job, "StartInterrupted", "the platform was restarted while the job was being started");
            keep(job);
            return;
        }
        const seen = await flink.job(job.flinkJobId);
        // Another request may have seen its end meanwhile.
        if (!isActive(job)) return;
        if (seen) apply(job, seen, clean);
        else if (job.stopStrategy !== undefined) job.status = "CANCELLED";
        else
            fail(
                job,
                "FlinkJobLost",
                `Flink does not know job ${job.flinkJobId} any more; was it restarted?`,
            );
        if (!isActive(job)) job.endTime ??= Date.now();
        if (JSON.stringify(job) !== before) keep(job);
    };

    /** Ends the Flink job behind; when Flink does not, the job goes on and can be stopped again. */
    const end = async (job: Job, flinkJobId: string) => {
        ending.add(job);
        try {
            if (job.stopStrategy === "NONE") await flink.cancel(flinkJobId);
            else {
                const drain = job.stopStrategy === "STOP_WITH_DRAIN";
                const savepoint = newSavepoint(job, "STOP_WITH_SAVEPOINT");
                savepoint.savepointLocation = await flink.stopWithSavepoint(flinkJobId, { drain });
                savepoint.status = { state: "COMPLETED" };
                store.state.savepoints.push(savepoint);
                store.save();
            }
        } catch (error) {
            delete job.stopStrategy;
            const message = error instanceof FlinkError ? causeOf(error) : String(error);
            job.failure = { reason: "StopFailed", message: clean(message), failedAt: Date.now() };
            keep(job);
        } finally {
            ending.delete(job);
        }
    };

    const run = async (job: Job) => {
        starting.add(job);
        try {
            job.flinkJobId = await launch(context, sql, job);
        } catch (error) {
            if (job.stopStrategy !== undefined) {
                job.status = "CANCELLED";
                job.endTime = Date.now();
            } else if (error instanceof FlinkError) fail(job, "FlinkStartFailed", causeOf(error));
            else if (error instanceof Refusal) fail(job, "InvalidDeployment", error.message);
            else fail(job, "InternalError", String(error));
        } finally {
            starting.delete(job);
        }
        keep(job);
        // It was stopped while it started.
        if (job.flinkJobId !== undefined && job.stopStrategy !== undefined) await end(job, job.flinkJobId);
    };

    const find = (call: Call) => {
        const { namespace, jobId } = call.params;
        const found = jobs.find((job) => job.namespace === namespace && job.jobId === jobId);
        if (!found) throw new Refusal(404, `job ${jobId} not found in namespace ${namespace}`);
        return found;
    };

    return {
        of,
        latest: (deploymentId) => of(deploymentId).at(-1),
        refresh: async (deploymentId) => {
            for (const job of of(deploymentId)) await refreshJob(job);
        },
        summary: (deployment) => {
            const count = (status: JobStatus) =>
                of(deployment.deploymentId).filter((job) => job.status === status).length;
            return {
                starting: count("STARTING"),
                running: count("RUNNING"),
                cancelling: count("CANCELLING"),
                cancelled: count("CANCELLED"),
                finished: count("FINISHED"),
                failed: count("FAILED"),
            };
        },
        forget: (deploymentId) => {
            store.state.jobs.splice(
                0,
                jobs.length,
                ...jobs.filter((job) => job.deploymentId !== deploymentId),
            );
        },
        handlers: {
            startJob: async (call) => {
                const body = call.body as {
                    deploymentId: string;
                    jobId?: string;
                    restoreStrategy?: Job["restoreStrategy"];
                };
                const deployment = findDeployment(context, call.params["namespace"]!, body.deploymentId);
                for (const job of of(deployment.deploymentId)) await refreshJob(job);
                const active = of(deployment.deploymentId).find(isActive);
                if (active) {
                    throw new Refusal(
                        409,
                        `deployment ${deployment.body.name} has job ${active.jobId} in ${active.status} already`,
                    );
                }
                if (jobs.some((job) => job.jobId === body.jobId))
                    throw new Refusal(409, `job ${body.jobId} exists already`);
                const job: Job = {
                    jobId: body.jobId ?? randomUUID(),
                    deploymentId: deployment.deploymentId,
                    namespace: deployment.namespace,
                    status: "STARTING",
                    startTime: Date.now(),
                    body: structuredClone(deployment.body),
                    restoreStrategy: body.restoreStrategy ?? { kind: "NONE" },
                    restarts: 0,
                };
                deployment.startedBody = job.body;
                jobs.push(job);
                keep(job);
                context.inBackground(run(job));
                return enveloped(show(context, job), 201);
            },
            listJobs: async (call) => {
                const deployment = findDeployment(
                    context,
                    call.params["namespace"]!,
                    call.query.get("deploymentId")!,
                );
                for (const job of of(deployment.deploymentId)) await refreshJob(job);
                const status = call.query.get("status");
                const wanted = of(deployment.deploymentId).filter(
                    (job) => status === null || job.status === status,
                );
                // The newest first, as the console shows them.
                const { items, page: position } = page(call, wanted.reverse());
                return enveloped(
                    items.map((job) => show(context, job)),
                    200,
                    position,
                );
            },
            getJob: async (call) => {
                const job = find(call);
                await refreshJob(job);
                return enveloped(show(context, job));
            },
            stopJob: async (call) => {
                const job = find(call);
                await refreshJob(job);
                const { stopStrategy } = call.body as { stopStrategy: string };
                // While it stops nothing more is asked; a job that ended stays what it was.
                if (isActive(job) && !ending.has(job)) {
                    job.stopStrategy = stopStrategy;
                    job.status = "CANCELLING";
                    keep(job);
                    if (job.flinkJobId !== undefined) context.inBackground(end(job, job.flinkJobId));
                }
                return enveloped(show(context, job));
            },
        },
    };
}

/** True while the job holds its deployment. */
export function isActive(job: Job): boolean {
    return ["STARTING", "RUNNING", "CANCELLING"].includes(job.status);
}

function apply(job: Job, seen: FlinkJob, clean: (text: string) => string): void {
    job.flinkStatus = seen.state;
    job.restarts = seen.restarts;
    if (seen.lastException) {
        job.failure = {
            reason: "JobException",
            message: clean(seen.lastException.message),
            failedAt: seen.lastException.at,
        };
    }
    if (seen.state === "FAILED") job.status = "FAILED";
    else if (seen.state === "CANCELED") job.status = "CANCELLED";
    else if (seen.state === "FINISHED")
        job.status = job.stopStrategy === undefined ? "FINISHED" : "CANCELLED";
    else if (job.stopStrategy !== undefined) job.status = "CANCELLING";
    else if (seen.allVerticesRunning) job.status = "RUNNING";
}

function show(context: Context, job: Job): Record<string, unknown> {
    const { artifact, engineVersion, executionMode, flinkConf, deploymentTarget, name } = job.body;
    return {
        jobId: job.jobId,
        deploymentId: job.deploymentId,
        deploymentName: name,
        namespace: job.namespace,
        workspace: context.workspace,
        sessionClusterName: deploymentTarget.mode === "SESSION" ? deploymentTarget.name : null,
        status: {
            currentJobStatus: job.status,
            failure: job.failure,
            running:
                job.flinkStatus === undefined
                    ? undefined
                    : { observedFlinkJobStatus: job.flinkStatus, observedFlinkJobRestarts: job.restarts },
        },
        startTime: job.startTime,
        endTime: job.endTime,
        restoreStrategy: job.restoreStrategy,
        artifact,
        flinkConf: flinkConf ?? {},
        engineVersion,
        executionMode,
    };
}
