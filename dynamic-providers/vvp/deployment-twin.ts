import type { DeploymentCalls } from "./deployment-calls.ts";
import { dialect } from "./dialect.ts";
import type { Deployment } from "./domain.ts";
import { takenOver } from "./settle.ts";

/**
 * The platform gives one name as often as it is asked for: two runs that both looked before either made the deployment make
 * two. So each looks once more after it has made one. The older one stays, and who made the other takes it away again; both go
 * when the platform does not say which is older.
 * @param made what this run has just made; no job of it was started
 * @returns the older one, when it may be taken over; undefined when there is none
 * @throws as for anything else that exists already, when it may not
 */
export async function olderTwin(
    api: DeploymentCalls,
    made: Deployment,
    o: { what: string; adopt: boolean; mark: string | undefined },
): Promise<Deployment | undefined> {
    const twins = (await api.namesakes(made.name)).filter(({ id }) => id !== made.id);
    const [older] = twins.filter((twin) => !isOlder(made, twin));
    if (older === undefined) return undefined;
    await api.delete(made);
    return takenOver(older, o).object;
}

function isOlder(one: Deployment, other: Deployment): boolean {
    const [first, second] = [one, other].map(({ raw }) => dialect.deployment.createdAt(raw));
    if (first === undefined || second === undefined) return false;
    // Made in the same millisecond: each of them sees the same order.
    return first === second ? one.id < other.id : first < second;
}
