import type {
    LabelSelector,
    NetworkPolicyPeer,
    NetworkPolicyPort,
    NetworkPolicyRule,
    NetworkPolicySpec,
} from "./network-policies.ts";

/** One end of a connection inside of the cluster. */
export interface PodPlace {
    namespace: string;
    /** Labels of the namespace, as the API has them. */
    namespaceLabels: Readonly<Record<string, string>>;
    /** Labels of the pod. Those of a job that is not there yet are not known: none. */
    labels: Readonly<Record<string, string>>;
}

/** What is called. */
export interface CalledPort {
    number: number;
    protocol: "TCP" | "UDP";
    /** Name of the port in the called pod; policies may name it so. */
    name?: string;
}

/** A policy as it is found, with its name. */
export interface FoundPolicy {
    name: string;
    spec: NetworkPolicySpec;
}

/**
 * Names of the policies that together keep a pod from being called: those that select it and of which none lets the call
 * through. Empty when it may be called, since a pod that no policy selects takes everything.
 * @param policies those of the called pod's namespace
 */
export function ingressBlockers(
    policies: readonly FoundPolicy[],
    called: PodPlace,
    caller: PodPlace,
    port: CalledPort,
): string[] {
    return blockers(policies, "Ingress", called, port, (rule) =>
        matchesPeers(rule.from, (peer) => isPod(peer, called.namespace, caller)),
    );
}

/**
 * As {@link ingressBlockers}, for what the caller may call.
 * @param policies those of the caller's namespace
 * @param called a pod, or `undefined` for a place outside of the cluster: then a rule with any range of addresses counts,
 *     since the address of a host name is not known here
 */
export function egressBlockers(
    policies: readonly FoundPolicy[],
    caller: PodPlace,
    called: PodPlace | undefined,
    port: CalledPort,
): string[] {
    return blockers(policies, "Egress", caller, port, (rule) =>
        matchesPeers(rule.to, (peer) =>
            called ? isPod(peer, caller.namespace, called) : peer.ipBlock !== undefined,
        ),
    );
}

function blockers(
    policies: readonly FoundPolicy[],
    direction: "Ingress" | "Egress",
    selected: PodPlace,
    port: CalledPort,
    matches: (rule: NetworkPolicyRule) => boolean,
): string[] {
    const bound = policies.filter(
        ({ spec }) => directions(spec).includes(direction) && selects(spec.podSelector, selected.labels),
    );
    const rules = bound.flatMap(({ spec }) => (direction === "Ingress" ? spec.ingress : spec.egress) ?? []);
    const passes = rules.some((rule) => matches(rule) && matchesPort(rule.ports, port));
    return passes ? [] : bound.map(({ name }) => name);
}

/** Without the field a policy is for what comes in and, when it has such rules, for what goes out. */
function directions(spec: NetworkPolicySpec): string[] {
    return spec.policyTypes ?? (spec.egress ? ["Ingress", "Egress"] : ["Ingress"]);
}

function matchesPeers(
    peers: NetworkPolicyPeer[] | undefined,
    matches: (peer: NetworkPolicyPeer) => boolean,
): boolean {
    return !peers || peers.length === 0 || peers.some(matches);
}

/** A range of addresses counts only when it is all of them: a pod's address changes, and some networks never match it. */
function isPod(peer: NetworkPolicyPeer, ownNamespace: string, pod: PodPlace): boolean {
    if (peer.ipBlock) return peer.ipBlock.cidr === "0.0.0.0/0";
    const inNamespace = peer.namespaceSelector
        ? selects(peer.namespaceSelector, pod.namespaceLabels)
        : pod.namespace === ownNamespace;
    return inNamespace && selects(peer.podSelector ?? {}, pod.labels);
}

function matchesPort(
    ports: NetworkPolicyPort[] | undefined,
    { number, protocol, name }: CalledPort,
): boolean {
    if (!ports || ports.length === 0) return true;
    return ports.some((one) => {
        if ((one.protocol ?? "TCP") !== protocol) return false;
        if (one.port === undefined) return true;
        if (typeof one.port === "string") return one.port === name;
        return number >= one.port && number <= (one.endPort ?? one.port);
    });
}

function selects(selector: LabelSelector | undefined, labels: Readonly<Record<string, string>>): boolean {
    const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
    return (
        Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
        matchExpressions.every(({ key, operator, values = [] }) => {
            const value = labels[key];
            if (operator === "Exists") return value !== undefined;
            if (operator === "DoesNotExist") return value === undefined;
            const isIn = value !== undefined && values.includes(value);
            return operator === "NotIn" ? !isIn : isIn;
        })
    );
}
