import { type DeploymentCalls, isActive } from "./deployment-calls.ts";
import type { Deployment, Job, JobStop } from "./domain.ts";
import { type Clock, realClock, waitFor } from "./waiting.ts";

/** What the waits need to know of the deployment. */
export interface JobWait {
    api: DeploymentCalls;
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
            tail: () => o.api.events(job),
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
            tail: () => o.api.events(job),
        },
        clock,
    );
}

/** Stops an active job and waits for its end. @throws when it goes on, for example because the savepoint failed */
export async function stopAndWait(job: Job, strategy: JobStop, o: JobWait): Promise<Job> {
    if (job.status !== "CANCELLING") await o.api.stop(job, strategy);
    return waitFor(
        {
            what: `job ${job.id} of deployment '${o.name}' to stop (${strategy})`,
            deadlineSeconds: o.timeoutSeconds,
            probe: () => look(job.id, o),
            done: (now) => !isActive(now),
            failed: (now) =>
                now.status === "RUNNING" && now.failure !== undefined && now.failure !== job.failure
                    ? `it goes on RUNNING${trouble(now, o.api)}\nWhat to do: repair what the message names, or set restart: "WITHOUT_STATE"`
                    : undefined,
            describe: (now) => `it is ${now.status}${trouble(now, o.api)}`,
            tail: () => o.api.events(job),
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
        await stopAndWait(job, "NONE", { api, name, timeoutSeconds, seen: () => undefined });
    }
}

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

function endReason(job: Job, api: DeploymentCalls): string | undefined {
    if (job.status === "FAILED") return `it FAILED${trouble(job, api) || ": the platform gives no reason"}`;
    if (job.status === "CANCELLED" || job.status === "CANCELLING") {
        return `it is ${job.status}: somebody else stopped it${trouble(job, api)}`;
    }
    return undefined;
}

function trouble(job: Job, api: DeploymentCalls): string {
    return job.failure === undefined ? "" : `: ${api.client.clean(job.failure)}`;
}
