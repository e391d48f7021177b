import { describe, expect, it } from "vitest";
import { bench, CLUSTERS, closeAfterEach, ENGINE, SECRETS, TARGETS } from "./harness.ts";

closeAfterEach();
const TOKENS = "/apitokens/v1/namespaces/default/apitokens";
const target = (name = "target", namespace = "fluss-quickstart") => ({
    metadata: { name },
    spec: { kubernetes: { namespace } },
});

describe("access", () => {
    it("wants the token", async () => {
        const { call } = await bench();
        expect((await call("GET", TARGETS, undefined, { authorization: "" })).status).toBe(401);
        const wrong = await call("GET", TARGETS, undefined, { authorization: "Bearer wrong-token" });
        expect(wrong.status).toBe(401);
        expect(wrong.text).not.toContain("wrong-token");
        expect((await call("GET", "/api/v2/namespaces/default/deployments")).status).toBe(200);
    });

    it("knows its workspace and its namespaces", async () => {
        const { call } = await bench({ namespaces: ["default", "other"] });
        expect((await call("GET", TARGETS, undefined, { workspace: "elsewhere" })).status).toBe(403);
        expect((await call("GET", TARGETS.replace("default", "nowhere"))).status).toBe(404);
        const { body } = await call("GET", "/namespaces/v1/namespaces");
        expect(body.namespaces.map(({ name }: { name: string }) => name)).toEqual([
            "namespaces/default",
            "namespaces/other",
        ]);
    });

    it("makes API tokens whose secret is told once, and honours role and namespace", async () => {
        const { call } = await bench({ namespaces: ["default", "other"] });
        const make = async (name: string, role: string) => {
            const made = await call("POST", TOKENS, { name: `namespaces/default/apitokens/${name}`, role });
            return { authorization: `Bearer ${made.body.apiToken.secret as string}` };
        };
        const viewer = await make("viewer", "viewer");
        const editor = await make("editor", "editor");
        const owner = await make("owner", "owner");
        expect((await call("GET", TARGETS, undefined, viewer)).status).toBe(200);
        const secret = { metadata: { name: "s" }, spec: { kind: "PLAIN", value: "v" } };
        expect((await call("POST", SECRETS, secret, viewer)).status).toBe(403);
        expect((await call("POST", SECRETS, secret, editor)).status).toBe(201);
        expect((await call("POST", TARGETS, target(), editor)).status).toBe(403);
        expect((await call("POST", TARGETS, target(), owner)).status).toBe(201);
        expect((await call("GET", TARGETS.replace("default", "other"), undefined, owner)).status).toBe(403);
        expect((await call("GET", TOKENS)).body.apiTokens).toHaveLength(3);
        expect((await call("GET", `${TOKENS}/owner`)).body.apiToken.secret).toBeUndefined();
        await call("DELETE", `${TOKENS}/owner`);
        expect((await call("GET", TARGETS, undefined, owner)).status).toBe(401);
        const again = await call("POST", `${TOKENS}/viewer:regenerate`);
        expect((await call("GET", TARGETS, undefined, viewer)).status).toBe(401);
        const fresh = { authorization: `Bearer ${again.body.apiToken.secret as string}` };
        expect((await call("GET", TARGETS, undefined, fresh)).status).toBe(200);
    });

    it("lists engine versions", async () => {
        const { call } = await bench();
        const { body } = await call("GET", "/api/v2/engine-version-meta.json");
        expect(body.data.defaultEngineVersion).toBe(ENGINE);
    });
});

describe("deployment targets", () => {
    it("are made once, listed, read and deleted", async () => {
        const { call } = await bench();
        const made = await call("POST", TARGETS, target());
        expect(made.status).toBe(201);
        expect(made.body.metadata).toMatchObject({
            name: "target",
            namespace: "default",
            resourceVersion: 1,
        });
        expect((await call("POST", TARGETS, target())).status).toBe(409);
        expect((await call("GET", TARGETS)).body.items).toHaveLength(1);
        expect((await call("GET", `${TARGETS}/target`)).body.metadata.id).toBe(made.body.metadata.id);
        expect((await call("DELETE", `${TARGETS}/target`)).status).toBe(200);
        expect((await call("GET", `${TARGETS}/target`)).status).toBe(404);
        expect((await call("DELETE", `${TARGETS}/target`)).status).toBe(404);
    });

    it("refuse bad names, unknown Kubernetes namespaces and changes of the spec", async () => {
        const { call } = await bench();
        expect((await call("POST", TARGETS, target("not a name"))).status).toBe(400);
        expect((await call("POST", TARGETS, { ...target(), spec: { kubernets: {} } })).status).toBe(400);
        const unknown = await call("POST", TARGETS, target("t", "kube-system"));
        expect(unknown.status).toBe(400);
        expect(unknown.body.message).toContain("kube-system");
        await call("POST", TARGETS, target());
        const moved = { spec: { kubernetes: { namespace: "elsewhere" } } };
        expect((await call("PATCH", `${TARGETS}/target`, moved)).status).toBe(400);
        const labelled = await call("PATCH", `${TARGETS}/target`, { metadata: { labels: { a: "1" } } });
        expect(labelled.body.metadata).toMatchObject({ labels: { a: "1" }, resourceVersion: 2 });
    });

    it("cannot be deleted while they are used", async () => {
        const { call, deploy } = await bench();
        const id = await deploy();
        const refused = await call("DELETE", `${TARGETS}/target`);
        expect(refused.status).toBe(409);
        expect(refused.body.message).toContain("deployment fluss-quickstart-tiering");
        await call("DELETE", `/api/v2/namespaces/default/deployments/${id}`);
        expect((await call("DELETE", `${TARGETS}/target`)).status).toBe(200);
    });
});

describe("session clusters", () => {
    const cluster = (spec: Record<string, unknown> = {}) => ({
        metadata: { name: "session" },
        spec: { state: "RUNNING", deploymentTargetName: "target", versionName: ENGINE, ...spec },
    });

    it("start in some reads and take few changes while they run", async () => {
        const { call } = await bench({ transitionReads: 2 });
        await call("POST", TARGETS, target());
        const made = await call("POST", CLUSTERS, cluster());
        const read = async () => (await call("GET", `${CLUSTERS}/session`)).body.status.state as string;
        expect(made.body.status.state).toBe("STARTING");
        expect([await read(), await read(), await read()]).toEqual(["STARTING", "STARTING", "RUNNING"]);
        const patch = (spec: unknown) => call("PATCH", `${CLUSTERS}/session`, { spec });
        const refused = await patch({ flinkConfiguration: { "taskmanager.numberOfTaskSlots": "16" } });
        expect(refused.status).toBe(409);
        expect(refused.body.message).toContain("flinkConfiguration");
        expect((await patch({ deploymentTargetName: "target" })).status).toBe(200);
        expect((await patch({ numberOfTaskManagers: 2 })).body.status.state).toBe("UPDATING");
        expect((await call("DELETE", `${CLUSTERS}/session`)).status).toBe(409);
        expect((await call("DELETE", `${TARGETS}/target`)).status).toBe(409);
        expect((await patch({ state: "STOPPED" })).body.status.state).toBe("STOPPING");
        expect([await read(), await read(), await read()]).toEqual(["STOPPING", "STOPPING", "STOPPED"]);
        expect((await patch({ flinkConfiguration: { a: "b" } })).status).toBe(200);
        expect((await call("DELETE", `${CLUSTERS}/session`)).status).toBe(200);
    });

    it.each([
        ["vera-4.5-jdk17-flink-1.20", "StartFailed"],
        ["vera-9.9", "UnknownEngineVersion"],
    ])("fail to start on engine %s", async (versionName, reason) => {
        const { call } = await bench({ transitionReads: 0 });
        await call("POST", TARGETS, target());
        await call("POST", CLUSTERS, cluster({ versionName }));
        const { body } = await call("GET", `${CLUSTERS}/session`);
        expect(body.status).toMatchObject({ state: "FAILED", failure: { reason } });
    });

    it("fail to start when Flink does not answer, and start again", async () => {
        const { call, flink } = await bench({ transitionReads: 0 });
        await call("POST", TARGETS, target());
        flink.reachable = false;
        await call("POST", CLUSTERS, cluster());
        const failed = await call("GET", `${CLUSTERS}/session`);
        expect(failed.body.status.failure.message).toContain("ECONNREFUSED");
        flink.reachable = true;
        await call("PATCH", `${CLUSTERS}/session`, { spec: { state: "RUNNING" } });
        expect((await call("GET", `${CLUSTERS}/session`)).body.status.state).toBe("RUNNING");
    });

    it("stop when idle and keep their desired state", async () => {
        const { call, simulator } = await bench({ transitionReads: 0 });
        await call("POST", TARGETS, target());
        await call("POST", CLUSTERS, cluster());
        simulator.stopIdleSessionCluster("default", "session");
        const { body } = await call("GET", `${CLUSTERS}/session`);
        expect([body.spec.state, body.status.state]).toEqual(["RUNNING", "STOPPED"]);
    });

    it("need an existing target and no unknown settings", async () => {
        const { call } = await bench();
        expect((await call("POST", CLUSTERS, cluster())).status).toBe(400);
        await call("POST", TARGETS, target());
        expect((await call("POST", CLUSTERS, cluster({ flinkConf: {} }))).status).toBe(400);
    });
});

describe("secret values", () => {
    it("are written, replaced, listed and deleted, and never come back", async () => {
        const { call } = await bench();
        const body = (value: string) => ({
            metadata: { name: "fluss-password" },
            spec: { kind: "PLAIN", value },
        });
        const replies = [
            await call("POST", SECRETS, body("first-value")),
            await call("GET", `${SECRETS}/fluss-password`),
            await call("GET", SECRETS),
            await call("PATCH", `${SECRETS}/fluss-password`, { spec: { value: "second-value" } }),
        ];
        expect(replies.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
        for (const { text } of replies) expect(text).not.toMatch(/first-value|second-value/);
        expect(replies[3]?.body.metadata.resourceVersion).toBe(2);
        const taken = await call("POST", SECRETS, body("third-value"));
        expect([taken.status, taken.text.includes("third-value")]).toEqual([409, false]);
        expect(
            (await call("POST", SECRETS, { metadata: { name: "x" }, spec: { kind: "PLAIN" } })).status,
        ).toBe(400);
        expect((await call("DELETE", `${SECRETS}/fluss-password`)).status).toBe(200);
        expect((await call("GET", `${SECRETS}/fluss-password`)).status).toBe(404);
    });
});
