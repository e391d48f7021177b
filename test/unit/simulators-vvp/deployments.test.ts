import { describe, expect, it } from "vitest";
import { simulatedFlink } from "../../../local/simulators/vvp/index.ts";
import {
    bench,
    closeAfterEach,
    DEPLOYMENTS,
    ENGINE,
    JOBS,
    jarDeployment,
    SECRETS,
    sqlArtifact,
    TARGETS,
} from "./harness.ts";

closeAfterEach();

describe("deployments", () => {
    it("are made without a job; an update shows as a change until the next start", async () => {
        const { call, deploy, start, until } = await bench();
        const id = await deploy();
        const read = async () => (await call("GET", `${DEPLOYMENTS}/${id}`)).body.data;
        expect(await read()).toMatchObject({
            deploymentHasChanged: false,
            jobSummary: { running: 0, starting: 0 },
        });
        const job = await start(id);
        await until(job, "RUNNING");
        expect(await read()).toMatchObject({ deploymentHasChanged: false, jobSummary: { running: 1 } });
        const updated = await call("PUT", `${DEPLOYMENTS}/${id}`, {
            flinkConf: { "execution.checkpointing.interval": "5s" },
        });
        expect(updated.body.data).toMatchObject({
            name: "fluss-quickstart-tiering",
            deploymentHasChanged: true,
        });
        await call("POST", `${JOBS}/${job}:stop`, { stopStrategy: "NONE" });
        await until(job, "CANCELLED");
        await until(await start(id), "RUNNING");
        expect(await read()).toMatchObject({
            deploymentHasChanged: false,
            jobSummary: { running: 1, cancelled: 1 },
        });
    });

    it("take the whole object back without a change", async () => {
        const { call, deploy, start } = await bench();
        const id = await deploy();
        await start(id);
        const { data } = (await call("GET", `${DEPLOYMENTS}/${id}`)).body;
        const put = await call("PUT", `${DEPLOYMENTS}/${id}`, data);
        expect(put.body.data.deploymentHasChanged).toBe(false);
    });

    it("come in pages of ten, may share a name, and are found by it", async () => {
        const { call, deploy } = await bench();
        for (let n = 0; n < 11; n++) await deploy({ name: n < 2 ? "twin" : `d${n}` });
        const first = (await call("GET", DEPLOYMENTS)).body;
        expect([first.data.length, first.totalSize, first.pageSize]).toEqual([10, 11, 10]);
        expect((await call("GET", `${DEPLOYMENTS}?pageIndex=2`)).body.data).toHaveLength(1);
        expect((await call("GET", `${DEPLOYMENTS}?name=twin`)).body.data).toHaveLength(2);
        expect((await call("GET", `${DEPLOYMENTS}?pageSize=101`)).status).toBe(400);
    });

    it("refuse misspelt settings, unknown targets and changes of kind or mode", async () => {
        const { call, deploy } = await bench();
        const body = jarDeployment("s3i://x/y");
        expect((await call("POST", DEPLOYMENTS, { ...body, flinkConfiguration: {} })).status).toBe(400);
        expect(
            (await call("POST", DEPLOYMENTS, { ...body, artifact: { kind: "JAR", jarUri: "x" } })).status,
        ).toBe(400);
        const noTarget = await call("POST", DEPLOYMENTS, body);
        expect([noTarget.status, noTarget.body.errorMessage]).toEqual([
            400,
            expect.stringContaining("deployment target target"),
        ]);
        const id = await deploy();
        expect((await call("PUT", `${DEPLOYMENTS}/${id}`, { executionMode: "BATCH" })).status).toBe(400);
        expect(
            (await call("PUT", `${DEPLOYMENTS}/${id}`, { artifact: sqlArtifact("INSERT INTO a SELECT 1") }))
                .status,
        ).toBe(400);
    });

    it("are told as missing in both styles", async () => {
        const path = `${DEPLOYMENTS}/6f1c1f0e-4a57-4d0c-9c4e-1f6f0a4a9b10`;
        expect((await (await bench()).call("GET", path)).status).toBe(404);
        const soft = await (await bench({ errorStyle: "envelope" })).call("DELETE", path);
        expect([soft.status, soft.body.success]).toEqual([200, false]);
    });

    it("with an active job are neither started again nor deleted", async () => {
        const { call, deploy, start, until } = await bench();
        const id = await deploy();
        const job = await start(id);
        await until(job, "RUNNING");
        expect((await call("POST", `${JOBS}:start`, { deploymentId: id })).status).toBe(409);
        expect((await call("DELETE", `${DEPLOYMENTS}/${id}`)).status).toBe(409);
        await call("POST", `${JOBS}/${job}:stop`, { stopStrategy: "NONE" });
        await until(job, "CANCELLED");
        expect((await call("DELETE", `${DEPLOYMENTS}/${id}`)).status).toBe(200);
        expect((await call("GET", `${JOBS}/${job}`)).status).toBe(404);
    });

    it("of streams are listed with their latest job", async () => {
        const { call, deploy, start, until } = await bench();
        const id = await deploy();
        await until(await start(id), "RUNNING");
        await deploy({ name: "idle" });
        const { data } = (await call("GET", "/api/v2/namespaces/default/stream-deployments")).body;
        expect(
            data.map(({ latestJob }: { latestJob: { status: string } | null }) => latestJob?.status),
        ).toEqual(["RUNNING", undefined]);
    });
});

describe("JAR jobs", () => {
    it("run the named JAR with arguments, secrets, options and parallelism", async () => {
        const { call, deploy, start, until, flink, upload } = await bench();
        await call("POST", SECRETS, {
            metadata: { name: "pw" },
            spec: { kind: "PLAIN", value: "two words" },
        });
        const jarUri = await upload("tiering.jar", "the tiering jar");
        const id = await deploy({
            artifact: {
                kind: "JAR",
                jarArtifact: {
                    jarUri,
                    mainArgs: "--user fluss  --password ${secret_values.pw} --url jdbc:${secret_values.pw}:1",
                },
            },
            flinkConf: { "restart-strategy.type": "exponential-delay", retries: 3 },
            streamingResourceSetting: { basicResourceSetting: { parallelism: 2 } },
        });
        await until(await start(id), "RUNNING");
        expect(flink.jarRuns).toMatchObject([
            {
                args: ["--user", "fluss", "--password", "two words", "--url", "jdbc:two words:1"],
                parallelism: 2,
                options: {
                    "pipeline.name": "fluss-quickstart-tiering",
                    "restart-strategy.type": "exponential-delay",
                    retries: "3",
                },
            },
        ]);
        expect(flink.jarRuns[0]?.file).toMatch(/\/tiering\.jar$/);
    });

    const jar = (more: Record<string, unknown>) => ({
        artifact: {
            kind: "JAR",
            jarArtifact: { jarUri: "s3i://vvp/artifacts/namespaces/default/job.jar", ...more },
        },
    });
    it.each([
        ["the JAR is missing", jar({ jarUri: "s3i://vvp/artifacts/none.jar" }), "none.jar"],
        ["a secret value is missing", jar({ mainArgs: "--password ${secret_values.nope}" }), "nope"],
        ["the engine is unknown", { engineVersion: "vera-9" }, "vera-9"],
        ["a dependency is missing", jar({ additionalDependencies: ["s3i://x/lib.jar"] }), "s3i://x/lib.jar"],
    ])("fail when %s", async (_, changes, named) => {
        const { deploy, start, until, flink } = await bench();
        const failed = await until(await start(await deploy(changes)), "FAILED");
        expect(failed.body.data.status.failure).toMatchObject({ reason: "InvalidDeployment" });
        expect(failed.body.data.status.failure.message).toContain(named);
        expect(flink.jobIds).toEqual([]);
    });

    it("fail with Flink's own words when Flink refuses them, and can be started again", async () => {
        const { deploy, start, until, flink } = await bench();
        const id = await deploy();
        flink.refuseNextStart("The bootstrap server to fluss is not configured");
        const failed = await until(await start(id), "FAILED");
        expect(failed.body.data.status.failure.message).toContain(
            "The bootstrap server to fluss is not configured",
        );
        await until(await start(id), "RUNNING");
    });

    it("tell restarts and the last exception while they go on", async () => {
        const { call, deploy, start, until, flink } = await bench();
        await call("POST", SECRETS, {
            metadata: { name: "pw" },
            spec: { kind: "PLAIN", value: "s3cr3t-pw" },
        });
        const job = await start(await deploy());
        await until(job, "RUNNING");
        flink.restart(flink.jobIds[0]!, "ForbiddenException: bucket denied for s3cr3t-pw");
        const seen = await until(job, "RUNNING");
        expect(seen.body.data.status).toMatchObject({
            failure: { message: "ForbiddenException: bucket denied for ***" },
            running: { observedFlinkJobStatus: "RESTARTING", observedFlinkJobRestarts: 1 },
        });
    });

    it("that never get all tasks running stay STARTING", async () => {
        const { deploy, start, until, flink } = await bench({}, simulatedFlink({ pollsUntilRunning: 1000 }));
        const job = await start(await deploy());
        await expect.poll(() => flink.jobIds.length).toBe(1);
        flink.restart(flink.jobIds[0]!, "no slot");
        await until(job, "STARTING");
        flink.recover(flink.jobIds[0]!);
        await until(job, "RUNNING");
    });

    it("end as Flink ends them", async () => {
        const { deploy, start, until, flink } = await bench();
        const failing = await start(await deploy());
        await until(failing, "RUNNING");
        flink.fail(flink.jobIds[0]!, "boom");
        expect((await until(failing, "FAILED")).body.data.status.failure.message).toBe("boom");
        const done = await start(await deploy());
        await until(done, "RUNNING");
        flink.finish(flink.jobIds[1]!);
        await until(done, "FINISHED");
        const lost = await start(await deploy());
        await until(lost, "RUNNING");
        flink.forgetAll();
        expect((await until(lost, "FAILED")).body.data.status.failure.reason).toBe("FlinkJobLost");
    });

    it("are cancelled in Flink when they are stopped, also while they start", async () => {
        const { call, deploy, start, until, flink } = await bench();
        const job = await start(await deploy());
        const stopped = await call("POST", `${JOBS}/${job}:stop`, { stopStrategy: "NONE" });
        expect(stopped.body.data.status.currentJobStatus).toBe("CANCELLING");
        await until(job, "CANCELLED");
        for (const id of flink.jobIds) expect((await flink.job(id))?.state).toBe("CANCELED");
        expect((await call("POST", `${JOBS}/${job}:stop`, { stopStrategy: "NONE" })).status).toBe(200);
        expect((await call("POST", `${JOBS}/${job}:stop`, { kind: "CANCEL" })).status).toBe(400);
    });

    it("stay STARTING while Flink takes its time, and can be stopped then", async () => {
        const { call, deploy, start, until, flink } = await bench();
        const runJar = flink.runJar;
        let open = () => {};
        const gate = new Promise<void>((resolve) => {
            open = resolve;
        });
        flink.runJar = async (run) => {
            await gate;
            return runJar(run);
        };
        const job = await start(await deploy());
        await until(job, "STARTING");
        await call("POST", `${JOBS}/${job}:stop`, { stopStrategy: "NONE" });
        await until(job, "CANCELLING");
        open();
        await until(job, "CANCELLED");
        expect((await flink.job(flink.jobIds[0]!))?.state).toBe("CANCELED");
    });

    it("can be stopped again after Flink could not be reached", async () => {
        const { call, deploy, start, until, flink } = await bench();
        const job = await start(await deploy());
        await until(job, "RUNNING");
        flink.reachable = false;
        const stop = () => call("POST", `${JOBS}/${job}:stop`, { stopStrategy: "STOP_WITH_SAVEPOINT" });
        expect((await stop()).status).toBe(500);
        flink.reachable = true;
        await stop();
        await until(job, "CANCELLED");
    });

    it("are listed by deployment, the newest first", async () => {
        const { call, deploy, start, until, flink } = await bench();
        const id = await deploy();
        const first = await start(id);
        await until(first, "RUNNING");
        flink.finish(flink.jobIds[0]!);
        const second = await start(id);
        const { data } = (await call("GET", `${JOBS}?deploymentId=${id}`)).body;
        expect(data.map(({ jobId }: { jobId: string }) => jobId)).toEqual([second, first]);
        expect((await call("GET", `${JOBS}?deploymentId=${id}&status=FINISHED`)).body.data).toHaveLength(1);
        expect((await call("GET", JOBS)).status).toBe(400);
    });
});

describe("SQL jobs", () => {
    const script = `
        SET 'a' = 'b'; -- a comment; with a semicolon
        CREATE TEMPORARY TABLE feed (x INT) WITH ('connector' = 'datagen', 'p' = '\${secret_values.pw}');
        INSERT INTO c.d.t SELECT x FROM feed;`;

    it("run their script statement by statement, with secrets quoted", async () => {
        const { call, deploy, start, until, flink } = await bench();
        await call("POST", SECRETS, { metadata: { name: "pw" }, spec: { kind: "PLAIN", value: "it's" } });
        const id = await deploy({
            name: "writer",
            artifact: sqlArtifact(script),
            streamingResourceSetting: { basicResourceSetting: { parallelism: 3 } },
        });
        await until(await start(id), "RUNNING");
        expect(flink.statements).toEqual([
            "SET 'a' = 'b'",
            "CREATE TEMPORARY TABLE feed (x INT) WITH ('connector' = 'datagen', 'p' = 'it''s')",
            "INSERT INTO c.d.t SELECT x FROM feed",
        ]);
        expect(flink.sessions.at(-1)).toMatchObject({
            "pipeline.name": "writer",
            "parallelism.default": "3",
        });
    });

    it("take one statement set", async () => {
        const { deploy, start, until, flink } = await bench();
        const set = "BEGIN STATEMENT SET; INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END;";
        await until(await start(await deploy({ artifact: sqlArtifact(set) })), "RUNNING");
        const executed = "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END;";
        await until(await start(await deploy({ artifact: sqlArtifact(executed) })), "RUNNING");
        expect(flink.jobIds).toHaveLength(2);
        expect(flink.statements.at(-1)).toBe(executed.slice(0, -1));
    });

    it.each([
        ["permanent objects", "CREATE TABLE c.d.t (x INT); INSERT INTO c.d.t SELECT 1"],
        ["two jobs", "INSERT INTO a SELECT 1; INSERT INTO b SELECT 1"],
        ["no job", "SET 'a' = 'b'"],
        ["a query", "SELECT 1"],
    ])("fail with %s", async (_, text) => {
        const { deploy, start, until, flink } = await bench();
        const failed = await until(await start(await deploy({ artifact: sqlArtifact(text) })), "FAILED");
        expect(failed.body.data.status.failure.reason).toBe("InvalidDeployment");
        expect(flink.statements).toEqual([]);
    });

    it("see the catalogs of the namespace, with the JARs that these were created with", async () => {
        const { deploy, start, until, flink, upload, execute } = await bench();
        const uri = await upload("fluss-client.jar");
        await execute("CREATE CATALOG fluss WITH ('type' = 'fluss')", { additionalDependencies: [uri] });
        const insert = "INSERT INTO `fluss`.`d`.`t` SELECT 1";
        const bare = await until(await start(await deploy({ artifact: sqlArtifact(insert) })), "FAILED");
        expect(bare.body.data.status.failure.message).toContain(uri);
        flink.statements.length = 0;
        await until(await start(await deploy({ artifact: sqlArtifact(insert, [uri]) })), "RUNNING");
        expect(flink.statements).toEqual(["CREATE CATALOG fluss WITH ('type' = 'fluss')", insert]);
    });

    it("need their session cluster running", async () => {
        const { call, deploy, start, until } = await bench();
        await deploy();
        const spec = { state: "STOPPED", deploymentTargetName: "target", versionName: ENGINE };
        await call("POST", "/api/v1/namespaces/default/sessionclusters", {
            metadata: { name: "session" },
            spec,
        });
        const id = await deploy({
            deploymentTarget: { mode: "SESSION", name: "session" },
            artifact: sqlArtifact("INSERT INTO a SELECT 1"),
        });
        const failed = await until(await start(id), "FAILED");
        expect(failed.body.data.status.failure.message).toContain("session cluster session is STOPPED");
        expect((await call("DELETE", `${TARGETS}/target`)).status).toBe(409);
    });
});
