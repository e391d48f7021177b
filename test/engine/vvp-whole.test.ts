import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
    VvpApiToken,
    VvpArtifact,
    VvpDeployment,
    VvpDeploymentTarget,
    VvpDraft,
    VvpFlussConsoleCluster,
    VvpSavepoint,
    VvpSecretValue,
    VvpSessionCluster,
} from "../../dynamic-providers/vvp/resources.ts";
import { simulatedFlink, startVvpSimulator } from "../../local/simulators/vvp/index.ts";
import { type TestStack, testStack } from "./engine.ts";
import { engineVersion, token } from "./vvp-platform.ts";

/**
 * Every class of the platform in one stack, from nothing to nothing: on the simulated platform, or on a real one named by
 * `VV_API_HOST`, `VV_API_TOKEN`, `VV_NAMESPACE` and `VV_JOB_NAMESPACE` (its Kubernetes namespace for jobs, default
 * `VV_NAMESPACE`). What needs a fault or a look behind the platform is skipped there. Names are new in each run, and
 * whatever a failed run leaves is deleted at the end.
 */
const real = process.env["VV_API_HOST"];
const namespace = real ? (process.env["VV_NAMESPACE"] ?? "default") : "default";
const kubernetesNamespace = real ? (process.env["VV_JOB_NAMESPACE"] ?? namespace) : "jobs";
const bearer = real ? (process.env["VV_API_TOKEN"] ?? "") : token;
/** For tests that make the simulator fail or look into it; on a real platform they are shown as skipped, by name. */
const onSimulator = real ? test.skip : test;
const run = `pf-${randomBytes(4).toString("hex")}`;

/** @param rate rows a second: as a secret value's reference it shows whether the platform puts its value in */
const script = (
    to: string,
    rate = "1",
) => `CREATE TEMPORARY TABLE numbers (n INT) WITH ('connector' = 'datagen', 'rows-per-second' = '${rate}');
CREATE TEMPORARY TABLE ${to} (n INT) WITH ('connector' = 'blackhole');
INSERT INTO ${to} SELECT n FROM numbers;`;

const wish = {
    secret: "first-hush-6231",
    role: "viewer",
    rotation: "1",
    trigger: "1",
    draftScript: script("nowhere"),
    deployDraft: false,
    bootstrapServers: "coordinator.fluss:9124",
    pythonArgs: "--rounds 1",
    parallelism: 1,
    adopt: false,
};

const flink = simulatedFlink();
let simulator: Awaited<ReturnType<typeof startVvpSimulator>> | undefined;
let url: string;
let stack: TestStack;
let outputs: Record<string, { value: unknown }>;
let folder: string;

beforeAll(async () => {
    if (!real) {
        simulator = await startVvpSimulator({
            port: 0,
            token,
            flink,
            kubernetesNamespaces: ["jobs"],
            flussConsole: true,
        });
    }
    url = real ?? simulator?.url ?? "";
    const connection = { url, namespace };
    stack = await testStack({
        config: { "pulumi-fluss:vvpToken": { value: bearer, secret: true } },
        env: { VV_API_TOKEN: "" },
        program: async () => program(connection),
    });
    if (simulator) await fillFirstPage();
    folder = stack.folder;
    for (const name of ["scores.py", "library.zip"])
        fs.writeFileSync(path.join(folder, name), `# ${run} ${name}`);
});
afterAll(async () => {
    await stack.destroy().catch((error: unknown) => console.error(`cleaning up: ${String(error)}`));
    await stack.dispose();
    await simulator?.close();
});

/** As many as the platform gives at once. */
const others = 10;

/** Others' deployments, so that ours stand on the second page of their list. */
async function fillFirstPage(): Promise<void> {
    await outside("POST", `${v1}/deployment-targets`, {
        metadata: { name: "others" },
        spec: { kubernetes: { namespace: kubernetesNamespace } },
    });
    for (let n = 0; n < others; n++) {
        const made = await outside("POST", `${v2}/deployments`, {
            name: `other-${n}`,
            executionMode: "STREAMING",
            engineVersion,
            deploymentTarget: { mode: "PER_JOB", name: "others" },
            artifact: { kind: "SQLSCRIPT", sqlArtifact: { sqlScript: script("other") } },
        });
        expect(made.status).toBe(201);
    }
}

function program(connection: { url: string; namespace: string }) {
    const { adopt } = wish;
    const common = { connection, adopt };
    const target = new VvpDeploymentTarget("target", {
        ...common,
        name: `${run}-target`,
        kubernetesNamespace,
    });
    const deploymentTarget = target.name;
    const session = new VvpSessionCluster("session", {
        ...common,
        name: `${run}-session`,
        deploymentTarget,
        engineVersion,
        state: "STOPPED",
    });
    const secret = new VvpSecretValue("secret", { ...common, name: `${run}-secret`, value: wish.secret });
    const rate = new VvpSecretValue("rate", { ...common, name: `${run}-rate`, value: "1" });
    const artifact = (name: string) =>
        new VvpArtifact(name, { ...common, source: path.join(folder, name), fileName: `${run}-${name}` }).uri;
    const python = new VvpDeployment("python", {
        ...common,
        name: `${run}-python`,
        deploymentTarget,
        engineVersion,
        pythonUri: artifact("scores.py"),
        pythonLibraries: [artifact("library.zip")],
        mainArgs: wish.pythonArgs,
        // A real one would need Flink's Python and a program that goes on.
        state: real ? "CANCELLED" : "RUNNING",
        restart: "WITHOUT_STATE",
        healthySeconds: real ? 5 : 0,
    });
    const job = new VvpDeployment("job", {
        ...common,
        name: `${run}-job`,
        deploymentTarget,
        engineVersion,
        sqlScript: rate.reference.apply((reference) => script("nowhere", reference)),
        parallelism: wish.parallelism,
        healthySeconds: real ? 5 : 0,
    });
    const savepoint = new VvpSavepoint("savepoint", {
        connection,
        deploymentId: job.deploymentId,
        trigger: wish.trigger,
    });
    const draft = new VvpDraft("draft", {
        ...common,
        name: `${run}-draft`,
        deploymentTargetId: target.targetId,
        engineVersion,
        sqlScript: wish.draftScript,
        deploy: wish.deployDraft,
    });
    const apiToken = new VvpApiToken("token", {
        connection,
        name: run,
        role: wish.role,
        rotation: wish.rotation,
    });
    const cluster = new VvpFlussConsoleCluster("console", {
        connection,
        name: `${run}-fluss`,
        bootstrapServers: wish.bootstrapServers,
        password: wish.secret,
        username: "admin",
    });
    return {
        sessionStatus: session.status,
        reference: secret.reference,
        pythonStatus: python.jobStatus,
        jobId: job.jobId,
        jobStatus: job.jobStatus,
        savepointId: savepoint.savepointId,
        savepointStatus: savepoint.status,
        location: savepoint.location,
        draftId: draft.draftId,
        draftDeployment: draft.deploymentId,
        tokenName: apiToken.tokenName,
        tokenSecret: apiToken.secret,
        registered: cluster.registered,
        reason: cluster.reason,
        health: cluster.health,
    };
}

const up = async () => {
    const done = await stack.up();
    outputs = done.outputs;
    return done.changes;
};
const value = (name: string) => String(outputs[name]?.value);
const outside = async (method: string, where: string, body?: unknown, as = bearer) => {
    const answer = await fetch(url + where, {
        method,
        headers: {
            authorization: `Bearer ${as}`,
            workspace: "defaultworkspace",
            "content-type": "application/json",
        },
        body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, json: (text ? JSON.parse(text) : {}) as Record<string, unknown> };
};
const v1 = `/api/v1/namespaces/${namespace}`;
const v2 = `/api/v2/namespaces/${namespace}`;
const calls = (operationId: string) =>
    (simulator?.requests ?? []).filter((request) => request.operationId === operationId).length;
const resources = 13;

/** Every list that this test's objects can stand in. */
const lists = [
    `${v1}/deployment-targets`,
    `${v1}/sessionclusters`,
    `${v1}/secret-values`,
    `${v2}/deployments`,
    `/artifacts/v1/namespaces/${namespace}/artifacts:list`,
    `/apitokens/v1/namespaces/${namespace}/apitokens`,
    `${v1}/folders/search?keyword=${run}&artifactKind=SQLSCRIPT`,
    // A real platform need not have the Console.
    ...(real ? [] : ["/fluss/api/v1/clusters"]),
];

/** Of each list, all its pages: whether something of this run stands in it. */
async function everything(): Promise<Record<string, { mine: boolean; pages: number }>> {
    const found: Record<string, { mine: boolean; pages: number }> = {};
    for (const where of lists) {
        const pages: string[] = [];
        for (let page = 1; ; page++) {
            const paging = `${where.includes("?") ? "&" : "?"}pageIndex=${page}`;
            const { status, json } = await outside("GET", where + paging);
            expect(status, where).toBe(200);
            const text = JSON.stringify(entriesOf(json));
            // A list that knows no pages gives the same one again.
            if (text === "[]" || text === pages.at(-1)) break;
            pages.push(text);
        }
        found[where] = { mine: pages.some((text) => text.includes(run)), pages: pages.length };
    }
    return found;
}

/** A list stands alone, in `data` or `items`, or one level deeper. */
function entriesOf(json: unknown): unknown[] {
    if (Array.isArray(json)) return json;
    if (typeof json !== "object" || json === null) return [];
    const values = Object.values(json);
    return values.find(Array.isArray) ?? values.map(entriesOf).find((list) => list.length > 0) ?? [];
}

describe("every class in one stack", () => {
    test("is made, although on the simulator each answer gets lost, and then nothing changes", async () => {
        const made = [
            "createSavepoint",
            "createDraft",
            "registerFlussCluster",
            "createDeployment",
            "startJob",
        ];
        for (const operation of made) simulator?.faults.loseNextAnswer(operation);
        await up();
        expect(value("sessionStatus")).toBe("STOPPED");
        expect(value("reference")).toBe(`\${secret_values.${run}-secret}`);
        expect(value("jobStatus")).toBe("RUNNING");
        expect(value("savepointStatus")).toBe("COMPLETED");
        expect(value("location")).not.toBe("");
        if (simulator) {
            expect(made.map(calls)).toEqual([1, 1, 1, others + 2, 2]);
            expect([value("pythonStatus"), value("registered"), value("health")]).toEqual([
                "RUNNING",
                "true",
                "HEALTHY",
            ]);
        }
        expect((await stack.up()).changes).toEqual({ same: resources });
        expect((await stack.refresh()).changes).toEqual({ same: resources });
    });

    onSimulator("P20: the secret value that the job names came into it as it was written", async () => {
        // On a real platform the job would not run without it.
        expect(flink.statements.filter((text) => text.includes("'rows-per-second' = '1'"))).toHaveLength(1);
        expect(flink.statements.join()).not.toContain("secret_values");
    });

    test("no secret is in clear in the state, and the token that was made works", async () => {
        const state = JSON.stringify(await stack.export());
        expect(state).not.toContain(wish.secret);
        expect(state).not.toContain(value("tokenSecret"));
        const answer = await outside("GET", `${v1}/deployment-targets`, undefined, value("tokenSecret"));
        expect(answer.status).toBe(200);
    });

    test("a rotated token is there before the old one is deleted, and the old one stops working", async () => {
        const [name, secret] = [value("tokenName"), value("tokenSecret")];
        wish.rotation = "2";
        expect(await up()).toMatchObject({ replace: 1 });
        expect(value("tokenName")).not.toBe(name);
        expect((await outside("GET", `${v1}/deployment-targets`, undefined, secret)).status).toBe(401);
    });

    test("a new trigger takes a new savepoint, and then deletes the old one", async () => {
        const old = value("savepointId");
        wish.trigger = "2";
        expect(await up()).toMatchObject({ replace: 1 });
        expect(value("savepointId")).not.toBe(old);
        expect((await outside("GET", `${v2}/savepoints/${old}`)).status).toBe(404);
    });

    test("a changed script makes a new draft; deploying it makes a deployment", async () => {
        const old = value("draftId");
        wish.draftScript = script("elsewhere");
        expect(await up()).toMatchObject({ replace: 1 });
        expect((await outside("GET", `${v1}/deployment-drafts/${old}`)).status).toBe(404);
        wish.deployDraft = true;
        expect(await up()).toMatchObject({ update: 1 });
        expect((await outside("GET", `${v2}/deployments/${value("draftDeployment")}`)).status).toBe(200);
    });

    test("a changed parallelism restarts the job from its state", async () => {
        const old = value("jobId");
        wish.parallelism = 2;
        await up();
        expect(value("jobId")).not.toBe(old);
        expect(value("jobStatus")).toBe("RUNNING");
        const { json } = await outside("GET", `${v2}/jobs/${value("jobId")}`);
        expect(json["data"] ?? json).toMatchObject({ restoreStrategy: { kind: "LATEST_STATE" } });
    });

    onSimulator("a changed argument restarts the Python program with it", async () => {
        wish.pythonArgs = "--rounds 2";
        expect(await up()).toMatchObject({ update: 1 });
        expect(flink.pythonRuns.at(-1)?.args).toEqual(["--rounds", "2"]);
        expect(flink.pythonRuns.at(-1)?.libraries).toHaveLength(1);
    });

    onSimulator("a registration is changed in place", async () => {
        wish.bootstrapServers = "other.fluss:9124";
        expect(await up()).toMatchObject({ update: 1 });
        const { json } = await outside("GET", "/fluss/api/v1/clusters");
        expect(json).toMatchObject({ items: [{ bootstrapEndpoint: "other.fluss:9124" }] });
    });

    test("what somebody else deletes is missed by a refresh, and made again", async () => {
        await outside("DELETE", `${v1}/deployment-drafts/${value("draftId")}`);
        await outside("DELETE", `${v2}/savepoints/${value("savepointId")}`);
        await outside("DELETE", `/apitokens/v1/namespaces/${namespace}/apitokens/${value("tokenName")}`);
        expect((await stack.refresh()).changes).toMatchObject({ delete: 3 });
        wish.deployDraft = false;
        await outside("DELETE", `${v2}/deployments/${value("draftDeployment")}`);
        expect(await up()).toMatchObject({ create: 3 });
        expect((await stack.up()).changes).toEqual({ same: resources });
    });

    onSimulator("a console that is gone fails nothing, and its reason is told", async () => {
        simulator?.faults.failNext("listFlussClusters", 404, { message: "no such page" });
        wish.bootstrapServers = "third.fluss:9124";
        await up();
        expect(value("registered")).toBe("false");
        expect(value("reason")).toMatch(/404/);
    });

    onSimulator(
        "a savepoint that fails is told with Flink's reason, and the next run takes one",
        async () => {
            wish.trigger = "3";
            flink.failNextSavepoint("a task is not running");
            await expect(stack.up()).rejects.toThrow(/it FAILED: SavepointFailed: .*a task is not running/s);
            await up();
            expect(value("savepointStatus")).toBe("COMPLETED");
        },
    );

    test("everything is deleted, and nothing is left on the platform", async () => {
        const before = await everything();
        for (const where of lists) expect(before, where).toHaveProperty([where, "mine"], true);
        if (simulator) expect(before[`${v2}/deployments`]?.pages).toBe(2);
        const savepoint = value("savepointId");
        await stack.destroy();
        const after = await everything();
        for (const where of lists) expect(after, where).toHaveProperty([where, "mine"], false);
        expect((await outside("GET", `${v2}/savepoints/${savepoint}`)).status).toBe(404);
        expect(simulator?.violations ?? []).toEqual([]);
    });
});
