import * as pulumi from "@pulumi/pulumi";
import type { AccessRule } from "../../model/job-namespace.ts";
import { resourceType } from "../resource-types.ts";
import { ThinResource } from "../thin-resource.ts";
import type { LakekeeperRisk } from "./lakekeeper-spec.ts";
import type { Risk } from "./release-spec.ts";

export type { LakekeeperRisk } from "./lakekeeper-spec.ts";
export type { Risk } from "./release-spec.ts";

/** How a Kubernetes cluster is reached. */
export interface KubernetesAccessArgs {
    /**
     * The text of a kubeconfig; kept as a secret. Default: the file that `KUBECONFIG` names, or `~/.kube/config`. The
     * file that the environment variable `PULUMI_FLUSS_KUBECONFIG` names wins over it, for a refresh or destroy after
     * the credentials of the last `up` were replaced.
     */
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
    /** A text that changes with everything that the release is made from. */
    values: pulumi.Input<string>;
}

/**
 * Refuses changes of a Fluss release that lose data, makes its volumes larger, and finds what somebody changed inside
 * of it. Used by `FlussCluster`.
 */
export class FlussReleaseGuard extends ThinResource {
    /** What the last refresh found to differ, one line each. */
    declare readonly drift: pulumi.Output<string[]>;
    /** How often something was repaired. */
    declare readonly repairs: pulumi.Output<number>;
    /** Its name for the mark that runs leave in the cluster. */
    declare readonly mark: pulumi.Output<string>;

    constructor(name: string, args: FlussReleaseGuardArgs, opts?: pulumi.CustomResourceOptions) {
        super(
            resourceType("flussReleaseGuard"),
            name,
            { ...args, access: pulumi.secret(args.access ?? {}) },
            opts,
        );
    }
}

/** Arguments of {@link FlussTieringCheck}. */
export interface FlussTieringCheckArgs {
    access?: pulumi.Input<KubernetesAccessArgs>;
    namespace: pulumi.Input<string>;
    /** Name of the Helm release. */
    release: pulumi.Input<string>;
    /** `mark` of the guard. */
    guard: pulumi.Input<string>;
    /** Revision of the release. */
    revision: pulumi.Input<number>;
    /** The servers' options about the lake, without those that hold secrets. */
    wanted: pulumi.Input<Record<string, string>>;
}

/** Reads back, after the installation, whether the servers are configured to tier to the lake. Used by `FlussCluster`. */
export class FlussTieringCheck extends ThinResource {
    /** The servers' options about the lake as they were read back, without those that hold secrets. */
    declare readonly tiering: pulumi.Output<Record<string, string>>;

    constructor(name: string, args: FlussTieringCheckArgs, opts?: pulumi.CustomResourceOptions) {
        super(
            resourceType("flussTieringCheck"),
            name,
            { ...args, access: pulumi.secret(args.access ?? {}) },
            opts,
        );
    }
}

/** Arguments of {@link LakekeeperReleaseGuard}. */
export interface LakekeeperReleaseGuardArgs {
    access?: pulumi.Input<KubernetesAccessArgs>;
    namespace: pulumi.Input<string>;
    /** Name of the Helm release. */
    release: pulumi.Input<string>;
    /** What the release is made from; see `LakekeeperSpec`. */
    spec: pulumi.Input<object>;
    /** Refused changes that are wanted all the same. Default: none. */
    allow?: LakekeeperRisk[];
    /** A text that changes with everything that the release is made from. */
    values: pulumi.Input<string>;
}

/**
 * Refuses changes of a Lakekeeper release that lose data or rights, makes its volume larger, and finds what somebody
 * changed inside of it. Used by `LakekeeperCatalog`.
 */
export class LakekeeperReleaseGuard extends ThinResource {
    /** What the last refresh found to differ, one line each. */
    declare readonly drift: pulumi.Output<string[]>;
    /** How often something was repaired. */
    declare readonly repairs: pulumi.Output<number>;
    /** Its name for the mark that runs leave in the cluster. */
    declare readonly mark: pulumi.Output<string>;

    constructor(name: string, args: LakekeeperReleaseGuardArgs, opts?: pulumi.CustomResourceOptions) {
        super(
            resourceType("lakekeeperReleaseGuard"),
            name,
            { ...args, access: pulumi.secret(args.access ?? {}) },
            opts,
        );
    }
}

/** Arguments of {@link ReleaseRecord}. */
export interface ReleaseRecordArgs {
    access?: pulumi.Input<KubernetesAccessArgs>;
    namespace: pulumi.Input<string>;
    /** Name of the Helm release. */
    release: pulumi.Input<string>;
    /** `mark` of the guard. */
    guard: pulumi.Input<string>;
}

/**
 * Says in the cluster that Pulumi has a record of a Helm release, on which it must depend: a run that was killed before
 * that is known by it. Used by `LakekeeperCatalog`.
 */
export class ReleaseRecord extends ThinResource {
    constructor(name: string, args: ReleaseRecordArgs, opts?: pulumi.CustomResourceOptions) {
        super(
            resourceType("releaseRecord"),
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
    /**
     * Where that lies which only this Secret opens: on the volumes of a StatefulSet, by its name, or `elsewhere`
     * (default), where it cannot be seen. A Secret that is gone is not made anew while that is there.
     */
    opens?: { volumesOf: string } | "elsewhere";
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
        super(resourceType("keptSecret"), name, { ...args, access: pulumi.secret(args.access ?? {}) }, opts);
    }
}

/** Arguments of {@link JobNamespaceCheck}. */
export interface JobNamespaceCheckArgs {
    access?: pulumi.Input<KubernetesAccessArgs>;
    /** The namespace in which jobs shall run. */
    namespace: pulumi.Input<string>;
    /** As whom the platform works. Default: its rights, and its calls of the jobs, are not looked at. */
    platform?: pulumi.Input<{ namespace: pulumi.Input<string>; serviceAccount: pulumi.Input<string> }>;
    /** What it must be allowed to do. Default `platformRules` of the model. */
    rules?: pulumi.Input<AccessRule[]>;
    /** What jobs must reach: Services of the cluster, or hosts outside of it. Default: nothing is looked at. */
    reaches?: pulumi.Input<pulumi.Input<JobDestination>[]>;
    /** Whether the run fails when something is found. Default true; with false it is warned of. */
    required?: pulumi.Input<boolean>;
    /** So long findings may take to go away, in seconds: a grant that was just made is not known everywhere at once. Default 5. */
    settleSeconds?: pulumi.Input<number>;
}

/** What jobs must reach. `what` names it in findings; `port` is the Service's or the host's. */
export type JobDestination =
    | {
          what: string;
          namespace: pulumi.Input<string>;
          service: pulumi.Input<string>;
          port: pulumi.Input<number>;
      }
    | { what: string; host: pulumi.Input<string>; port: pulumi.Input<number> };

/**
 * Looks whether jobs can run in a namespace of Kubernetes and changes nothing: it exists; the platform's ServiceAccount may
 * deploy into it; the NetworkPolicies let jobs reach what they need, and the platform call the jobs. Policies are judged as
 * they are written: whether the network enforces them, and what a firewall does, is not seen. Those for pods with certain
 * labels are left out on the jobs' side, since their labels are not known before they run.
 */
export class JobNamespaceCheck extends ThinResource {
    /** Whether nothing was found. */
    declare readonly ready: pulumi.Output<boolean>;
    /** What keeps jobs from running, one sentence each with what to do. */
    declare readonly findings: pulumi.Output<string[]>;
    /** The namespace, as given; what uses this output waits for the check. */
    declare readonly namespace: pulumi.Output<string>;

    constructor(name: string, args: JobNamespaceCheckArgs, opts?: pulumi.CustomResourceOptions) {
        super(
            resourceType("jobNamespaceCheck"),
            name,
            { ...args, access: pulumi.secret(args.access ?? {}) },
            opts,
        );
    }
}
