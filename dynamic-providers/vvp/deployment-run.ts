import { PartialCreateError } from "../resource.ts";
import { type DeploymentCalls, isActive } from "./deployment-calls.ts";
import { type DeploymentInputs, definitionDrift, toDefinition } from "./deployment-spec.ts";
import type { Deployment, Job } from "./domain.ts";
import { inTurn } from "./job-turns.ts";
import { type JobWait, stopAndWait, waitHealthy } from "./job-waits.ts";

/** What the platform adds to a deployment. */
export interface DeploymentOutputs {
    deploymentId: string;
    /** The newest job; empty when there was none. */
    jobId: string;
    /** NOT_STARTED, STARTING, RUNNING, CANCELLING, CANCELLED, FAILED or FINISHED, as last seen. */
    jobStatus: string;
    /** How often Flink restarted that job. */
    restarts: number;
    /** The platform's reason for the last trouble, in short. */
    failure?: string;
    /** True when a job of this deployment ran once, so that there may be state to start from. */
    everRan: boolean;
    /** True while the running job does not have the definition yet (restart: "NEVER"). */
    restartPending: boolean;
    /** The `restartTrigger` that the newest job was started for. */
    startedFor?: string;
    /** True when the running job was to be restarted and could not be: the next run makes up for it. */
    restartOwed?: boolean;
}

/** What the outputs so far say and no look at the platform does. */
type Known = Pick<DeploymentOutputs, "everRan" | "startedFor" | "restartOwed">;

/** True when a restart is asked for that the job has not had yet. */
export function isTriggered(startedFor: string | undefined, trigger: string | undefined): boolean {
    return trigger !== undefined && trigger !== startedFor;
}

/** The outputs for what was seen. */
export function observe(
    api: DeploymentCalls,
    found: Deployment,
    job: Job | undefined,
    before: Known,
): DeploymentOutputs {
    return {
        deploymentId: found.id,
        jobId: job?.id ?? "",
        jobStatus: job?.status ?? "NOT_STARTED",
        restarts: job?.restarts ?? 0,
        failure: job?.failure && api.client.clean(job.failure).slice(0, 300),
        everRan: before.everRan || job?.status === "RUNNING" || job?.status === "FINISHED",
        restartPending: found.changedSinceStart === true && job !== undefined && isActive(job),
        startedFor: before.startedFor,
        restartOwed: before.restartOwed && job && isActive(job) ? true : undefined,
    };
}

/**
 * Brings an existing deployment and its job to what is wanted, from whatever state a run before left them in. It never
 * starts a second job beside an active one. What is reached when it fails is recorded, the job's id first of all.
 * @param before the outputs so far; undefined when this run made or adopted the deployment
 */
export function bringDeployment(
    api: DeploymentCalls,
    found: Deployment,
    wanted: DeploymentInputs,
    before: DeploymentOutputs | undefined,
): Promise<DeploymentOutputs> {
    return inTurn(found.id, () => bring(api, found, wanted, before));
}

async function bring(
    api: DeploymentCalls,
    found: Deployment,
    wanted: DeploymentInputs,
    before: DeploymentOutputs | undefined,
): Promise<DeploymentOutputs> {
    let current = found;
    let job: Job | undefined;
    let ran = before?.everRan ?? false;
    let startedFor = before ? before.startedFor : wanted.restartTrigger;
    let restartOwed = before?.restartOwed;
    let looked = false;
    const wait: JobWait = {
        api,
        deploymentId: found.id,
        name: wanted.name,
        timeoutSeconds: wanted.timeoutSeconds,
        seen: (now) => {
            job = now;
            ran ||= now.status === "RUNNING" || now.status === "FINISHED";
        },
    };
    try {
        let jobs = await api.jobs(found.id);
        looked = true;
        for (const known of [...jobs].reverse()) wait.seen(known);
        const differs = Object.keys(definitionDrift(wanted, found.definition)).length > 0;
        if (differs) current = await api.update(found, toDefinition(wanted));
        // A run before may have changed the definition and not have come to the restart.
        const changed = differs || found.changedSinceStart === true || restartOwed === true;
        const withState = wanted.restart === "WITH_STATE";
        if (wanted.state === "CANCELLED") {
            for (const active of jobs.filter(isActive)) await stopAndWait(active, "NONE", wait);
            return observe(api, current, job, { everRan: ran, startedFor, restartOwed });
        }
        const triggered = isTriggered(startedFor, wanted.restartTrigger);
        const restart = (changed || triggered) && wanted.restart !== "NEVER";
        const active = jobs.find(isActive);
        if (active && (restart || active.status === "CANCELLING")) {
            restartOwed = true;
            const savepoint = withState && active.status === "RUNNING";
            job = await stopAndWait(active, savepoint ? "STOP_WITH_SAVEPOINT" : "NONE", wait);
        }
        const finished = job?.status === "FINISHED" && !restart;
        if (!finished && !(job && isActive(job))) {
            jobs = await api.jobs(found.id);
            const twin = jobs.find(isActive);
            job = twin ?? (await api.start(current, ran && withState ? "LATEST_STATE" : "NONE", jobs));
            current = { ...current, changedSinceStart: false };
            startedFor = wanted.restartTrigger;
            restartOwed = undefined;
        }
        if (job && !finished) job = await waitHealthy(job, wanted.healthySeconds, wait);
        return observe(api, current, job, { everRan: ran, startedFor, restartOwed });
    } catch (error) {
        // Nothing is known that the state does not know better.
        if (!looked && before) throw error;
        const message = error instanceof Error ? error.message : String(error);
        throw new PartialCreateError(
            found.id,
            observe(api, current, job, { everRan: ran, startedFor, restartOwed }),
            message,
        );
    }
}
