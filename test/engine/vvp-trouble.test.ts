import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
    VvpDeployment,
    VvpDeploymentTarget,
    VvpSavepoint,
    VvpSecretValue,
    VvpSessionCluster,
} from "../../dynamic-providers/vvp/resources.ts";
import { engineVersion, token, vvpWorkspace, type Workspace, writeTokenFile } from "./vvp-platform.ts";

/** What ends a run half-way: a start that never comes to its end, and a token that is gone before the run is. */

const never = 1_000_000;
const wish = { session: false, job: false, savepoint: false, timeoutSeconds: 3 };
const tokenFile = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "vvp-trouble-")), "config.yml");
let w: Workspace;

beforeAll(async () => {
    w = await vvpWorkspace(
        (connection) => {
            const target = new VvpDeploymentTarget("target", {
                connection,
                name: "t",
                kubernetesNamespace: "jobs",
            });
            const common = { connection, deploymentTarget: target.name, engineVersion };
            const { timeoutSeconds } = wish;
            if (wish.session) new VvpSessionCluster("session", { ...common, name: "s", timeoutSeconds });
            if (wish.job) {
                const { deploymentId } = new VvpDeployment("job", {
                    ...common,
                    name: "writer",
                    sqlScript: "INSERT INTO a SELECT * FROM b",
                    healthySeconds: 0,
                    timeoutSeconds,
                });
                if (wish.savepoint) {
                    new VvpSavepoint("savepoint", { connection, deploymentId, timeoutSeconds });
                }
            }
            return {};
        },
        {},
        { env: { VV_CONFIG: tokenFile } },
    );
    writeTokenFile(tokenFile, w.platform.url, token);
    await w.stack.up();
});
afterAll(async () => {
    await w.dispose();
    fs.rmSync(path.dirname(tokenFile), { recursive: true, force: true });
});

const failureOf = (run: Promise<unknown>) =>
    run.then(
        () => expect.fail("it went well"),
        (error: Error) => error.message,
    );
/** What the stack's state holds of a resource. */
const held = async (name: string) => {
    const { deployment } = await w.stack.export();
    const all = deployment.resources as { urn: string; outputs: Record<string, unknown> }[];
    return all.find(({ urn }) => urn.endsWith(`::${name}`))?.outputs;
};

describe("a start that never comes to its end", () => {
    test("of a session cluster: the deadline ends it with the state, and the next run goes on with the same one", async () => {
        wish.session = true;
        w.platform.setTransitionReads(never);
        const before = w.calls("getSessionCluster");
        expect(await failureOf(w.stack.up())).toMatch(
            /waited 3 s for session cluster 's' to be RUNNING, but it is still STARTING\.\s+What to do: .*raise timeoutSeconds.*SESSION_CLUSTER_STARTING/s,
        );
        // Four in three seconds of waiting; the others look for it before it is made, and for what is recorded.
        expect(w.calls("getSessionCluster") - before).toBeLessThanOrEqual(4 + 3);
        expect(await held("session")).toMatchObject({ status: "STARTING" });
        w.platform.setTransitionReads(0);
        expect((await w.stack.up()).changes).toMatchObject({ update: 1 });
        expect(await held("session")).toMatchObject({ status: "RUNNING" });
        expect(w.calls("createSessionCluster")).toBe(1);
    });

    test("of a job: the deadline ends it with the state and the job's id, and the next run starts no second one", async () => {
        wish.job = true;
        const seen = w.flink.job;
        w.flink.job = async () => ({
            state: "RESTARTING",
            allVerticesRunning: false,
            restarts: 0,
            lastException: { message: "NoResourceAvailableException: no slots", at: 1 },
        });
        const before = w.calls("getJob");
        expect(await failureOf(w.stack.up())).toMatch(
            /waited 3 s for job \S+ of deployment 'writer' to be RUNNING, but it is STARTING: JobException: NoResourceAvailable.*raise timeoutSeconds.*JOB_STARTING/s,
        );
        expect(w.calls("getJob") - before).toBeLessThanOrEqual(4);
        const state = await held("job");
        expect(state).toMatchObject({ jobStatus: "STARTING", jobId: expect.stringMatching(/.{36}/) });
        w.flink.job = seen;
        await w.stack.up();
        expect(await held("job")).toMatchObject({ jobStatus: "RUNNING", jobId: state?.["jobId"] });
        expect(w.calls("startJob")).toBe(1);
    });

    test("of a savepoint: the deadline ends it with the state, and the next run waits for the same one", async () => {
        wish.savepoint = true;
        const take = w.flink.savepoint;
        let finish = () => {};
        w.flink.savepoint = (id) =>
            new Promise((resolve) => {
                finish = () => resolve(take(id));
            });
        expect(await failureOf(w.stack.up())).toMatch(/to be COMPLETED, but it is still STARTED/);
        expect(await held("savepoint")).toMatchObject({ status: "STARTED" });
        finish();
        await w.stack.up();
        expect(await held("savepoint")).toMatchObject({ status: "COMPLETED" });
        expect(w.calls("createSavepoint")).toBe(1);
        w.flink.savepoint = take;
    });
});

describe("a token that ends in mid-run", () => {
    const tokens = "/apitokens/v1/namespaces/default/apitokens";
    const issue = async (name: string) => {
        const body = { name: `namespaces/default/apitokens/${name}`, role: "owner" };
        const { apiToken } = await w.outside("POST", tokens, body);
        return String((apiToken as Record<string, unknown>)["secret"]);
    };
    const revoke = (name: string) => w.outside("DELETE", `${tokens}/${name}`);
    /** Resolves once the run waits for the session cluster, which it has stopped to change it. */
    const waiting = async () => {
        const from = w.calls("patchSessionCluster");
        await expect.poll(() => w.calls("patchSessionCluster"), { timeout: 60_000 }).toBeGreaterThan(from);
    };
    let changes = 0;
    const change = () => {
        changes += 1;
        wish.timeoutSeconds = 60;
        w.platform.setTransitionReads(4);
        return w.outside("PATCH", "/api/v1/namespaces/default/sessionclusters/s", {
            spec: { numberOfTaskManagers: 1 + changes },
        });
    };

    test("and was renewed in vvctl's file meanwhile: the run goes on with the new one", async () => {
        const [first, second] = [await issue("first"), await issue("second")];
        await change();
        writeTokenFile(tokenFile, w.platform.url, first);
        await w.stack.refresh();
        const run = w.stack.up();
        await waiting();
        writeTokenFile(tokenFile, w.platform.url, second);
        await revoke("first");
        expect((await run).changes).toMatchObject({ update: 1 });
        expect(await held("session")).toMatchObject({ status: "RUNNING", numberOfTaskManagers: 1 });
    });

    test("and was not: the run fails with what to do, the state knows how far it came, and the next run ends it", async () => {
        const third = await issue("third");
        await change();
        writeTokenFile(tokenFile, w.platform.url, third);
        await w.stack.refresh();
        const run = failureOf(w.stack.up());
        await waiting();
        await revoke("third");
        const told = await run;
        expect(told).toMatch(
            /could not read session cluster 's'.*401.*wrong, expired, revoked.*VV_API_TOKEN/s,
        );
        expect(told).not.toContain(third);
        writeTokenFile(tokenFile, w.platform.url, token);
        w.platform.setTransitionReads(0);
        await w.stack.refresh();
        await w.stack.up();
        expect(await held("session")).toMatchObject({ status: "RUNNING", numberOfTaskManagers: 1 });
        expect(w.calls("createSessionCluster")).toBe(1);
    });
});

test("all of it is deleted", async () => {
    await w.stack.destroy();
    const left = await w.outside("GET", "/api/v1/namespaces/default/deployment-targets");
    expect(left).toMatchObject({ items: [] });
    expect(w.platform.violations).toEqual([]);
});

test("a namespace that does not exist takes nothing away from where the object is", async () => {
    let namespace = "default";
    const other = await vvpWorkspace((connection) => {
        const place = { ...connection, namespace };
        new VvpSecretValue("secret", { connection: place, name: "key", value: "v" });
        return {};
    });
    try {
        await other.stack.up();
        namespace = "nowhere";
        expect(await failureOf(other.stack.up())).toMatch(/nowhere/);
        expect(other.calls("deleteSecretValue")).toBe(0);
        namespace = "default";
        const { changes } = await other.stack.up();
        expect(Object.keys(changes)).toEqual(["same"]);
    } finally {
        await other.dispose();
    }
});
