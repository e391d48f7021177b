/**
 * Who stops and starts the job of a deployment. In one run several resources may: the deployment itself, and each secret
 * value that its job uses. They share a process, and take turns here: two at once would start two jobs.
 */

/** Does the work when nobody else is at this deployment's job. */
export async function inTurn<T>(deploymentId: string, work: () => Promise<T>): Promise<T> {
    const before = turns.get(deploymentId) ?? Promise.resolve();
    const mine = before.then(work);
    const over = mine.then(
        () => undefined,
        () => undefined,
    );
    turns.set(deploymentId, over);
    try {
        return await mine;
    } finally {
        if (turns.get(deploymentId) === over) turns.delete(deploymentId);
    }
}

/** A moment of this process, to compare with {@link startedSince}. */
export function now(): number {
    return performance.now();
}

/** Says that a job of the deployment is being started. */
export function starts(deploymentId: string): void {
    started.set(deploymentId, now());
}

/** True when a job of the deployment was started after that moment. */
export function startedSince(deploymentId: string, moment: number): boolean {
    return (started.get(deploymentId) ?? Number.NEGATIVE_INFINITY) > moment;
}

const turns = new Map<string, Promise<void>>();
const started = new Map<string, number>();
