import { describe, expect, test } from "vitest";
import {
    flussNetworkPolicies,
    type JobNetworkPolicyArgs,
    jobNetworkPolicies,
    type NamedNetworkPolicy,
} from "../../../model/network-policies.ts";
import { egressBlockers, ingressBlockers, type PodPlace } from "../../../model/network-reach.ts";

const place = (namespace: string, labels: Record<string, string> = {}): PodPlace => ({
    namespace,
    namespaceLabels: { "kubernetes.io/metadata.name": namespace },
    labels,
});
const fluss = (component: string) =>
    place("fluss", {
        "app.kubernetes.io/name": "fluss",
        "app.kubernetes.io/instance": "desk",
        "app.kubernetes.io/component": component,
    });
const zookeeper = place("fluss", {
    "app.kubernetes.io/name": "zookeeper",
    "app.kubernetes.io/instance": "desk",
});
const job = place("jobs", { app: "flink" });
const stranger = place("elsewhere");
const tcp = (number: number) => ({ number, protocol: "TCP" as const });

describe("the policies of a Fluss cluster", () => {
    const policies = flussNetworkPolicies("desk", true, {
        clientsFrom: ["jobs", "vvp"],
        metricsFrom: ["prom"],
    });
    const blocked = (called: PodPlace, caller: PodPlace, port: number) =>
        ingressBlockers(policies, called, caller, tcp(port));

    test.each([
        ["a job may use the client port", fluss("tablet"), job, 9124, []],
        ["and not the servers' own", fluss("tablet"), job, 9123, ["desk-servers"]],
        ["nor the metrics", fluss("tablet"), job, 9249, ["desk-servers"]],
        ["a stranger may use no port", fluss("coordinator"), stranger, 9124, ["desk-servers"]],
        ["servers reach each other", fluss("tablet"), fluss("coordinator"), 9123, []],
        ["and ZooKeeper", zookeeper, fluss("coordinator"), 2181, []],
        ["whose members reach each other", zookeeper, zookeeper, 2888, []],
        ["and nobody else", zookeeper, job, 2181, ["desk-zookeeper-clients"]],
        ["Prometheus scrapes", fluss("tablet"), place("prom"), 9249, []],
    ])("%s", (_, called, caller, port, expected) => {
        expect(blocked(called, caller, port)).toEqual(expected);
    });

    test("leave ZooKeeper alone when it is somebody else's, and let nobody in without a namespace", () => {
        const none = flussNetworkPolicies("desk", false, { clientsFrom: [] });
        expect(none.map(({ name }) => name)).toEqual(["desk-servers"]);
        expect(ingressBlockers(none, fluss("tablet"), job, tcp(9124))).toEqual(["desk-servers"]);
    });

    test("refuse what is no namespace", () => {
        expect(() =>
            flussNetworkPolicies("desk", true, { clientsFrom: ["Jobs", "ok"], metricsFrom: ["*"] }),
        ).toThrow(/2 faults.*clientsFrom\[0\].*metricsFrom\[0\]/s);
    });
});

describe("the policies of a job namespace", () => {
    const args: JobNetworkPolicyArgs = {
        platformNamespace: "vvp",
        flussNamespace: "fluss",
        catalog: { namespace: "lake", port: 8181 },
    };
    const policies = jobNetworkPolicies(args);
    const out = (called: PodPlace | undefined, port: number, protocol: "TCP" | "UDP" = "TCP") =>
        egressBlockers(policies, job, called, { number: port, protocol });

    test("let jobs reach Fluss, the catalog, the platform, DNS, each other and the object store", () => {
        expect(out(fluss("tablet"), 9124)).toEqual([]);
        expect(out(place("lake"), 8181)).toEqual([]);
        expect(out(place("vvp"), 8080)).toEqual([]);
        expect(out(place("kube-system"), 53, "UDP")).toEqual([]);
        expect(out(place("jobs"), 6123)).toEqual([]);
        expect(out(undefined, 443)).toEqual([]);
    });

    test("and nothing else", () => {
        expect(out(fluss("tablet"), 9123)).toEqual(["jobs-egress"]);
        expect(out(place("lake"), 5432)).toEqual(["jobs-egress"]);
        expect(out(stranger, 8181)).toEqual(["jobs-egress"]);
        expect(out(undefined, 80)).toEqual(["jobs-egress"]);
    });

    test("let the platform call a job's REST port, and nobody else", () => {
        const into = (caller: PodPlace, port: number) => ingressBlockers(policies, job, caller, tcp(port));
        expect(into(place("vvp"), 8081)).toEqual([]);
        expect(into(place("jobs"), 6121)).toEqual([]);
        expect(into(place("vvp"), 6123)).toEqual(["jobs-ingress"]);
        expect(into(stranger, 8081)).toEqual(["jobs-ingress"]);
    });

    test("take other ranges and services", () => {
        const own = jobNetworkPolicies({
            ...args,
            services: [{ namespace: "minio", port: 9000 }],
            external: [{ cidr: "10.1.0.0/16", port: 9000 }],
        });
        expect(egressBlockers(own, job, place("minio"), tcp(9000))).toEqual([]);
        expect(egressBlockers(own, job, undefined, tcp(9000))).toEqual([]);
        expect(egressBlockers(own, job, undefined, tcp(443))).toEqual(["jobs-egress"]);
        const wrong = { ...args, external: [{ cidr: "s3.amazonaws.com", port: 0 }] };
        expect(() => jobNetworkPolicies(wrong)).toThrow(/2 faults.*cidr.*port/s);
    });
});

describe("how a policy is read", () => {
    const pods = (spec: Partial<NamedNetworkPolicy["spec"]>): NamedNetworkPolicy[] => [
        { name: "p", spec: { podSelector: {}, policyTypes: ["Ingress"], ...spec } },
    ];
    const from = (peer: object, ports?: object[]) =>
        pods({ ingress: [{ from: [peer], ...(ports ? { ports } : {}) }] as never });
    const ask = (policies: NamedNetworkPolicy[], port: object = tcp(9124)) =>
        ingressBlockers(policies, fluss("tablet"), job, port as never).length === 0;

    test.each<[string, NamedNetworkPolicy[], boolean]>([
        ["without a policy all may call", [], true],
        ["a policy without rules lets nobody call", pods({}), false],
        ["a rule without peers lets all call", pods({ ingress: [{}] }), true],
        ["a policy for other pods says nothing", pods({ podSelector: { matchLabels: { app: "x" } } }), true],
        ["a policy for what goes out says nothing of what comes in", pods({ policyTypes: ["Egress"] }), true],
        ["pods without a namespace are those of the policy's own", from({ podSelector: {} }), false],
        ["an empty selector of namespaces is all", from({ namespaceSelector: {} }), true],
        [
            "both selectors must match",
            from({ namespaceSelector: {}, podSelector: { matchLabels: { app: "x" } } }),
            false,
        ],
        ["a part of the addresses is not for pods", from({ ipBlock: { cidr: "10.0.0.0/8" } }), false],
        ["all addresses are", from({ ipBlock: { cidr: "0.0.0.0/0" } }), true],
        ["a range of ports", from({ namespaceSelector: {} }, [{ port: 9000, endPort: 9200 }]), true],
        ["another protocol", from({ namespaceSelector: {} }, [{ port: 9124, protocol: "UDP" }]), false],
        ["a port of any number", from({ namespaceSelector: {} }, [{ protocol: "TCP" }]), true],
    ])("%s", (_, policies, passes) => {
        expect(ask(policies)).toBe(passes);
    });

    test("a port's name, and expressions", () => {
        const named = from({ namespaceSelector: {} }, [{ port: "client" }]);
        expect(ask(named, { ...tcp(9124), name: "client" })).toBe(true);
        expect(ask(named, { ...tcp(9123), name: "internal" })).toBe(false);
        const where = (operator: string, values?: string[]) =>
            ask(
                from({
                    namespaceSelector: {},
                    podSelector: { matchExpressions: [{ key: "app", operator, values }] },
                }),
            );
        expect(where("In", ["flink", "x"])).toBe(true);
        expect(where("In", ["x"])).toBe(false);
        expect(where("NotIn", ["flink"])).toBe(false);
        expect(where("NotIn", ["x"])).toBe(true);
        expect(where("Exists")).toBe(true);
        expect(where("DoesNotExist")).toBe(false);
    });

    test("two policies add up, and both are named when neither lets the call through", () => {
        const other = (name: string, namespace: string) => ({
            ...from({ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } } })[0]!,
            name,
        });
        expect(ask([other("a", "x"), other("b", "jobs")])).toBe(true);
        expect(ingressBlockers([other("a", "x"), other("b", "y")], fluss("tablet"), job, tcp(1))).toEqual([
            "a",
            "b",
        ]);
    });

    test("one without types and with a rule for what goes out is for both", () => {
        const spec = { podSelector: {}, egress: [{}] } as never;
        expect(ask([{ name: "p", spec }])).toBe(false);
        expect(egressBlockers([{ name: "p", spec }], job, stranger, tcp(1))).toEqual([]);
    });
});
