import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FlussCluster } from "../../components/fluss-cluster.ts";
import type { JobNamespaceArgs } from "../../components/job-namespace.ts";
import { VvpWorkspaceSetup } from "../../components/vvp-workspace-setup.ts";
import { simulatedFlink, startVvpSimulator, type VvpSimulator } from "../../local/simulators/vvp/index.ts";
import { platformRules } from "../../model/job-namespace.ts";
import { flussNetworkPolicies, jobNetworkPolicies } from "../../model/network-policies.ts";
import { changesOf, type TestStack, testStack } from "../engine/engine.ts";
import { installed } from "../unit/components/jars.ts";
import { lake } from "../unit/model/fixtures/quickstart.ts";
import type { KubeObject } from "./bed.ts";
import { deployAs } from "./deploy-as.ts";
import { sharedBed } from "./shared-bed.ts";

/**
 * A job namespace and a Fluss cluster on a real API server with the real plugin; its authorizer says what the platform's
 * ServiceAccount may do. No network enforces the policies here: they are stored, and judged by `JobNamespaceCheck`.
 */
const token = "5d0c6a52-7d1e-4c1b-9a55-around";
const platform = { namespace: "vvp-system", serviceAccount: "vvp-appmanager" };
const jobs = "vvp-jobs";
/** Of the Fluss cluster. */
const fluss = "around-fluss";
const bed = sharedBed();
let vvp: VvpSimulator;
let stack: TestStack;
let jars: string;
/** What the program asks for; tests change it. */
let wish: { kubernetes: JobNamespaceArgs; clientsFrom: string[] };

const policies = (namespace: string) => `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`;
const targets = async () => {
    const url = `${vvp.url}/api/v1/namespaces/default/deployment-targets`;
    const answer = await fetch(url, {
        headers: { authorization: `Bearer ${token}`, workspace: "defaultworkspace" },
    });
    return ((await answer.json()) as { items: unknown[] }).items.length;
};

beforeAll(async () => {
    jars = fs.mkdtempSync(path.join(os.tmpdir(), "client-jars-"));
    for (const name of installed.map((file) => path.basename(file)))
        fs.writeFileSync(path.join(jars, name), `content of ${name}`);
    for (const name of [fluss, platform.namespace]) await bed.makeNamespace(name);
    await bed.send("POST", `/api/v1/namespaces/${platform.namespace}/serviceaccounts`, {
        metadata: { name: platform.serviceAccount },
    });
    vvp = await startVvpSimulator({ port: 0, token, flink: simulatedFlink(), kubernetesNamespaces: [jobs] });
    wish = { kubernetes: { access: bed.access, platform, check: { reaches } }, clientsFrom: [jobs] };
    stack = await testStack({ standIns: true, env: { ...bed.env, VV_API_TOKEN: token }, program });
});

afterAll(async () => {
    await stack?.dispose();
    await vvp?.close();
    fs.rmSync(jars, { recursive: true, force: true });
});

const reaches = [
    { what: "Fluss", namespace: fluss, service: "coordinator-server-hs", port: 9124 },
    { what: "the object store", host: "s3.eu-central-1.amazonaws.com", port: 443 },
];

async function program() {
    const provider = new k8s.Provider("bed", { kubeconfig: pulumi.secret(bed.access.kubeconfig) });
    const opts = { providers: { kubernetes: provider } };
    const storage = { type: "s3", bucket: "acme-remote", region: "eu-central-1", prefix: "fluss" } as const;
    const cluster = new FlussCluster(
        "desk",
        {
            chart: {
                namespace: fluss,
                access: bed.access,
                chart: { location: `oci://${bed.registry.charts}/fluss-bundle` },
                remote: { storage, accessKeyId: "AKIAEXAMPLE", secretAccessKey: pulumi.secret("key") },
                lake,
                storageClass: "kwok-volume",
                networkPolicies: { clientsFrom: wish.clientsFrom },
            },
        },
        opts,
    );
    const workspace = new VvpWorkspaceSetup(
        "ws",
        {
            connection: { url: vvp.url },
            jobNamespace: jobs,
            kubernetes: wish.kubernetes,
            sessionCluster: false,
            jars: { from: jars, setup: { release: "1.0.0-vv-3", catalog: "rest", storage: "s3" } },
        },
        { ...opts, dependsOn: cluster },
    );
    return { findings: workspace.jobNamespaceFindings };
}

test("a namespace that is missing fails the run with what to do, before the platform is told anything", async () => {
    await expect(stack.up()).rejects.toThrow(
        /cannot run in namespace vvp-jobs:\n- namespace vvp-jobs, .*does not exist\. Make it, or set createNamespace/,
    );
    expect(await targets()).toBe(0);
});

test("made, it is not enough: rights and a server are missing, told at once", async () => {
    const catalog = { what: "the catalog", namespace: fluss, service: "fluss-lakekeeper", port: 8181 };
    wish.kubernetes = {
        ...wish.kubernetes,
        createNamespace: { labels: { team: "desk" } },
        check: { reaches: [...reaches, catalog] },
    };
    await expect(stack.up()).rejects.toThrow(
        /ServiceAccount vvp-system\/vvp-appmanager\) may not create\/delete\/get\/list\/patch\/update\/watch deployments\.apps, jobs\.batch, configmaps, .*in namespace vvp-jobs.*\n- .*no Service fluss-lakekeeper in namespace around-fluss/,
    );
    wish.kubernetes = { ...wish.kubernetes, check: { reaches } };
    expect((await bed.get(`/api/v1/namespaces/${jobs}`))?.metadata.labels["team"]).toBe("desk");
    expect(await targets()).toBe(0);
});

test("with rights and policies the target is made, and the platform's account really deploys there and nowhere else", async () => {
    wish.kubernetes = {
        ...wish.kubernetes,
        grant: true,
        networkPolicies: { flussNamespace: fluss, catalog: { namespace: fluss, port: 8181 } },
    };
    const { outputs } = await stack.up();
    expect(outputs["findings"]?.value).toEqual([]);
    expect(await targets()).toBe(1);
    expect((await deployAs(bed, platform, jobs)).status).toBe(201);
    expect((await deployAs(bed, platform, fluss)).status).toBe(403);
    expect(await namesOf(policies(jobs))).toEqual(["jobs-egress", "jobs-ingress"]);
    expect(await namesOf(policies(fluss))).toEqual(["fluss-servers", "fluss-zookeeper-clients"]);
    // Nothing in them is a field that the API does not know, which it would drop without a word.
    const written = [
        ...flussNetworkPolicies("fluss", true, { clientsFrom: [jobs] }),
        ...jobNetworkPolicies({ platformNamespace: platform.namespace, flussNamespace: fluss }),
    ];
    for (const { name, spec } of written)
        await bed.send("POST", `${policies("default")}?fieldValidation=Strict&dryRun=All`, {
            metadata: { name },
            spec,
        });
});

test("the policies select the pods of the release", async () => {
    const selected = async (name: string) => {
        const policy = await bed.get(`${policies(fluss)}/${name}`);
        const { podSelector } = policy!.spec as unknown as {
            podSelector: { matchLabels: Record<string, string> };
        };
        const selector = Object.entries(podSelector.matchLabels).map(([key, value]) => `${key}=${value}`);
        const where = `/api/v1/namespaces/${fluss}/pods?labelSelector=${encodeURIComponent(selector.join(","))}`;
        return namesOf(where);
    };
    const servers = ["coordinator-server-0", "tablet-server-0", "tablet-server-1", "tablet-server-2"];
    expect(await selected("fluss-servers")).toEqual(servers);
    expect(await selected("fluss-zookeeper-clients")).toEqual(expect.arrayContaining(["fluss-zookeeper-0"]));
});

test("the next up changes nothing, nor does a refresh; no kubeconfig is in the state in clear", async () => {
    expect(changesOf(await stack.up())).toEqual([]);
    expect((await stack.refresh()).changes).toEqual({ same: expect.any(Number) });
    expect(changesOf(await stack.up())).toEqual([]);
    const admin = /"token":"([^"]+)"/.exec(bed.access.kubeconfig)?.[1];
    expect(admin).toBeTruthy();
    expect(JSON.stringify(await stack.export())).not.toContain(admin);
});

test("a policy that somebody adds is found by a refresh, fails the next run, and is named with the rule that lacks", async () => {
    await bed.send("POST", policies(fluss), {
        metadata: { name: "deny-all" },
        spec: { podSelector: {}, policyTypes: ["Ingress"] },
    });
    // Policies add up: that of the release still lets the jobs in.
    expect((await stack.refresh()).changes).toEqual({ same: expect.any(Number) });
    await bed.send("DELETE", `${policies(fluss)}/fluss-servers`);
    const found = "NetworkPolicy deny-all in namespace around-fluss does not let jobs reach Fluss";
    await stack.refresh();
    expect(diagnostics()).toContain(found);
    wish.clientsFrom = ["elsewhere"];
    await expect(stack.up()).rejects.toThrow(
        /NetworkPolicies deny-all, fluss-servers in namespace around-fluss do not let jobs reach Fluss \(coordinator-server-hs\.around-fluss:9124\)\. Add a rule that lets calls through from namespace vvp-jobs on port 9124/,
    );
});

test("what is not required is a warning and an output, and goes away when it is cured", async () => {
    wish.kubernetes = { ...wish.kubernetes, check: { reaches, required: false } };
    const { outputs } = await stack.up();
    expect(outputs["findings"]?.value).toEqual([expect.stringContaining("do not let jobs reach Fluss")]);
    wish.clientsFrom = [jobs];
    wish.kubernetes = { ...wish.kubernetes, check: { reaches } };
    expect((await stack.up()).outputs["findings"]?.value).toEqual([]);
});

test("rights that are taken away are found, too", async () => {
    const binding = `/apis/rbac.authorization.k8s.io/v1/namespaces/${jobs}/rolebindings/ververica-platform-jobs`;
    await bed.send("DELETE", binding);
    await stack.refresh();
    expect(diagnostics()).toMatch(/vvp-appmanager\) may not create/);
    expect((await stack.up()).outputs["findings"]?.value).toEqual([]);
    expect(await bed.get(binding)).toBeDefined();
});

test("rules of one's own are granted and looked for", async () => {
    const own = [
        ...platformRules,
        { apiGroups: ["networking.k8s.io"], resources: ["ingresses"], verbs: ["create"] },
    ];
    wish.kubernetes = { ...wish.kubernetes, grant: own };
    expect(changesOf(await stack.up()).map(({ name }) => name)).toEqual(["ws-role", "ws-check"]);
});

test("after destroy nothing of it is left, the namespace included", async () => {
    await stack.destroy();
    expect(await targets()).toBe(0);
    expect(await namesOf(policies(fluss))).toEqual(["deny-all"]);
    expect(await bed.get(`/api/v1/namespaces/${jobs}`)).toBeUndefined();
});

/** What the last operation told, all severities. */
function diagnostics(): string {
    return stack.events.map(({ diagnosticEvent }) => diagnosticEvent?.message ?? "").join("\n");
}

async function namesOf(list: string): Promise<string[]> {
    const found = (await bed.get(list)) as KubeObject;
    return found.items.map(({ metadata }) => metadata.name).sort();
}
