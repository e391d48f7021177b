import { clusterAddress, isSameCluster } from "../../model/fluss-client.ts";
import type { FlinkCluster } from "./cluster.ts";
import { isActive } from "./job-state.ts";
import { isOwnJob } from "./session-job.ts";

/**
 * Looks whether another tiering job of the same Fluss cluster runs in this Flink cluster: two commit the same rows twice, and
 * nothing tells them apart (apache/fluss#2648). Flink does not tell a job's arguments, so a tiering job is known by its tasks,
 * and the cluster that it tiers by its name, when that holds an address: `Fluss tiering of coordinator:9124`.
 * @throws with the other job and what to do
 */
export async function refuseSecondTiering(
    cluster: FlinkCluster,
    own: { name: string; mark: string; tiered: string },
): Promise<void> {
    const others = (await cluster.jobs()).filter(
        ({ id, state }) => isActive(state) && !isOwnJob(id, own.mark),
    );
    for (const { id, name } of others) {
        const tiers = addressIn(name);
        if (tiers !== undefined && !isSameCluster(tiers, own.tiered)) continue;
        const tasks = (await cluster.look(id))?.vertices ?? [];
        if (!tasks.some((task) => /Tiering(Source|Committer)/.test(task))) continue;
        throw new Error(
            `Flink: job '${own.name}' cannot be started: job '${name}' (${id}) in ${cluster.url} tiers ` +
                `${tiers === undefined ? "a Fluss cluster already, and nobody can tell which" : `cluster ${tiers} already`}; ` +
                "two tiering jobs of one cluster commit the same rows twice.\n" +
                "What to do: cancel it, or keep it and remove this one; when it tiers another cluster, start it with " +
                "`pipeline.name` set to `Fluss tiering of <its bootstrap servers>`",
        );
    }
}

/** The address in a job's name, its hosts in the order of the alphabet. */
function addressIn(name: string): string | undefined {
    const servers = /(?:^|\s)([\w.-]+:\d+(?:,[\w.-]+:\d+)*)(?:\s|$)/.exec(name)?.[1];
    return servers && clusterAddress(servers);
}
