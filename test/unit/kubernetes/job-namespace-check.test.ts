import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { jobNamespaceCheck } from "../../../dynamic-providers/kubernetes/job-namespace-check.ts";
import { type Hosted, hosted } from "../../../dynamic-providers/resource.ts";
import { flussNetworkPolicies, jobNetworkPolicies } from "../../../model/network-policies.ts";

type Objects = Record<string, object>;

/** An API server that only reads: `objects` by path, and who may do what. The real one is asked in the tier `kubernetes`. */
let objects: Objects;
let may: (attributes: Record<string, string>) => boolean;
let asked: string[];
let access: { kubeconfig: string };
let close: () => void;
const check: Hosted = hosted(jobNamespaceCheck);

beforeEach(async () => {
    asked = [];
    may = () => true;
    const server = createServer(async (request, response) => {
        const path = (request.url ?? "").split("?")[0] ?? "";
        const body = await text(request);
        const answer = (status: number, json: object) => {
            response.writeHead(status, { "content-type": "application/json" });
            response.end(JSON.stringify(json));
        };
        asked.push(`${request.method} ${path}`);
        if (request.method === "POST") {
            const { spec } = JSON.parse(body) as { spec: { resourceAttributes: Record<string, string> } };
            try {
                return answer(201, { spec, status: { allowed: may(spec.resourceAttributes) } });
            } catch (error) {
                return answer(403, { kind: "Status", code: 403, message: (error as Error).message });
            }
        }
        const found = objects[path];
        if (found) return answer(200, found);
        const items = Object.entries(objects).filter(([key]) => key.startsWith(`${path}/`));
        if (/(pods|networkpolicies)$/.test(path)) return answer(200, { items: items.map(([, one]) => one) });
        return answer(404, { kind: "Status", code: 404, message: `${path} not found` });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    close = () => {
        server.closeAllConnections();
        server.close();
    };
    access = { kubeconfig: kubeconfig(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) };
    objects = cluster();
});

afterEach(() => {
    vi.restoreAllMocks();
    close();
});

function kubeconfig(server: string): string {
    return JSON.stringify({
        "current-context": "c",
        clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
        users: [{ name: "u", user: {} }],
        contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    });
}

const named = (name: string, labels: Record<string, string> = {}) => ({ metadata: { name, labels } });
const namespace = (name: string) => ({
    ...named(name, { "kubernetes.io/metadata.name": name }),
    status: { phase: "Active" },
});
const serverLabels = { "app.kubernetes.io/name": "fluss", "app.kubernetes.io/instance": "fluss" };

function cluster(): Objects {
    return {
        ...Object.fromEntries(
            ["jobs", "vvp", "fluss", "kube-system"].map((one) => [
                `/api/v1/namespaces/${one}`,
                namespace(one),
            ]),
        ),
        "/api/v1/namespaces/vvp/serviceaccounts/manager": named("manager"),
        "/api/v1/namespaces/fluss/services/coordinator-server-hs": {
            ...named("coordinator-server-hs"),
            spec: { selector: serverLabels, ports: [{ name: "client", port: 9124 }] },
        },
        "/api/v1/namespaces/fluss/pods/coordinator-server-0": {
            ...named("coordinator-server-0", { ...serverLabels, "apps.kubernetes.io/pod-index": "0" }),
            spec: { containers: [{ name: "c", ports: [{ name: "client", containerPort: 9124 }] }] },
        },
    };
}

const policy = (home: string, name: string, spec: object) => {
    objects[`/apis/networking.k8s.io/v1/namespaces/${home}/networkpolicies/${name}`] = {
        ...named(name),
        spec,
    };
};

const args = (change: object = {}) => ({
    access,
    namespace: "jobs",
    platform: { namespace: "vvp", serviceAccount: "manager" },
    reaches: [
        { what: "Fluss", namespace: "fluss", service: "coordinator-server-hs", port: 9124 },
        { what: "the object store", host: "s3.eu-central-1.amazonaws.com", port: 443 },
    ],
    settleSeconds: 0,
    ...change,
});
const findings = async (change: object = {}) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    warn.mockClear();
    const { outs } = await check.create(args({ required: false, ...change }));
    const found = outs["findings"] as string[];
    expect(warn.mock.calls.flat()).toEqual(found.map((one) => `warning: job namespace jobs: ${one}`));
    expect(outs["ready"]).toBe(found.length === 0);
    return found;
};

test("a namespace with all that jobs need has no finding", async () => {
    for (const { name, spec } of flussNetworkPolicies("fluss", true, { clientsFrom: ["jobs"] })) {
        policy("fluss", name, spec);
    }
    for (const { name, spec } of jobNetworkPolicies({ platformNamespace: "vvp", flussNamespace: "fluss" })) {
        policy("jobs", name, spec);
    }
    expect(await findings()).toEqual([]);
    expect(asked.filter((one) => one.startsWith("POST"))).toHaveLength(43);
});

describe("a finding", () => {
    test("a namespace that is not there, or about to go, is the only one", async () => {
        objects["/api/v1/namespaces/jobs"] = { ...namespace("jobs"), status: { phase: "Terminating" } };
        expect(await findings()).toEqual([expect.stringContaining("jobs is being deleted")]);
        delete objects["/api/v1/namespaces/jobs"];
        expect(await findings()).toEqual([expect.stringMatching(/does not exist.*createNamespace/)]);
    });

    test("the rights that the platform lacks, by resource", async () => {
        may = ({ resource, verb, subresource }) =>
            !["deployments", "jobs"].includes(resource ?? "") &&
            !(resource === "configmaps" && verb === "delete") &&
            !subresource;
        expect(await findings()).toEqual([
            "the platform (ServiceAccount vvp/manager) may not create/delete/get/list/patch/update/watch deployments.apps, " +
                "jobs.batch; delete configmaps; get pods/log in namespace jobs. Name the namespace in " +
                "global.rbac.additionalNamespaces of the platform's chart, or set grant",
        ]);
    });

    test("a ServiceAccount that is not there", async () => {
        delete objects["/api/v1/namespaces/vvp/serviceaccounts/manager"];
        expect(await findings()).toEqual([expect.stringMatching(/^ServiceAccount manager .* namespace vvp/)]);
    });

    test("a policy of the jobs, one of Fluss, and one that keeps the platform out, each with the rule that lacks", async () => {
        policy("jobs", "deny-all", { podSelector: {}, policyTypes: ["Ingress", "Egress"] });
        for (const { name, spec } of flussNetworkPolicies("fluss", false, { clientsFrom: ["other"] })) {
            policy("fluss", name, spec);
        }
        const does = "NetworkPolicy deny-all in namespace jobs does not let";
        const fluss = "Fluss (coordinator-server-hs.fluss:9124)";
        expect(await findings()).toEqual([
            `${does} the platform call its jobs. Add a rule that lets calls through from namespace vvp on port 8081`,
            `${does} jobs reach ${fluss}. Add a rule that lets calls through to namespace fluss on port 9124`,
            `NetworkPolicy fluss-servers in namespace fluss does not let jobs reach ${fluss}. Add a rule that lets calls through from namespace jobs on port 9124`,
            `${does} jobs reach the object store (s3.eu-central-1.amazonaws.com:443). Add a rule that lets calls through to it on port 443`,
            `${does} jobs reach DNS. Add a rule that lets calls through to the cluster's DNS on port 53, UDP and TCP`,
        ]);
    });

    test("a service or a port that is not there", async () => {
        const at = (change: object) => ({
            reaches: [
                {
                    what: "Fluss",
                    namespace: "fluss",
                    service: "coordinator-server-hs",
                    port: 9124,
                    ...change,
                },
            ],
        });
        expect(await findings(at({ service: "lakekeeper" }))).toEqual([
            "jobs cannot reach Fluss: there is no Service lakekeeper in namespace fluss. Install it first",
        ]);
        expect(await findings(at({ port: 9125 }))).toEqual([expect.stringContaining("has no port 9125")]);
    });

    test("what Pulumi's own user may not ask, among the others", async () => {
        may = () => {
            throw new Error("subjectaccessreviews is forbidden");
        };
        delete objects["/api/v1/namespaces/fluss/services/coordinator-server-hs"];
        expect(await findings()).toEqual([
            "Kubernetes: could not ask what ServiceAccount vvp/manager may do in jobs: 403 subjectaccessreviews is forbidden. " +
                "Let Pulumi's user do that, or leave it out of the check",
            expect.stringContaining("no Service coordinator-server-hs"),
        ]);
    });
});

test("an API server that cannot be asked is an error, also when nothing is required", async () => {
    close();
    await expect(check.create(args({ required: false }))).rejects.toThrow(
        "Kubernetes: could not read namespace jobs",
    );
});

test("fails the run with all findings when it is required, and not otherwise", async () => {
    may = () => false;
    delete objects["/api/v1/namespaces/fluss/services/coordinator-server-hs"];
    await expect(check.create(args())).rejects.toThrow(
        /cannot run in namespace jobs:\n- the platform .*may not.*\n- jobs cannot reach Fluss/s,
    );
    expect(await findings()).toHaveLength(2);
});

test("waits for a grant that comes a moment later", async () => {
    let calls = 0;
    may = () => ++calls > 43;
    const { outs } = await check.create(args({ settleSeconds: 5 }));
    expect(outs["ready"]).toBe(true);
});

test("a refresh looks again and fails nothing; while something is found the next run looks, too", async () => {
    const { outs } = await check.create(args());
    expect(await check.diff("jobs", outs, args(outs))).toMatchObject({ changes: false });
    may = () => false;
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { props } = await check.read("jobs", outs);
    expect(props).toMatchObject({ ready: false, findings: [expect.stringContaining("may not")] });
    expect(warn).toHaveBeenCalledOnce();
    expect(await check.diff("jobs", props!, outs)).toMatchObject({ changes: true, replaces: [] });
    may = () => true;
    expect((await check.update("jobs", props!, args())).outs).toMatchObject({ ready: true, findings: [] });
});
