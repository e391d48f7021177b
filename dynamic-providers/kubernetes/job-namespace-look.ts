import type { V1Pod, V1Service, V1ServicePort } from "@kubernetes/client-node";
import type { AccessRule } from "../../model/job-namespace.ts";
import { jobRestPort, type NetworkPolicySpec } from "../../model/network-policies.ts";
import {
    type CalledPort,
    egressBlockers,
    type FoundPolicy,
    ingressBlockers,
    type PodPlace,
} from "../../model/network-reach.ts";
import { type Cluster, kubernetesError, orUndefined } from "./cluster.ts";

/** A ServiceAccount as which the platform works. */
export interface PlatformAccount {
    namespace: string;
    serviceAccount: string;
}

/** What jobs must reach. */
export type Destination =
    | {
          /** What it is, for findings: `Fluss`. */
          what: string;
          namespace: string;
          service: string;
          port: number;
      }
    | { what: string; host: string; port: number };

/** What is looked for. */
export interface JobNamespaceWish {
    namespace: string;
    platform?: PlatformAccount;
    rules: readonly AccessRule[];
    reaches: readonly Destination[];
}

/** What keeps jobs from running in a namespace, one sentence each with what to do; empty when nothing was found. */
export async function findingsIn(cluster: Cluster, wish: JobNamespaceWish): Promise<string[]> {
    const missing = await namespaceFinding(cluster, wish.namespace);
    if (missing) return [missing];
    const looks = [
        ...(wish.platform ? [rightsFindings(cluster, wish, wish.platform)] : []),
        ...(wish.platform ? [calledFindings(cluster, wish.namespace, wish.platform.namespace)] : []),
        ...wish.reaches.map((destination) => reachFindings(cluster, wish.namespace, destination)),
        dnsFindings(cluster, wish),
    ];
    const found = await Promise.all(
        looks.map((look) =>
            look.catch((error: unknown) => [
                // What to do is another thing here.
                `${(error as Error).message.split(".\nWhat to do:")[0]}. Let Pulumi's user do that, or leave it out of the check`,
            ]),
        ),
    );
    return [...new Set(found.flat())];
}

async function namespaceFinding(cluster: Cluster, name: string): Promise<string | undefined> {
    const found = await orUndefined(`read namespace ${name}`, cluster.core.readNamespace({ name }));
    if (!found) {
        return `namespace ${name}, in which the jobs shall run, does not exist. Make it, or set createNamespace`;
    }
    if (found.status?.phase !== "Terminating") return undefined;
    return `namespace ${name} is being deleted. Wait until it is gone, then make it again`;
}

/** Asks the API server what the platform's ServiceAccount may do. */
async function rightsFindings(
    cluster: Cluster,
    { namespace, rules }: JobNamespaceWish,
    { namespace: home, serviceAccount }: PlatformAccount,
): Promise<string[]> {
    const account = await orUndefined(
        `read ServiceAccount ${serviceAccount} in ${home}`,
        cluster.core.readNamespacedServiceAccount({ name: serviceAccount, namespace: home }),
    );
    if (!account) {
        return [
            `ServiceAccount ${serviceAccount} of the platform does not exist in namespace ${home}. See which one its pods use: kubectl get pods -n ${home} -o jsonpath='{.items[*].spec.serviceAccountName}'`,
        ];
    }
    const wanted = rules.flatMap(({ apiGroups, resources, verbs }) =>
        apiGroups.flatMap((group) =>
            resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))),
        ),
    );
    const answers = await Promise.all(
        wanted.map(async (one) => ({
            ...one,
            allowed: await mayDo(cluster, namespace, home, serviceAccount, one),
        })),
    );
    const refused = new Map<string, string[]>();
    for (const { group, resource, verb, allowed } of answers) {
        const what = group === "" ? resource : `${resource}.${group}`;
        if (!allowed) refused.set(what, [...(refused.get(what) ?? []), verb]);
    }
    if (refused.size === 0) return [];
    const resourcesByVerbs = new Map<string, string[]>();
    for (const [resource, verbs] of refused) {
        const what = verbs.join("/");
        resourcesByVerbs.set(what, [...(resourcesByVerbs.get(what) ?? []), resource]);
    }
    const list = [...resourcesByVerbs].map(([verbs, resources]) => `${verbs} ${resources.join(", ")}`);
    return [
        `the platform (ServiceAccount ${home}/${serviceAccount}) may not ${list.join("; ")} in namespace ${namespace}. Name the namespace in global.rbac.additionalNamespaces of the platform's chart, or set grant`,
    ];
}

async function mayDo(
    { authorization }: Cluster,
    namespace: string,
    home: string,
    account: string,
    { group, resource, verb }: { group: string; resource: string; verb: string },
): Promise<boolean> {
    const [name, subresource] = resource.split("/");
    const spec = {
        user: `system:serviceaccount:${home}:${account}`,
        groups: ["system:serviceaccounts", `system:serviceaccounts:${home}`, "system:authenticated"],
        resourceAttributes: { namespace, group, resource: name, subresource, verb },
    };
    try {
        const { status } = await authorization.createSubjectAccessReview({ body: { spec } });
        return status?.allowed === true;
    } catch (error) {
        throw kubernetesError(`ask what ServiceAccount ${home}/${account} may do in ${namespace}`, error);
    }
}

async function reachFindings(cluster: Cluster, jobs: string, destination: Destination): Promise<string[]> {
    const caller = await placeOf(cluster, jobs, {});
    if (!caller) return [];
    const own = await policiesOf(cluster, jobs);
    const { what, port } = destination;
    if ("host" in destination) {
        const names = egressBlockers(own, caller, undefined, { number: port, protocol: "TCP" });
        return blocked(jobs, names, `${what} (${destination.host}:${port})`, `to it on port ${port}`);
    }
    const { namespace, service } = destination;
    const found = await calledPod(cluster, namespace, service, port);
    if (typeof found === "string") return [`jobs cannot reach ${what}: ${found}`];
    const target = `${what} (${service}.${namespace}:${port})`;
    return [
        ...blocked(
            jobs,
            egressBlockers(own, caller, found.place, found.port),
            target,
            `to namespace ${namespace} on port ${found.port.number}`,
        ),
        ...blocked(
            namespace,
            ingressBlockers(await policiesOf(cluster, namespace), found.place, caller, found.port),
            target,
            `from namespace ${jobs} on port ${found.port.number}`,
        ),
    ];
}

/** The platform asks each job's JobManager how it does. */
async function calledFindings(cluster: Cluster, jobs: string, platform: string): Promise<string[]> {
    const [called, caller] = await Promise.all([placeOf(cluster, jobs, {}), placeOf(cluster, platform, {})]);
    if (!called || !caller) return [];
    const port = { number: jobRestPort, protocol: "TCP" } as const;
    const names = ingressBlockers(await policiesOf(cluster, jobs), called, caller, port);
    if (names.length === 0) return [];
    return [
        `${policies(jobs, names)} not let the platform call its jobs. Add a rule that lets calls through from namespace ${platform} on port ${jobRestPort}`,
    ];
}

/** Without it no host name is found, and each call fails with "unknown host". */
async function dnsFindings(cluster: Cluster, { namespace, reaches }: JobNamespaceWish): Promise<string[]> {
    const caller = await placeOf(cluster, namespace, {});
    if (!caller || reaches.length === 0) return [];
    const own = await policiesOf(cluster, namespace);
    // The cluster's DNS is a pod; where it runs differs from cluster to cluster.
    const home = await placeOf(cluster, "kube-system", {});
    const names = egressBlockers(own, caller, home, { number: 53, protocol: "UDP" });
    return blocked(namespace, names, "DNS", "to the cluster's DNS on port 53, UDP and TCP");
}

function blocked(namespace: string, names: string[], target: string, rule: string): string[] {
    if (names.length === 0) return [];
    return [
        `${policies(namespace, names)} not let jobs reach ${target}. Add a rule that lets calls through ${rule}`,
    ];
}

function policies(namespace: string, names: string[]): string {
    const verb = names.length === 1 ? "NetworkPolicy" : "NetworkPolicies";
    return `${verb} ${names.join(", ")} in namespace ${namespace} ${names.length === 1 ? "does" : "do"}`;
}

/** The pod behind a Service; while there is none, what the Service would select. @returns a text when that cannot be */
async function calledPod(
    { core, ...rest }: Cluster,
    namespace: string,
    name: string,
    port: number,
): Promise<{ place: PodPlace; port: CalledPort } | string> {
    const service = await orUndefined(
        `read Service ${name} in ${namespace}`,
        core.readNamespacedService({ name, namespace }),
    );
    if (!service) return `there is no Service ${name} in namespace ${namespace}. Install it first`;
    const own = service.spec?.ports?.find((one) => one.port === port);
    if (!own) return `Service ${name} in namespace ${namespace} has no port ${port}. Correct the port`;
    const pod = await firstPod(core, service, namespace);
    const place = await placeOf(
        { core, ...rest },
        namespace,
        pod?.metadata?.labels ?? service.spec?.selector ?? {},
    );
    return place
        ? { place, port: podPort(own, pod) }
        : `namespace ${namespace} does not exist. Install it first`;
}

async function firstPod(
    core: Cluster["core"],
    service: V1Service,
    namespace: string,
): Promise<V1Pod | undefined> {
    const labelSelector = Object.entries(service.spec?.selector ?? {})
        .map(([key, value]) => `${key}=${value}`)
        .join(",");
    if (labelSelector === "") return undefined;
    const pods = await orUndefined(
        `list the pods of Service ${service.metadata?.name} in ${namespace}`,
        core.listNamespacedPod({ namespace, labelSelector, limit: 1 }),
    );
    return pods?.items[0];
}

/** Policies are about the pod's ports, not the Service's. */
function podPort({ port, targetPort = port, name }: V1ServicePort, pod: V1Pod | undefined): CalledPort {
    const ports = pod?.spec?.containers.flatMap((container) => container.ports ?? []) ?? [];
    const found = ports.find((one) =>
        typeof targetPort === "string" ? one.name === targetPort : one.containerPort === targetPort,
    );
    const number = found?.containerPort ?? (typeof targetPort === "number" ? targetPort : port);
    return { number, protocol: "TCP", name: found?.name ?? name };
}

async function placeOf(
    { core }: Pick<Cluster, "core">,
    namespace: string,
    labels: Record<string, string>,
): Promise<PodPlace | undefined> {
    const found = await orUndefined(`read namespace ${namespace}`, core.readNamespace({ name: namespace }));
    return found && { namespace, namespaceLabels: found.metadata?.labels ?? {}, labels };
}

async function policiesOf({ networking }: Cluster, namespace: string): Promise<FoundPolicy[]> {
    const found = await orUndefined(
        `list the NetworkPolicies of ${namespace}`,
        networking.listNamespacedNetworkPolicy({ namespace }),
    );
    return (found?.items ?? []).map(({ metadata, spec }) => ({
        name: metadata?.name ?? "",
        // The library calls the field `from` of a rule `_from`.
        spec: {
            ...spec,
            ingress: spec?.ingress?.map(({ _from, ports }) => ({ from: _from, ports })),
        } as NetworkPolicySpec,
    }));
}
