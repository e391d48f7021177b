import { afterAll, beforeAll, expect, test } from "vitest";
import { JobNamespaceCheck } from "../../dynamic-providers/kubernetes/resources.ts";
import { platformRules } from "../../model/job-namespace.ts";
import {
    flussNetworkPolicies,
    jobNetworkPolicies,
    type NamedNetworkPolicy,
} from "../../model/network-policies.ts";
import { changesOf, type TestStack, testStack } from "../engine/engine.ts";
import { startTestBed, type TestBed } from "./bed.ts";
import { deployAs } from "./deploy-as.ts";

/**
 * The check of a job namespace, run by Pulumi's engine on a real API server: its authorizer says what the platform's
 * ServiceAccount may do. No network enforces policies here: they are stored, and judged as they are written.
 */
const platform = { namespace: "vvp-system", serviceAccount: "vvp-appmanager" };
const jobs = "vvp-jobs";
const policies = (namespace: string) => `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`;
const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${jobs}`;
let bed: TestBed;
let stack: TestStack;
let required = true;

beforeAll(async () => {
    bed = await startTestBed();
    for (const name of ["fluss", platform.namespace]) {
        await bed.send("POST", "/api/v1/namespaces", { metadata: { name } });
    }
    await bed.send("POST", `/api/v1/namespaces/${platform.namespace}/serviceaccounts`, {
        metadata: { name: platform.serviceAccount },
    });
    stack = await testStack({
        env: bed.env,
        program: async () => {
            const check = new JobNamespaceCheck("check", {
                access: bed.access,
                namespace: jobs,
                platform,
                reaches: [
                    { what: "Fluss", namespace: "fluss", service: "coordinator-server-hs", port: 9124 },
                    { what: "the object store", host: "s3.eu-central-1.amazonaws.com", port: 443 },
                ],
                required,
            });
            return { findings: check.findings };
        },
    });
});

afterAll(async () => {
    await stack?.dispose();
    await bed?.stop();
});

test("a namespace that is missing fails the run with what to do", async () => {
    await expect(stack.up()).rejects.toThrow(
        /cannot run in namespace vvp-jobs:\n- namespace vvp-jobs, .*does not exist\. Make it, or set createNamespace/,
    );
});

test("made, it is not enough: rights and servers are missing, told at once", async () => {
    await bed.send("POST", "/api/v1/namespaces", { metadata: { name: jobs } });
    await expect(stack.up()).rejects.toThrow(
        /vvp-appmanager\) may not create\/delete\/get\/list\/patch\/update\/watch deployments\.apps, jobs\.batch, configmaps, .*\n- .*no Service coordinator-server-hs in namespace fluss/,
    );
});

test("with the model's rules and policies nothing is found, and the account deploys there and nowhere else", async () => {
    await bed.send("POST", `${rbac}/roles`, { metadata: { name: "jobs" }, rules: platformRules });
    await bed.send("POST", `${rbac}/rolebindings`, {
        metadata: { name: "jobs" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "jobs" },
        subjects: [{ kind: "ServiceAccount", name: platform.serviceAccount, namespace: platform.namespace }],
    });
    const selector = { "app.kubernetes.io/name": "fluss", "app.kubernetes.io/instance": "fluss" };
    await bed.send("POST", "/api/v1/namespaces/fluss/services", {
        metadata: { name: "coordinator-server-hs" },
        spec: { clusterIP: "None", selector, ports: [{ name: "client", port: 9124 }] },
    });
    await makePolicies("fluss", flussNetworkPolicies("fluss", true, { clientsFrom: [jobs] }));
    await makePolicies(
        jobs,
        jobNetworkPolicies({ platformNamespace: platform.namespace, flussNamespace: "fluss" }),
    );
    expect((await stack.up()).outputs["findings"]?.value).toEqual([]);
    expect((await deployAs(bed, platform, jobs)).status).toBe(201);
    expect((await deployAs(bed, platform, "fluss")).status).toBe(403);
});

test("the next up changes nothing, nor does a refresh; no kubeconfig is in the state in clear", async () => {
    expect(changesOf(await stack.up())).toEqual([]);
    expect((await stack.refresh()).changes).toEqual({ same: expect.any(Number) });
    expect(changesOf(await stack.up())).toEqual([]);
    const admin = /"token":"([^"]+)"/.exec(bed.access.kubeconfig)?.[1];
    expect(admin).toBeTruthy();
    expect(JSON.stringify(await stack.export())).not.toContain(admin);
});

test("what somebody changes is found by a refresh, fails the next run, and is cured by the rule that it names", async () => {
    // Policies add up: that of the cluster still lets the jobs in.
    await makePolicies("fluss", [{ name: "deny-all", spec: { podSelector: {}, policyTypes: ["Ingress"] } }]);
    expect((await stack.refresh()).changes).toEqual({ same: expect.any(Number) });
    await bed.send("DELETE", `${policies("fluss")}/fluss-servers`);
    await bed.send("DELETE", `${rbac}/rolebindings/jobs`);
    expect((await stack.refresh()).changes).toMatchObject({ update: 1 });
    const found =
        /vvp-appmanager\) may not create.*NetworkPolicy deny-all in namespace fluss does not let jobs reach Fluss \(coordinator-server-hs\.fluss:9124\)\. Add a rule that lets calls through from namespace vvp-jobs on port 9124/s;
    await expect(stack.up()).rejects.toThrow(found);
    required = false;
    const { outputs } = await stack.up();
    expect((outputs["findings"]!.value as string[]).join("\n")).toMatch(found);
});

async function makePolicies(namespace: string, wanted: NamedNetworkPolicy[]): Promise<void> {
    for (const { name, spec } of wanted) {
        const where = `${policies(namespace)}?fieldValidation=Strict`;
        await bed.send("POST", where, { metadata: { name }, spec });
    }
}
