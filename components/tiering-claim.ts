import * as pulumi from "@pulumi/pulumi";
import { clusterAddress, type FlussClient, isSameCluster } from "../model/fluss-client.ts";
import type { Lake } from "../model/lake.ts";
import { lakeAndClient } from "../model/lake-and-client.ts";

/**
 * Says that a component tiers a Fluss cluster, and refuses when another one of the same program does, whatever its runner: two
 * tiering jobs commit the same rows twice (apache/fluss#2648). What runs outside of the program is looked for by each
 * runner's own resource, as far as that runner can be asked.
 * @returns makes the claim once the address is known
 * @throws when the cluster is claimed by another component
 */
export function tieringClaim(component: pulumi.Resource, name: string): (bootstrapServers: string) => void {
    const own = `'${name}' of this program`;
    // Now, and not when the address is known: the monitor is the present run's.
    const claims = claimsOf(pulumi.runtime.getMonitor() ?? component);
    return (bootstrapServers) => {
        const cluster = clusterAddress(bootstrapServers);
        claim(claims, cluster, own, name);
    };
}

/**
 * Says that another stack tiers a cluster: a component of this program that wants to is refused.
 * @param by who that is, for the refusal: `'tiering' of stack acme/lake/prod`
 * @throws when a component of this program, or a third stack, has claimed the cluster before
 */
export function claimForStack(bootstrapServers: string, by: string): void {
    const run = pulumi.runtime.getMonitor();
    if (run) claim(claimsOf(run), clusterAddress(bootstrapServers), by, by);
}

/** Lake and cluster of a tiering job, once the cluster is claimed for this component. See {@link tieringClaim}. */
export function claimed(
    component: pulumi.Resource,
    name: string,
    args: { lake: pulumi.Input<Lake>; client: pulumi.Input<FlussClient> },
): pulumi.Output<{ lake: Lake; client: FlussClient }> {
    const claim = tieringClaim(component, name);
    return pulumi.all([args.lake, args.client]).apply(([lake, given]) => {
        const known = lakeAndClient({ lake, client: given });
        claim(known.client.bootstrapServers);
        return known;
    });
}

/** How the components call what the model has other names for, in faults. */
export const argumentNames = { extra: "extraArguments", form: "secrets" };

function claim(claims: Map<string, string>, cluster: string, own: string, subject: string): void {
    const other = [...claims].find(([claimed, by]) => by !== own && isSameCluster(claimed, cluster))?.[1];
    if (other === undefined) {
        claims.set(cluster, own);
        return;
    }
    throw new Error(
        `${subject}: ${other} tiers the Fluss cluster ${cluster} already, and two tiering jobs of one cluster commit the same rows twice.\n` +
            "What to do: keep one of them",
    );
}

/** Each run of a program has a monitor of its own; several run in one process with the Automation API. */
function claimsOf(run: object): Map<string, string> {
    const claims = claimsByRun.get(run) ?? new Map<string, string>();
    claimsByRun.set(run, claims);
    return claims;
}

const claimsByRun = new WeakMap<object, Map<string, string>>();
