import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import {
    type JobDestination,
    JobNamespaceCheck,
    type KubernetesAccessArgs,
} from "../dynamic-providers/kubernetes/resources.ts";
import { type AccessRule, platformRules } from "../model/job-namespace.ts";
import { type JobNetworkPolicyArgs, jobNetworkPolicies } from "../model/network-policies.ts";
import { makeNetworkPolicies } from "./network-policies.ts";

/** What the platform needs in Kubernetes around a job namespace. Everything is off by default, the check apart. */
export interface JobNamespaceArgs {
    /** How Pulumi itself reaches the cluster, for the check; it must be the one of the Kubernetes provider. Default: `KUBECONFIG`. */
    access?: pulumi.Input<KubernetesAccessArgs>;
    /**
     * Makes the namespace, with these labels if any. It is deleted with the stack, and all that is in it. Default false:
     * it exists.
     */
    createNamespace?: boolean | { labels: Record<string, string> };
    /** As whom the platform works. Needed for `grant`, and for the check to see its rights. */
    platform?: PlatformPlace;
    /**
     * Lets the platform's ServiceAccount deploy into the namespace by a Role and its binding: `true` for `platformRules` of
     * the model, or rules of your own. Default false: the platform's chart does it with
     * `global.rbac.additionalNamespaces`, which makes no namespace.
     */
    grant?: boolean | AccessRule[];
    /** Limits what goes in and out to what jobs need. Default: no policies of ours. */
    networkPolicies?: JobPolicies;
    /**
     * Looks whether jobs can run there before anything is made on the platform, and after what the component's `dependsOn`
     * names; `false` does not.
     */
    check?: false | JobNamespaceCheckSettings;
}

/** Where the platform runs and as whom. */
export interface PlatformPlace {
    /** Namespace of the platform's pods. */
    namespace: string;
    /** ServiceAccount of its pods; the chart's name for it is not public: look at `spec.serviceAccountName` of them. */
    serviceAccount: string;
}

/** As {@link JobNetworkPolicyArgs}; the platform's namespace is that of `platform` when it is not given. */
export type JobPolicies = Omit<JobNetworkPolicyArgs, "platformNamespace"> & { platformNamespace?: string };

/** What is looked at. */
export interface JobNamespaceCheckSettings {
    /** What jobs must reach: Fluss, the catalog, the object store. Default: nothing is looked at. */
    reaches?: JobDestination[];
    /** Whether a finding fails the run. Default true; with false it is warned of and stands in the outputs. */
    required?: boolean;
}

/** What {@link prepareJobNamespace} has made. */
export interface PreparedJobNamespace {
    /** The name; whatever uses it waits for the namespace. */
    name: pulumi.Output<string>;
    check: JobNamespaceCheck | undefined;
    /** All that must be there before the platform deploys into it. */
    resources: pulumi.Resource[];
}

/**
 * Makes what the platform needs around a job namespace below `parent`, and looks whether it is enough.
 * @param lookAfter what the check waits for, beside what is made here: the servers that jobs must reach
 * @throws for settings that cannot be together, and a `FaultsError` for policies that cannot be
 */
export function prepareJobNamespace(
    parent: pulumi.Resource,
    name: string,
    jobNamespace: pulumi.Input<string>,
    args: JobNamespaceArgs,
    lookAfter?: pulumi.ResourceOptions["dependsOn"],
): PreparedJobNamespace {
    const { platform, createNamespace = false } = args;
    const made =
        createNamespace === false
            ? []
            : [
                  new k8s.core.v1.Namespace(
                      `${name}-namespace`,
                      {
                          metadata: {
                              name: jobNamespace,
                              ...(createNamespace === true ? {} : { labels: createNamespace.labels }),
                          },
                      },
                      { parent },
                  ),
              ];
    const namespace = made[0] ? made[0].metadata.name : pulumi.output(jobNamespace);
    const policies = args.networkPolicies
        ? makeNetworkPolicies(parent, name, namespace, jobNetworkPolicies(withPlatform(args)))
        : [];
    const around = [...made, ...grantTo(parent, name, namespace, args), ...policies];
    const check =
        args.check === false
            ? undefined
            : new JobNamespaceCheck(
                  `${name}-check`,
                  {
                      access: args.access,
                      namespace,
                      platform,
                      rules: rulesOf(args),
                      reaches: args.check?.reaches ?? [],
                      required: args.check?.required ?? true,
                  },
                  pulumi.mergeOptions({ parent, dependsOn: around }, lookAfter && { dependsOn: lookAfter }),
              );
    return { name: namespace, check, resources: check ? [...around, check] : around };
}

function rulesOf({ grant }: JobNamespaceArgs): AccessRule[] {
    return Array.isArray(grant) ? grant : [...platformRules];
}

function withPlatform({ networkPolicies, platform }: JobNamespaceArgs): JobNetworkPolicyArgs {
    const platformNamespace = networkPolicies?.platformNamespace ?? platform?.namespace;
    // When there is neither, the schema says so.
    return { ...networkPolicies, platformNamespace } as JobNetworkPolicyArgs;
}

function grantTo(
    parent: pulumi.Resource,
    name: string,
    namespace: pulumi.Input<string>,
    args: JobNamespaceArgs,
): pulumi.Resource[] {
    const { grant = false, platform } = args;
    if (grant === false) return [];
    if (!platform) {
        throw new pulumi.ResourceError(
            `${name}: kubernetes.grant needs kubernetes.platform.\nWhat to do: name the namespace and the ServiceAccount of the platform's pods`,
            parent,
        );
    }
    const metadata = { name: "ververica-platform-jobs", namespace };
    const role = new k8s.rbac.v1.Role(`${name}-role`, { metadata, rules: rulesOf(args) }, { parent });
    const binding = new k8s.rbac.v1.RoleBinding(
        `${name}-role-binding`,
        {
            metadata,
            roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: role.metadata.name },
            subjects: [
                { kind: "ServiceAccount", name: platform.serviceAccount, namespace: platform.namespace },
            ],
        },
        { parent },
    );
    return [role, binding];
}
