import { lakeTrouble } from "../../model/lake-troubles.ts";
import { type DeploymentCalls, isActive } from "./deployment-calls.ts";
import type { Deployment, Job, JobStop } from "./domain.ts";
import { type Clock, realClock, waitFor } from "./waiting.ts";

/** What the waits need to know of the deployment. */
export interface JobWait {
    api: DeploymentCalls;
    /** Id of the job's deployment. */
    deploymentId: string;
    /** The deployment's name, for messages. */
    name: string;
    timeoutSeconds: number;
    /** Told of each sight of the job, so that what was seen last can be recorded when the wait fails. */
    seen: (job: Job) => void;
    clock?: Clock;
}

/**
 * Waits until a job runs and stays up: RUNNING alone is weak, since a job that restarts again and again is RUNNING in
 * between. A job that finished has done its work.
 * @throws as soon as it failed, with the platform's reason
 */
export async function waitHealthy(job: Job, healthySeconds: number, o: JobWait): Promise<Job> {
    const { clock = realClock } = o;
    const deadline = clock.now() + o.timeoutSeconds * 1000;
    const left = () => Math.max(1, (deadline - clock.now()) / 1000);
    let running = await waitFor(
        {
            what: `job ${job.id} of deployment '${o.name}' to be RUNNING`,
            deadlineSeconds: left(),
            probe: () => look(job.id, o),
            done: ({ status }) => status === "RUNNING" || status === "FINISHED",
            failed: (now) => endReason(now, o.api),
            describe: (now) => `it is ${now.status}${trouble(now, o.api)}`,
            tail: () => o.api.tail(job, o.deploymentId),
        },
        clock,
    );
    let quietSince = clock.now();
    let growths = 0;
    const restarted = (now: Job) => {
        if (now.restarts <= running.restarts && now.status === "RUNNING") return;
        running = now;
        quietSince = clock.now();
        growths += 1;
    };
    return waitFor(
        {
            what: `job ${job.id} of deployment '${o.name}' to run ${healthySeconds} s without a restart`,
            deadlineSeconds: left(),
            probe: async () => {
                const now = running.status === "FINISHED" ? running : await look(job.id, o);
                if (isActive(now)) restarted(now);
                return now;
            },
            done: (now) =>
                now.status === "FINISHED" ||
                (now.status === "RUNNING" && clock.now() - quietSince >= healthySeconds * 1000),
            failed: (now) =>
                endReason(now, o.api) ??
                (growths >= mostRestarts
                    ? `it restarts again and again (${now.restarts} restarts)${trouble(now, o.api)}`
                    : undefined),
            describe: (now) => `it is ${now.status} after ${now.restarts} restarts${trouble(now, o.api)}`,
            tail: () => o.api.tail(job, o.deploymentId),
        },
        clock,
    );
}

/**
 * Stops an active job and waits for its end.
 * @throws when it goes on, for example because the savepoint failed: at once when that shows
 */
export async function stopAndWait(job: Job, strategy: JobStop, o: JobWait): Promise<Job> {
    const savepoint = strategy === "STOP_WITH_SAVEPOINT";
    let stopping = job.status === "CANCELLING";
    if (!stopping) await o.api.stop(job, strategy);
    return waitFor(
        {
            what: `job ${job.id} of deployment '${o.name}' to stop (${strategy})`,
            deadlineSeconds: o.timeoutSeconds,
            probe: () => look(job.id, o),
            done: (now) => !isActive(now),
            failed: (now) => {
                stopping ||= now.status === "CANCELLING";
                const refused = savepoint && isNewFailure(now, job);
                if (now.status !== "RUNNING" || !(stopping || refused)) return undefined;
                return (
                    `it goes on RUNNING as it was started${trouble(now, o.api) || ": the platform gives no reason"}\n` +
                    `What to do: ${savepoint ? noSavepoint : "run again, or stop it in the platform's console"}`
                );
            },
            describe: (now) => `it is ${now.status}${trouble(now, o.api)}`,
            tail: () => o.api.tail(job, o.deploymentId),
        },
        o.clock,
    );
}

/** Stops whatever runs of a deployment, without a savepoint. */
export async function stopAll(
    api: DeploymentCalls,
    { id, name }: Pick<Deployment, "id" | "name">,
    timeoutSeconds: number,
): Promise<void> {
    for (const job of (await api.jobs(id)).filter(isActive)) {
        const wait: JobWait = { api, deploymentId: id, name, timeoutSeconds, seen: () => undefined };
        await stopAndWait(job, "NONE", wait);
    }
}

const noSavepoint =
    "repair what the message names and run again, or restart it without a savepoint: restart (of a secret value: " +
    'restartJobs) "WITHOUT_STATE"';

/** So many restarts while its health is watched make a job sick. */
const mostRestarts = 3;

async function look(id: string, o: JobWait): Promise<Job> {
    // A job whose record is gone has ended.
    const found = await o.api.job(id);
    const job = found ?? {
        id,
        status: "CANCELLED",
        startTime: 0,
        restarts: 0,
        failure: "its record is gone",
    };
    o.seen(job);
    return job;
}

/** The words of a failure may be those of the last try. */
function isNewFailure(now: Job, before: Job): boolean {
    if (now.failure === undefined) return false;
    return now.failure !== before.failure || now.failedAt !== before.failedAt;
}

function endReason(job: Job, api: DeploymentCalls): string | undefined {
    if (job.status === "FAILED") return `it FAILED${trouble(job, api) || ": the platform gives no reason"}`;
    if (job.status === "CANCELLED" || job.status === "CANCELLING") {
        return `it is ${job.status}: somebody else stopped it${trouble(job, api)}`;
    }
    return undefined;
}

function trouble(job: Job, api: DeploymentCalls): string {
    if (job.failure === undefined) return "";
    const known = lakeTrouble(job.failure);
    const advice = known ? `\nThis means: ${known.reason}. What to do: ${known.fix}` : "";
    return `: ${api.client.clean(job.failure)}${advice}`;
}
