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
    for (const user of (await api.seen()).filter(({ raw }) => JSON.stringify(raw).includes(o.reference))) {
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
    if (!active && o.left === undefined) return;
    const savepoint = o.withState && active?.status === "RUNNING";
    if (active) await stopAndWait(active, savepoint ? "STOP_WITH_SAVEPOINT" : "NONE", wait);
    const job = await api.start(user, o.withState ? "LATEST_STATE" : "NONE", jobs);
    await waitHealthy(job, 0, wait);
}
