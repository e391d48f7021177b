import * as z from "zod";
import { parse, strict } from "./faults.ts";

/** The parts of a Kubernetes NetworkPolicy that are written and judged here (networking.k8s.io/v1). */
export interface NetworkPolicySpec {
    podSelector: LabelSelector;
    policyTypes: ("Ingress" | "Egress")[];
    ingress?: NetworkPolicyRule[];
    egress?: NetworkPolicyRule[];
}

/** Which pods or namespaces; an empty one means all. */
export interface LabelSelector {
    matchLabels?: Record<string, string>;
    matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** What one rule lets through. Without `from` or `to` any peer, without `ports` any port. */
export interface NetworkPolicyRule {
    from?: NetworkPolicyPeer[];
    to?: NetworkPolicyPeer[];
    ports?: NetworkPolicyPort[];
}

/** The other end: pods, by namespace and labels, or addresses. */
export interface NetworkPolicyPeer {
    namespaceSelector?: LabelSelector;
    podSelector?: LabelSelector;
    ipBlock?: { cidr: string; except?: string[] };
}

/** A port by number or by the name that the pod gives it; `endPort` makes it a range. */
export interface NetworkPolicyPort {
    protocol?: "TCP" | "UDP" | "SCTP";
    port?: number | string;
    endPort?: number;
}

/** A NetworkPolicy without its namespace, which is that of the pods it selects. */
export interface NamedNetworkPolicy {
    name: string;
    spec: NetworkPolicySpec;
}

const namespaceName = z.string().regex(/^(?=.{1,63}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, {
    error: "is no name of a Kubernetes namespace: lower-case letters, digits and inner hyphens, at most 63",
});
const port = z.int().min(1).max(65_535);
const cidr = z.union([z.cidrv4(), z.cidrv6()], { error: "is no range of addresses, like 10.0.0.0/8" });

/** Schema of {@link FlussNetworkPolicyArgs}. */
export const flussNetworkPolicyArgs = strict({
    /** Namespaces whose pods may use the client port: those of the jobs, and the platform's for its Fluss Console. */
    clientsFrom: z.array(namespaceName),
    /** Namespaces whose pods may scrape the metrics port, 9249. Default none. */
    metricsFrom: z.array(namespaceName).optional(),
});

/** Who may reach a Fluss cluster. */
export type FlussNetworkPolicyArgs = z.output<typeof flussNetworkPolicyArgs>;

/**
 * Ports of the charts: clients use 9124; 9123 is only for the servers among themselves (reference of the chart,
 * `listeners`), 9249 is that of Prometheus' reporter.
 */
export const flussPorts = { internal: 9123, client: 9124, metrics: 9249 } as const;

/**
 * What may come in at the servers of a release and, with `zookeeper`, at the bundle's ZooKeeper, which only the servers
 * may use. What goes out is not limited: the servers need object store, catalog and, with plugins by init container, the
 * internet. Clients in the cluster's own namespace must be named like any other.
 * @throws a `FaultsError` with every fault
 */
export function flussNetworkPolicies(
    release: string,
    zookeeper: boolean,
    given: FlussNetworkPolicyArgs,
): NamedNetworkPolicy[] {
    const { clientsFrom, metricsFrom = [] } = parse(flussNetworkPolicyArgs, given, "networkPolicies");
    const instance = { "app.kubernetes.io/instance": release };
    const servers = { podSelector: { matchLabels: { "app.kubernetes.io/name": "fluss", ...instance } } };
    const keeper = { podSelector: { matchLabels: { "app.kubernetes.io/name": "zookeeper", ...instance } } };
    const policies: NamedNetworkPolicy[] = [
        {
            name: `${release}-servers`,
            spec: {
                ...servers,
                policyTypes: ["Ingress"],
                ingress: [
                    { from: [servers], ports: tcp(flussPorts.internal, flussPorts.client) },
                    ...ruleFor(clientsFrom, flussPorts.client),
                    ...ruleFor(metricsFrom, flussPorts.metrics),
                ],
            },
        },
    ];
    if (!zookeeper) return policies;
    const ensemble = { from: [keeper], ports: tcp(2181, 2888, 3888) };
    return [
        ...policies,
        {
            // Bitnami's chart has one of its own that is named after the release.
            name: `${release}-zookeeper-clients`,
            spec: {
                ...keeper,
                policyTypes: ["Ingress"],
                ingress: [{ from: [servers], ports: tcp(2181) }, ensemble],
            },
        },
    ];
}

/** A service inside of the cluster that jobs call. */
export const clusterDestination = strict({ namespace: namespaceName, port });

/** Schema of {@link JobNetworkPolicyArgs}. */
export const jobNetworkPolicyArgs = strict({
    /** Namespace of the platform: it calls the jobs' REST port, and jobs fetch their artifacts from it. */
    platformNamespace: namespaceName,
    /** Where Fluss is. Its port is 9124. */
    flussNamespace: namespaceName,
    /** Where the lake's catalog is; Lakekeeper's port is 8181. Default: outside of the cluster, see `external`. */
    catalog: clusterDestination.optional(),
    /** Further services inside of the cluster. */
    services: z.array(clusterDestination).optional(),
    /**
     * Addresses outside of it: the object store, the catalog, and the Kubernetes API, which a JobManager calls. Default:
     * any address on port 443. Policies know no host names.
     */
    external: z.array(strict({ cidr, port })).optional(),
});

/** What the pods of a job namespace need. */
export type JobNetworkPolicyArgs = z.output<typeof jobNetworkPolicyArgs>;

/** REST port of a job's JobManager, which the platform calls (Kubernetes requirements of Ververica Platform 2). */
export const jobRestPort = 8081;

/**
 * For all pods of a job namespace: the pods of a job among each other, the platform's calls of their REST port, and out
 * of it DNS, the platform, Fluss, the catalog and the object store; nothing else.
 * @throws a `FaultsError` with every fault
 */
export function jobNetworkPolicies(given: JobNetworkPolicyArgs): NamedNetworkPolicy[] {
    const args = parse(jobNetworkPolicyArgs, given, "networkPolicies");
    const external = args.external ?? [{ cidr: "0.0.0.0/0", port: 443 }];
    const services = [
        { namespace: args.flussNamespace, port: flussPorts.client },
        ...(args.catalog ? [args.catalog] : []),
        ...(args.services ?? []),
    ];
    const everyPod = { podSelector: {} };
    const dns: NetworkPolicyPort[] = [
        { protocol: "UDP", port: 53 },
        { protocol: "TCP", port: 53 },
    ];
    return [
        {
            name: "jobs-ingress",
            spec: {
                ...everyPod,
                policyTypes: ["Ingress"],
                ingress: [{ from: [everyPod] }, ...ruleFor([args.platformNamespace], jobRestPort)],
            },
        },
        {
            name: "jobs-egress",
            spec: {
                ...everyPod,
                policyTypes: ["Egress"],
                egress: [
                    { ports: dns },
                    { to: [everyPod] },
                    { to: [inNamespace(args.platformNamespace)] },
                    ...services.map((one) => ({ to: [inNamespace(one.namespace)], ports: tcp(one.port) })),
                    ...external.map((one) => ({
                        to: [{ ipBlock: { cidr: one.cidr } }],
                        ports: tcp(one.port),
                    })),
                ],
            },
        },
    ];
}

/** None without a namespace: a rule with an empty list of peers would let everybody in. */
function ruleFor(namespaces: readonly string[], port: number): NetworkPolicyRule[] {
    return namespaces.length === 0 ? [] : [{ from: namespaces.map(inNamespace), ports: tcp(port) }];
}

/** The API server puts this label on every namespace. */
function inNamespace(name: string): NetworkPolicyPeer {
    return { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } } };
}

function tcp(...ports: number[]): NetworkPolicyPort[] {
    return ports.map((number) => ({ protocol: "TCP", port: number }));
}
