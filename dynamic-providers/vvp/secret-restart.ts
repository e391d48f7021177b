import { type DeploymentCalls, isActive } from "./deployment-calls.ts";
import type { Deployment } from "./domain.ts";
import { inTurn, now, startedSince } from "./job-turns.ts";
import { type JobWait, stopAndWait, waitHealthy } from "./job-waits.ts";

/** How jobs take up a new secret. */
export interface RestartOptions {
    /** How the secret is named: `${secret_values.x}`. */
    reference: string;
    withState: boolean;
    timeoutSeconds: number;
    /** Ids of the deployments that a run before did not come to; undefined: all whose job runs. */
    left: readonly string[] | undefined;
    /** Ids of the deployments whose job a run that was cut off may have stopped, and not started again. */
    stopped: readonly string[];
}

/** Deployments whose jobs are restarted, noted at the secret before they are: a run that is killed can tell nobody. */
interface Note {
    /** The secret's version before it was written, which is the state's until the run is recorded. */
    from: string;
    ids: readonly string[];
}

/** The note in the platform's annotation. */
export function restartNote({ from, ids }: Note): string {
    return [from, ...ids].join(" ");
}

/** The ids of a note that is about a run which the state knows nothing of; none of another. */
export function unrecorded(note: string | undefined, from: string): string[] {
    const [before, ...ids] = (note ?? "").split(" ");
    return before === from ? ids : [];
}

/** Ids of the deployments that name a secret and whose job runs. */
export async function runningUsers(api: DeploymentCalls, reference: string): Promise<string[]> {
    const running: string[] = [];
    for (const { id } of await users(api, reference)) {
        if ((await api.jobs(id)).some(isActive)) running.push(id);
    }
    return running;
}

/**
 * Restarts the jobs of the deployments that name a secret, one after the other: a job reads it when it starts.
 * @returns the ids of those that could not be restarted, and why
 */
export async function restartUsers(
    api: DeploymentCalls,
    o: RestartOptions,
): Promise<{ left: string[]; reasons: string[] }> {
    const written = now();
    const left: string[] = [];
    const reasons: string[] = [];
    for (const user of await users(api, o.reference)) {
        if (o.left !== undefined && !o.left.includes(user.id)) continue;
        try {
            await inTurn(user.id, () => restart(api, user, o, written));
        } catch (error) {
            left.push(user.id);
            reasons.push(error instanceof Error ? error.message : String(error));
        }
    }
    return { left, reasons };
}

async function users(api: DeploymentCalls, reference: string): Promise<Deployment[]> {
    return (await api.seen()).filter(({ raw }) => JSON.stringify(raw).includes(reference));
}

/** @param written since when the new value is there */
async function restart(
    api: DeploymentCalls,
    user: Deployment,
    o: RestartOptions,
    written: number,
): Promise<void> {
    // The deployment itself, or another secret of it, has restarted it since.
    if (startedSince(user.id, written)) return;
    const { id: deploymentId, name } = user;
    const { timeoutSeconds } = o;
    const wait: JobWait = { api, deploymentId, name, timeoutSeconds, seen: () => undefined };
    const jobs = await api.jobs(user.id);
    const active = jobs.find(isActive);
    // What people have stopped stays stopped, unless it was this that stopped it.
    if (!active && o.left === undefined && !o.stopped.includes(deploymentId)) return;
    const savepoint = o.withState && active?.status === "RUNNING";
    if (active) await stopAndWait(active, savepoint ? "STOP_WITH_SAVEPOINT" : "NONE", wait);
    const job = await api.start(user, o.withState ? "LATEST_STATE" : "NONE", jobs);
    await waitHealthy(job, 0, wait);
}
