import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { simulatedFlink } from "../../../local/simulators/vvp/index.ts";
import {
    bench,
    CLUSTERS,
    closeAfterEach,
    DEPLOYMENTS,
    ENGINE,
    JOBS,
    SECRETS,
    sqlArtifact,
    TARGETS,
} from "./harness.ts";

/** Rules of the platform that no schema tells, besides those in the tests of each part. */

closeAfterEach();
const TOKENS = "/apitokens/v1/namespaces/default/apitokens";
const EVENTS = "/api/v1/namespaces/default/events";
const DRAFTS = "/api/v1/namespaces/default/deployment-drafts";
const root = fs.mkdtempSync(path.join(os.tmpdir(), "vvp-rules-"));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

// The simulator's clock, so that no test depends on how fast the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());
const later = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

const session = {
    metadata: { name: "session" },
    spec: { state: "RUNNING", deploymentTargetName: "target", versionName: ENGINE },
};

describe("an API token", () => {
    it("is refused from its expiry on, and not before", async () => {
        const { call } = await bench();
        const expireTime = new Date(Date.now() + 60_000).toISOString();
        const made = await call("POST", TOKENS, {
            name: "namespaces/default/apitokens/short",
            role: "viewer",
            expireTime,
        });
        const headers = { authorization: `Bearer ${made.body.apiToken.secret as string}` };
        expect((await call("GET", TARGETS, undefined, headers)).status).toBe(200);
        later(60.1);
        expect((await call("GET", TARGETS, undefined, headers)).status).toBe(401);
    });
});

describe("a session cluster that is idle", () => {
    it("stops by itself, keeps its desired state, and starts again when that is written", async () => {
        const { call, deploy } = await bench({ transitionReads: 0, idleSeconds: 100 });
        await deploy();
        await call("POST", CLUSTERS, session);
        const read = async () => (await call("GET", `${CLUSTERS}/session`)).body;
        expect((await read()).status.state).toBe("RUNNING");
        later(101);
        expect(await read()).toMatchObject({ spec: { state: "RUNNING" }, status: { state: "STOPPED" } });
        await call("PATCH", `${CLUSTERS}/session`, { spec: { state: "RUNNING" } });
        expect((await read()).status.state).toBe("RUNNING");
    });

    it("is not idle while a job runs on it, and has its whole time again afterwards", async () => {
        const { call, deploy, start, until } = await bench({ transitionReads: 0, idleSeconds: 100 });
        await deploy();
        await call("POST", CLUSTERS, session);
        const read = async () => (await call("GET", `${CLUSTERS}/session`)).body.status.state;
        expect(await read()).toBe("RUNNING");
        const id = await deploy({
            name: "on-session",
            deploymentTarget: { mode: "SESSION", name: "session" },
            artifact: sqlArtifact("INSERT INTO a SELECT 1"),
        });
        const job = await start(id);
        await until(job, "RUNNING");
        later(101);
        expect(await read()).toBe("RUNNING");
        await call("POST", `${JOBS}/${job}:stop`, { stopStrategy: "NONE" });
        await until(job, "CANCELLED");
        expect(await read()).toBe("RUNNING");
        later(101);
        expect(await read()).toBe("STOPPED");
    });
});

describe("jobs", () => {
    it("go from CANCELLING to CANCELLED, and a batch job that is through is FINISHED", async () => {
        const { call, deploy, start, until, flink } = await bench();
        const job = await start(await deploy());
        await until(job, "RUNNING");
        const stopped = await call("POST", `${JOBS}/${job}:stop`, { stopStrategy: "NONE" });
        expect(stopped.body.data.status.currentJobStatus).toBe("CANCELLING");
        await until(job, "CANCELLED");
        const batch = await start(await deploy({ name: "batch", executionMode: "BATCH" }));
        await until(batch, "RUNNING");
        flink.finish(flink.jobIds.at(-1) ?? "");
        await until(batch, "FINISHED");
    });

    it("fail with `No LakeStoragePlugin available` without the catalog's lake JAR", async () => {
        const { deploy, start, until, upload, execute } = await bench();
        const jars = [await upload("fluss-client.jar"), await upload("fluss-lake-iceberg-1.0.0.jar")];
        await execute("CREATE CATALOG fluss WITH ('type' = 'fluss')", { additionalDependencies: jars });
        const insert = "INSERT INTO `fluss`.`d`.`t` SELECT 1";
        const bare = await until(
            await start(await deploy({ artifact: sqlArtifact(insert, jars.slice(0, 1)) })),
            "FAILED",
        );
        expect(bare.body.data.status.failure.message).toMatch(
            /^No LakeStoragePlugin available: .*fluss-lake-iceberg/,
        );
    });
});

describe("the event log", () => {
    it("tells the states of each job and session cluster, with the failure's message, and no secret", async () => {
        const { call, deploy, start, until, flink } = await bench({ transitionReads: 0 });
        await call("POST", SECRETS, {
            metadata: { name: "pw" },
            spec: { kind: "PLAIN", value: "s3cr3t-pw" },
        });
        const id = await deploy();
        const other = await start(await deploy({ name: "other" }));
        await until(other, "RUNNING");
        const job = await start(id);
        await until(job, "RUNNING");
        flink.restart(flink.jobIds.at(-1) ?? "", "denied for s3cr3t-pw");
        await until(job, "RUNNING");
        flink.fail(flink.jobIds.at(-1) ?? "", "given up");
        await until(job, "FAILED");
        const told = async (query: string) =>
            (await call("GET", `${EVENTS}?${query}`)).body.items.map(
                ({ metadata, spec }: { metadata: { name: string }; spec: { message: string } }) =>
                    `${metadata.name} ${spec.message}`.trim(),
            );
        expect(await told(`jobId=${job}`)).toEqual([
            "JOB_STARTING",
            "JOB_RUNNING",
            "JOB_RUNNING JobException: denied for ***",
            "JOB_FAILED JobException: given up",
        ]);
        expect(await told(`deploymentId=${id}`)).toHaveLength(4);
        const made = await call("POST", CLUSTERS, session);
        await call("GET", `${CLUSTERS}/session`);
        expect(await told(`sessionClusterId=${made.body.metadata.id as string}`)).toEqual([
            "SESSION_CLUSTER_STARTING",
            "SESSION_CLUSTER_RUNNING",
        ]);
    });
});

describe("both error styles", () => {
    const missing = "6f1c1f0e-4a57-4d0c-9c4e-1f6f0a4a9b10";
    it.each([
        ["GET", `${DEPLOYMENTS}/${missing}`],
        ["PUT", `${DEPLOYMENTS}/${missing}`],
        ["DELETE", `${DEPLOYMENTS}/${missing}`],
        ["GET", `${JOBS}/${missing}`],
        ["GET", `/api/v2/namespaces/default/savepoints/${missing}`],
        ["GET", "/artifacts/v1/namespaces/default/artifacts:getMetadata?filename=none.jar"],
    ])("%s %s: by status, or by success=false in a 200", async (method, where) => {
        const body = method === "PUT" ? { flinkConf: {} } : undefined;
        const byStatus = await (await bench()).call(method, where, body);
        const byEnvelope = await (await bench({ errorStyle: "envelope" })).call(method, where, body);
        expect([byStatus.status, byEnvelope.status]).toEqual([404, 200]);
        for (const { body: told } of [byStatus, byEnvelope]) {
            expect(told).toMatchObject({ success: false, httpCode: 404, errorCode: "990301" });
        }
    });

    it("are those of the enveloped paths alone: v1 always tells by status", async () => {
        const { call } = await bench({ errorStyle: "envelope" });
        const told = await call("GET", `${TARGETS}/none`);
        expect([told.status, told.body.message]).toEqual([404, expect.stringContaining("none")]);
    });
});

describe("faults on demand", () => {
    it("make the first call of the SQL service fail as the product's does when its engine restarts", async () => {
        const { execute, simulator } = await bench();
        const message = "Failed to get response from sql gateway server";
        const data = { result: "RESULT_INVALID", errorMessages: [{ message }] };
        simulator.faults.failNext("executeSql", 200, { success: true, data });
        expect((await execute("SHOW CATALOGS")).body.data.errorMessages[0].message).toBe(message);
        expect((await execute("SHOW CATALOGS")).body.data.result).toBe("RESULT_SUCCESS_WITH_ROWS");
    });

    it("lose, delay and refuse any operation by its name", async () => {
        const { call, simulator } = await bench();
        simulator.faults.loseNextAnswer("listSecretValues");
        await expect(call("GET", SECRETS)).rejects.toThrow();
        simulator.faults.failNext("listSecretValues", 503, { message: "later" });
        expect((await call("GET", SECRETS)).status).toBe(503);
        simulator.faults.delayNext("listSecretValues", 60);
        const started = performance.now();
        expect((await call("GET", SECRETS)).status).toBe(200);
        expect(performance.now() - started).toBeGreaterThan(50);
    });
});

describe("the state", () => {
    it("of every kind outlives a restart as it was", async () => {
        const stateDir = path.join(root, "every-kind");
        const flink = simulatedFlink();
        const options = { stateDir, flussConsole: true, transitionReads: 0 };
        const before = await bench(options, flink);
        const id = await before.deploy();
        const job = await before.start(id);
        await before.until(job, "RUNNING");
        await before.call("POST", "/api/v2/namespaces/default/savepoints", { deploymentId: id });
        await before.call("POST", CLUSTERS, session);
        await before.call("GET", `${CLUSTERS}/session`);
        await before.call("POST", TOKENS, { name: "namespaces/default/apitokens/ci", role: "viewer" });
        const folder = await before.call(
            "GET",
            "/api/v1/namespaces/default/folders/roots/folder/development",
        );
        const target = await before.call("GET", `${TARGETS}/target`);
        const draft = await before.call("POST", DRAFTS, {
            metadata: { name: "draft", parentId: folder.body.metadata.id },
            spec: {
                deploymentTargetId: target.body.metadata.id,
                template: { spec: { artifact: { kind: "SQLSCRIPT", sqlScript: "INSERT INTO a SELECT 1" } } },
            },
        });
        expect(draft.status).toBe(201);
        await before.call("POST", "/fluss/api/v1/clusters", {
            name: "fluss",
            bootstrapEndpoint: "f:1",
            authProtocol: "PLAINTEXT",
        });
        const places = [
            TARGETS,
            `${CLUSTERS}/session`,
            TOKENS,
            "/artifacts/v1/namespaces/default/artifacts:list",
            `${DEPLOYMENTS}/${id}`,
            `${JOBS}/${job}`,
            "/api/v2/namespaces/default/savepoints",
            `${DRAFTS}/${draft.body.metadata.id as string}`,
            "/fluss/api/v1/clusters",
            `${EVENTS}?jobId=${job}`,
        ];
        const all = async ({ call }: typeof before) => {
            const told: Record<string, unknown> = {};
            for (const where of places) {
                const { status, body } = await call("GET", where);
                expect(status, where).toBe(200);
                // Each answer has an id of its own.
                told[where] = { ...body, requestId: undefined };
            }
            return told;
        };
        await expect.poll(async () => JSON.stringify(await all(before))).toContain('"COMPLETED"');
        const then = await all(before);
        expect(Object.values(then).filter((told) => JSON.stringify(told).length < 100)).toEqual([]);
        await before.simulator.close();
        const after = await bench(options, flink);
        expect(await all(after)).toEqual(then);
    });
});
