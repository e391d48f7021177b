import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { NamedNetworkPolicy } from "../model/network-policies.ts";

/** Makes the policies in a namespace below `parent`, each named `<name>-policy-<policy>` for Pulumi. */
export function makeNetworkPolicies(
    parent: pulumi.Resource,
    name: string,
    namespace: pulumi.Input<string>,
    policies: readonly NamedNetworkPolicy[],
): k8s.networking.v1.NetworkPolicy[] {
    return policies.map(
        (policy) =>
            new k8s.networking.v1.NetworkPolicy(
                `${name}-policy-${policy.name}`,
                { metadata: { name: policy.name, namespace }, spec: policy.spec },
                { parent },
            ),
    );
}
