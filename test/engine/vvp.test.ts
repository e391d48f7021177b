import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
    VvpDeploymentTarget,
    VvpSecretValue,
    VvpSessionCluster,
} from "../../dynamic-providers/vvp/resources.ts";
import { engineVersion, token, vvpWorkspace, type Workspace } from "./vvp-platform.ts";

const v1 = "/api/v1/namespaces/default";
let w: Workspace;

describe("deployment target", () => {
    const wish = { name: "target", kubernetesNamespace: "jobs", adopt: false };

    beforeAll(async () => {
        w = await vvpWorkspace((connection) => ({
            targetId: new VvpDeploymentTarget("target", { connection, ...wish }).targetId,
        }));
    });
    afterAll(() => w.dispose());

    test("is made once, although the answer gets lost, and then nothing changes", async () => {
        w.platform.faults.loseNextAnswer("createDeploymentTarget");
        const { outputs } = await w.stack.up();
        const made = await w.outside("GET", `${v1}/deployment-targets/target`);
        expect(made).toMatchObject({ metadata: { id: outputs["targetId"]?.value } });
        expect(w.calls("createDeploymentTarget")).toBe(1);
        expect((await w.stack.up()).changes).toEqual({ same: 2 });
    });

    test("another name is another target; the old one is deleted, although the answer gets lost", async () => {
        wish.name = "other";
        w.platform.faults.loseNextAnswer("deleteDeploymentTarget");
        expect((await w.stack.up()).changes).toMatchObject({ replace: 1 });
        await expect(w.outside("GET", `${v1}/deployment-targets/target`)).rejects.toThrow("404");
    });

    test("changed outside (made anew with another namespace): refresh shows it, the next run would replace it", async () => {
        const metadata = { id: "8a7f2f0e-0000-4000-8000-000000000001", name: "other" };
        const body = { metadata, spec: { kubernetes: { namespace: "elsewhere" } } };
        w.platform.faults.failNext("getDeploymentTarget", 200, body);
        await w.stack.refresh();
        expect((await w.stack.preview()).changes).toMatchObject({ replace: 1 });
    });

    test("deleted outside: refresh drops it. What exists already is an error that says how to take it over; adopt does it", async () => {
        await w.outside("DELETE", `${v1}/deployment-targets/other`);
        expect((await w.stack.refresh()).changes).toMatchObject({ delete: 1 });
        await w.outside("POST", `${v1}/deployment-targets`, {
            metadata: { name: "other" },
            spec: { kubernetes: { namespace: "jobs" } },
        });
        await expect(w.stack.up()).rejects.toThrow(
            /'other' in namespace 'default' exists already.*adopt: true/s,
        );
        wish.adopt = true;
        expect((await w.stack.up()).changes).toMatchObject({ create: 1 });
    });

    test("a Kubernetes namespace that is not there is told", async () => {
        wish.kubernetesNamespace = "nowhere";
        await expect(w.stack.up()).rejects.toThrow("Kubernetes namespace nowhere does not exist");
        wish.kubernetesNamespace = "jobs";
    });

    test("is deleted with the stack", async () => {
        await w.stack.destroy();
        expect(await w.outside("GET", `${v1}/deployment-targets`)).toMatchObject({ items: [] });
        expect(w.platform.violations).toEqual([]);
    });
});

describe("session cluster and secret value", () => {
    const session = {
        name: "session",
        engineVersion,
        numberOfTaskManagers: 1,
        keepRunning: false,
        flinkConfiguration: { "taskmanager.numberOfTaskSlots": "16", extra: "1" } as Record<string, string>,
    };
    const secret = { name: "fluss-password", value: "first-hush-1234" };
    const cluster = () => w.outside("GET", `${v1}/sessionclusters/session`);

    beforeAll(async () => {
        w = await vvpWorkspace((connection) => {
            const target = { connection, name: "target", kubernetesNamespace: "jobs" };
            const deploymentTarget = new VvpDeploymentTarget("target", target).name;
            const { status } = new VvpSessionCluster("session", { connection, deploymentTarget, ...session });
            const { reference } = new VvpSecretValue("secret", { connection, ...secret });
            return { status, reference };
        });
    });
    afterAll(() => w.dispose());

    test("a jdk17 engine is refused in the preview, before any call", async () => {
        session.engineVersion = "vera-4.5-jdk17-flink-1.20";
        await expect(w.stack.preview()).rejects.toThrow(
            /jdk17 engine does not start a session cluster.*jdk11/s,
        );
        expect(w.platform.requests).toEqual([]);
        session.engineVersion = engineVersion;
    });

    test("are made once, although the answers get lost, and then nothing changes", async () => {
        w.platform.faults.loseNextAnswer("createSessionCluster");
        w.platform.faults.loseNextAnswer("createSecretValue");
        const { outputs } = await w.stack.up();
        expect(outputs["status"]?.value).toBe("RUNNING");
        expect(outputs["reference"]?.value).toBe("${secret_values.fluss-password}");
        expect([w.calls("createSessionCluster"), w.calls("createSecretValue")]).toEqual([1, 1]);
        expect((await w.stack.up()).changes).toEqual({ same: 4 });
    });

    test("neither the secret nor the API token is in clear in the state", async () => {
        const state = JSON.stringify(await w.stack.export());
        expect(state).not.toContain(secret.value);
        expect(state).not.toContain(token);
    });

    test("more task managers come without a stop; a new secret is written again when the answer gets lost", async () => {
        session.numberOfTaskManagers = 2;
        secret.value = "second-hush-1234";
        const before = w.calls("patchSessionCluster");
        w.platform.faults.loseNextAnswer("patchSecretValue");
        expect((await w.stack.up()).changes).toMatchObject({ update: 2 });
        expect(w.calls("patchSessionCluster")).toBe(before + 1);
        expect(await cluster()).toMatchObject({ spec: { numberOfTaskManagers: 2 } });
    });

    test("other settings stop it, change it and start it; a dropped option is gone", async () => {
        delete session.flinkConfiguration["extra"];
        const { outputs } = await w.stack.up();
        expect(outputs["status"]?.value).toBe("RUNNING");
        const { spec } = (await cluster()) as { spec: { flinkConfiguration: unknown } };
        expect(spec.flinkConfiguration).toEqual({ "taskmanager.numberOfTaskSlots": "16" });
    });

    test("an idle stop is no drift, unless it is to be kept running", async () => {
        w.platform.stopIdleSessionCluster("default", "session");
        await w.stack.refresh();
        expect((await w.stack.preview()).changes).toEqual({ same: 4 });
        session.keepRunning = true;
        await w.stack.up();
        w.platform.stopIdleSessionCluster("default", "session");
        await w.stack.refresh();
        expect((await w.stack.up()).changes).toMatchObject({ update: 1 });
        expect(await cluster()).toMatchObject({ status: { state: "RUNNING" } });
    });

    test("changed outside: refresh shows it without the secret, the next run repairs it", async () => {
        await w.outside("PATCH", `${v1}/sessionclusters/session`, { spec: { numberOfTaskManagers: 5 } });
        const theirs = { spec: { kind: "PLAIN", value: "theirs" } };
        await w.outside("PATCH", `${v1}/secret-values/fluss-password`, theirs);
        expect((await w.stack.refresh()).changes).toMatchObject({ update: 2 });
        expect(JSON.stringify(await w.stack.export())).not.toContain(secret.value);
        const before = w.calls("patchSecretValue");
        await w.stack.up();
        expect(w.calls("patchSecretValue")).toBe(before + 1);
        expect(await cluster()).toMatchObject({ spec: { numberOfTaskManagers: 2 } });
    });

    test("a start that fails is told with its reason, and the next run goes on from there", async () => {
        w.flink.reachable = false;
        session.flinkConfiguration["taskmanager.numberOfTaskSlots"] = "8";
        await expect(w.stack.up()).rejects.toThrow(/'session' to be RUNNING: it FAILED: FlinkUnreachable/);
        w.flink.reachable = true;
        expect((await w.stack.up()).changes).toMatchObject({ update: 1 });
        expect(await cluster()).toMatchObject({ status: { state: "RUNNING" } });
    });

    test("deleted outside: refresh drops them, the next run makes them again", async () => {
        await w.outside("DELETE", `${v1}/secret-values/fluss-password`);
        await w.outside("PATCH", `${v1}/sessionclusters/session`, { spec: { state: "STOPPED" } });
        await expect.poll(cluster).toMatchObject({ status: { state: "STOPPED" } });
        await w.outside("DELETE", `${v1}/sessionclusters/session`);
        expect((await w.stack.refresh()).changes).toMatchObject({ delete: 2 });
        expect((await w.stack.up()).changes).toMatchObject({ create: 2 });
    });

    test("are deleted, the cluster stopped and before its target", async () => {
        await w.stack.destroy();
        for (const kind of ["sessionclusters", "secret-values", "deployment-targets"]) {
            expect(await w.outside("GET", `${v1}/${kind}`)).toMatchObject({ items: [] });
        }
        expect(w.platform.violations).toEqual([]);
    });
});

describe("the API token", () => {
    const program = (connection: { url: string }) => {
        new VvpSecretValue("secret", { connection, name: "s", value: "hush-hush-77" });
        return {};
    };

    test("a wrong one is told without showing it, and makes nothing", async () => {
        const wrong = "wrong-token-9f8e7d";
        w = await vvpWorkspace(program, { "pulumi-fluss:vvpToken": { value: wrong, secret: true } });
        const error = await w.stack.up().catch((caught: Error) => caught);
        expect(String(error)).toMatch(/401.*VV_API_TOKEN/s);
        expect(String(error)).not.toContain(wrong);
        expect(w.calls("createSecretValue")).toBe(0);
        await w.dispose();
    });

    test("a missing one is told with both ways to give it", async () => {
        w = await vvpWorkspace(program, {});
        await expect(w.stack.up()).rejects.toThrow(
            /VV_API_TOKEN.*pulumi config set --secret pulumi-fluss:vvpToken/s,
        );
        await w.dispose();
    });
});
