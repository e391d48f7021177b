import * as pulumi from "@pulumi/pulumi";
import { parse } from "../model/faults.ts";
import { clusterAddress, type FlussClient, flussClientSchema } from "../model/fluss-client.ts";
import type { Lake } from "../model/lake.ts";

/**
 * Says that a component tiers a Fluss cluster, and refuses when another one of the same program does, whatever its runner: two
 * tiering jobs commit the same rows twice (apache/fluss#2648). What runs outside of the program is looked for by each
 * runner's own resource, as far as that runner can be asked.
 * @returns makes the claim once the address is known
 * @throws when the cluster is claimed by another component
 */
export function tieringClaim(component: pulumi.Resource, name: string): (bootstrapServers: string) => void {
    // Each run of a program has a monitor of its own; several run in one process with the Automation API.
    const run: object = pulumi.runtime.getMonitor() ?? component;
    return (bootstrapServers) => {
        const cluster = clusterAddress(bootstrapServers);
        const claims = claimsOf.get(run) ?? new Map<string, string>();
        claimsOf.set(run, claims);
        const other = claims.get(cluster) ?? name;
        claims.set(cluster, other);
        if (other === name) return;
        throw new Error(
            `${name}: '${other}' of this program tiers the Fluss cluster ${cluster} already, and two tiering jobs of one cluster commit the same rows twice.\n` +
                "What to do: keep one of them",
        );
    };
}

/** Lake and cluster of a tiering job, once the cluster is claimed for this component. See {@link tieringClaim}. */
export function claimed(
    component: pulumi.Resource,
    name: string,
    args: { lake: pulumi.Input<Lake>; client: pulumi.Input<FlussClient> },
): pulumi.Output<{ lake: Lake; client: FlussClient }> {
    const claim = tieringClaim(component, name);
    return pulumi.all([args.lake, args.client]).apply(([lake, given]) => {
        const client = parse(flussClientSchema, given, "client");
        claim(client.bootstrapServers);
        return { lake, client };
    });
}

const claimsOf = new WeakMap<object, Map<string, string>>();
