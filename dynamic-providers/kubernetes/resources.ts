import * as pulumi from "@pulumi/pulumi";
import { ThinResource } from "../thin-resource.ts";
import type { Risk } from "./release-spec.ts";

export type { Risk } from "./release-spec.ts";

/** How a Kubernetes cluster is reached. */
export interface KubernetesAccessArgs {
    /** The text of a kubeconfig; kept as a secret. Default: the file that `KUBECONFIG` names, or `~/.kube/config`. */
    kubeconfig?: pulumi.Input<string>;
    /** A context in it. Default: its current one. */
    context?: pulumi.Input<string>;
}

/** Arguments of {@link FlussReleaseGuard}. */
export interface FlussReleaseGuardArgs {
    access?: pulumi.Input<KubernetesAccessArgs>;
    namespace: pulumi.Input<string>;
    /** Name of the Helm release. */
    release: pulumi.Input<string>;
    /** What the release is made from; see `ReleaseSpec`. */
    spec: pulumi.Input<object>;
    /** Refused changes that are wanted all the same. Default: none. */
    allow?: Risk[];
}

/**
 * Refuses changes of a Fluss release that lose data, makes its volumes larger, and finds what somebody changed inside
 * of it. Used by `FlussCluster`.
 */
export class FlussReleaseGuard extends ThinResource {
    /** What the last refresh found to differ, one line each. */
    declare readonly drift: pulumi.Output<string[]>;
    /** How often drift was repaired. */
    declare readonly repairs: pulumi.Output<number>;

    constructor(name: string, args: FlussReleaseGuardArgs, opts?: pulumi.CustomResourceOptions) {
        super(
            {
                provider: "flussReleaseGuard",
                type: "kubernetes:FlussReleaseGuard",
                outputs: ["drift", "repairs", "interrupted"],
            },
            name,
            { ...args, access: pulumi.secret(args.access ?? {}) },
            opts,
        );
    }
}

/** Arguments of {@link KeptSecret}. */
export interface KeptSecretArgs {
    access?: pulumi.Input<KubernetesAccessArgs>;
    namespace: pulumi.Input<string>;
    name: pulumi.Input<string>;
    /** Keys whose values are not secret, with their values. */
    fixed?: Record<string, string>;
    /** Keys that get a random value, with its length, 16 to 256 letters and digits. */
    random: Record<string, number>;
}

/**
 * A Kubernetes Secret with random content that outlives the stack and is taken over unchanged by the next one. Its
 * values are in no state.
 */
export class KeptSecret extends ThinResource {
    /** Name of the Secret. */
    declare readonly name: pulumi.Output<string>;
    /** True when the Secret was there before. */
    declare readonly adopted: pulumi.Output<boolean>;

    constructor(name: string, args: KeptSecretArgs, opts?: pulumi.CustomResourceOptions) {
        super(
            { provider: "keptSecret", type: "kubernetes:KeptSecret", outputs: ["adopted"] },
            name,
            { ...args, access: pulumi.secret(args.access ?? {}) },
            opts,
        );
    }
}
