import { describe, expect, it } from "vitest";
import { bench, closeAfterEach, DEPLOYMENTS, ENGINE, JOBS } from "./harness.ts";

closeAfterEach();
const SAVEPOINTS = "/api/v2/namespaces/default/savepoints";

async function running() {
    const it = await bench();
    const deploymentId = await it.deploy();
    const jobId = await it.start(deploymentId);
    await it.until(jobId, "RUNNING");
    return { ...it, deploymentId, jobId };
}

describe("savepoints", () => {
    it("are taken of a running job, listed and deleted; the job goes on", async () => {
        const { call, deploymentId, jobId, until } = await running();
        const made = await call("POST", SAVEPOINTS, { deploymentId, description: "before the upgrade" });
        expect(made.body.data.status.state).toBe("STARTED");
        const { savepointId } = made.body.data;
        const read = async () => (await call("GET", `${SAVEPOINTS}/${savepointId}`)).body.data;
        await expect.poll(read).toMatchObject({ jobId, status: { state: "COMPLETED" } });
        expect((await read()).savepointLocation).toMatch(/^file:/);
        await until(jobId, "RUNNING");
        const list = async () => (await call("GET", `${SAVEPOINTS}?deploymentId=${deploymentId}`)).body.data;
        expect(await list()).toMatchObject([{ savepointId, description: "before the upgrade" }]);
        await call("DELETE", `${SAVEPOINTS}/${savepointId}`);
        expect(await list()).toEqual([]);
        expect((await call("GET", `${SAVEPOINTS}/${savepointId}`)).status).toBe(404);
    });

    it("need a running job, and tell why one failed", async () => {
        const { call, deploymentId, jobId, until, flink } = await running();
        flink.failNextSavepoint("a task is not running");
        const made = await call("POST", SAVEPOINTS, { deploymentId });
        const read = async () =>
            (await call("GET", `${SAVEPOINTS}/${made.body.data.savepointId}`)).body.data.status;
        await expect.poll(read).toMatchObject({
            state: "FAILED",
            failure: { message: expect.stringContaining("a task is not running") },
        });
        await call("POST", `${JOBS}/${jobId}:stop`, { stopStrategy: "NONE" });
        await until(jobId, "CANCELLED");
        expect((await call("POST", SAVEPOINTS, { deploymentId })).status).toBe(409);
    });

    it("carry a JAR job's state to its next start", async () => {
        const { call, deploymentId, jobId, until, flink } = await running();
        const start = async (restoreStrategy: object) => {
            const { body } = await call("POST", `${JOBS}:start`, { deploymentId, restoreStrategy });
            return body.data.jobId as string;
        };
        await call("POST", `${JOBS}/${jobId}:stop`, { stopStrategy: "STOP_WITH_SAVEPOINT" });
        await until(jobId, "CANCELLED");
        const [savepoint] = (await call("GET", SAVEPOINTS)).body.data;
        expect(savepoint).toMatchObject({ savepointOrigin: "STOP_WITH_SAVEPOINT", jobId });
        const second = await start({ kind: "LATEST_STATE" });
        await until(second, "RUNNING");
        expect(flink.jarRuns.map((run) => run.savepointPath)).toEqual([
            undefined,
            savepoint.savepointLocation,
        ]);
        await call("POST", `${JOBS}/${second}:stop`, { stopStrategy: "NONE" });
        await until(second, "CANCELLED");
        const unknown = "00000000-0000-4000-8000-000000000000";
        const third = await start({ kind: "FROM_SAVEPOINT", savepointId: unknown });
        const failed = await until(third, "FAILED");
        expect(failed.text).toContain(`savepoint ${unknown} of this deployment does not exist`);
    });
});

describe("a Python deployment", () => {
    it("runs where Flink has Python, and fails with the reason where it has none", async () => {
        const { call, deploy, start, until, upload, flink } = await bench();
        const pythonArtifactUri = await upload("main.py");
        const library = await upload("lib.zip");
        const artifact = {
            kind: "PYTHON",
            pythonArtifact: {
                pythonArtifactUri,
                entryModule: "main",
                mainArgs: "--a b",
                additionalPythonLibraries: [library],
            },
        };
        const id = await deploy({ artifact, engineVersion: ENGINE });
        await until(await start(id), "RUNNING");
        expect(flink.pythonRuns).toMatchObject([{ entryModule: "main", args: ["--a", "b"] }]);
        expect(flink.pythonRuns[0]?.libraries[0]).toContain("lib.zip");
        delete flink.runPython;
        const other = await call("POST", DEPLOYMENTS, {
            name: "second",
            engineVersion: ENGINE,
            executionMode: "STREAMING",
            deploymentTarget: { mode: "PER_JOB", name: "target" },
            artifact,
        });
        const failed = await until(await start(other.body.data.deploymentId), "FAILED");
        expect(failed.text).toContain("has no Python");
    });
});
