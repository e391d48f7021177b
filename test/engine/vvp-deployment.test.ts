import fs from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
    VvpArtifact,
    VvpDeployment,
    VvpDeploymentTarget,
    VvpSecretValue,
} from "../../dynamic-providers/vvp/resources.ts";
import { engineVersion, vvpWorkspace, type Workspace } from "./vvp-platform.ts";

const v2 = "/api/v2/namespaces/default";
const secret = "hush-tiering-4711";
let w: Workspace;
let source: string;

interface Wish {
    flinkConf: Record<string, string>;
    state: "RUNNING" | "CANCELLED";
    restart: "WITH_STATE" | "WITHOUT_STATE" | "NEVER";
    kind: "JAR" | "SQL";
    sqlScript: string;
    adopt: boolean;
}
const insert = "INSERT INTO a SELECT * FROM b";
const wish: Wish = {
    flinkConf: {},
    state: "RUNNING",
    restart: "WITHOUT_STATE",
    kind: "JAR",
    sqlScript: insert,
    adopt: false,
};

const deployments = async () =>
    (await w.outside("GET", `${v2}/deployments`)) as unknown as { deploymentId: string; flinkConf: object }[];
const jobs = async (id: string) =>
    (await w.outside("GET", `${v2}/jobs?deploymentId=${id}`)) as unknown as {
        jobId: string;
        status: { currentJobStatus: string };
        restoreStrategy: { kind: string };
    }[];
const states = async (id: string) => (await jobs(id)).map(({ status }) => status.currentJobStatus);

beforeAll(async () => {
    w = await vvpWorkspace((connection) => {
        const target = new VvpDeploymentTarget("target", {
            connection,
            name: "t",
            kubernetesNamespace: "jobs",
        });
        const password = new VvpSecretValue("password", { connection, name: "pw", value: secret });
        const jar = new VvpArtifact("jar", { connection, source });
        const what =
            wish.kind === "JAR"
                ? {
                      jarUri: jar.uri,
                      entryClass: "org.example.Main",
                      mainArgs: pulumi.interpolate`--password ${password.reference}`,
                  }
                : { sqlScript: wish.sqlScript };
        const { deploymentId, jobId, jobStatus, restartPending } = new VvpDeployment("job", {
            connection,
            name: "tiering",
            deploymentTarget: target.name,
            engineVersion,
            ...what,
            flinkConf: wish.flinkConf,
            state: wish.state,
            restart: wish.restart,
            adopt: wish.adopt,
            parallelism: 1,
            resources: { taskManager: { cpu: 1, memory: "2GiB" } },
            healthySeconds: 1,
            timeoutSeconds: 30,
        });
        return { deploymentId, jobId, jobStatus, restartPending };
    });
    source = path.join(w.stack.folder, "tiering.jar");
    fs.writeFileSync(source, "not really a jar");
});
afterAll(() => w.dispose());

let id: string;

describe("a JAR deployment", () => {
    test("is made and started once, although both answers get lost, and then nothing changes", async () => {
        w.platform.faults.loseNextAnswer("createDeployment");
        w.platform.faults.loseNextAnswer("startJob");
        const { outputs } = await w.stack.up();
        id = outputs["deploymentId"]?.value;
        expect(outputs["jobStatus"]?.value).toBe("RUNNING");
        expect(await deployments()).toMatchObject([{ deploymentId: id }]);
        expect(await jobs(id)).toMatchObject([
            { jobId: outputs["jobId"]?.value, restoreStrategy: { kind: "NONE" } },
        ]);
        expect(w.flink.jobIds).toHaveLength(1);
        expect((await w.stack.up()).changes).toEqual({ same: 5 });
    });

    test("the secret reaches the job and not the state", async () => {
        expect(w.flink.jarRuns[0]).toMatchObject({ entryClass: "org.example.Main" });
        expect(JSON.stringify(w.flink.jarRuns[0])).toContain(secret);
        const state = JSON.stringify(await w.stack.export());
        expect(state).toContain("${secret_values.pw}");
        expect(state).not.toContain(secret);
    });

    test("a change restarts the job afresh", async () => {
        wish.flinkConf = { "execution.checkpointing.interval": "30s" };
        expect((await w.stack.up()).changes).toMatchObject({ update: 1 });
        expect(await deployments()).toMatchObject([{ flinkConf: wish.flinkConf }]);
        expect(await states(id)).toEqual(["RUNNING", "CANCELLED"]);
        expect((await jobs(id))[0]).toMatchObject({ restoreStrategy: { kind: "NONE" } });
    });

    test("with state it starts from the latest state", async () => {
        wish.restart = "WITH_STATE";
        wish.flinkConf = { "execution.checkpointing.interval": "60s" };
        await w.stack.up();
        expect((await jobs(id))[0]).toMatchObject({ restoreStrategy: { kind: "LATEST_STATE" } });
        wish.restart = "WITHOUT_STATE";
    });

    test("without a restart the job goes on, and that is told", async () => {
        wish.restart = "NEVER";
        wish.flinkConf = {};
        const [job] = await jobs(id);
        const { outputs } = await w.stack.up();
        expect(outputs["jobId"]?.value).toBe(job?.jobId);
        expect(outputs["restartPending"]?.value).toBe(true);
        wish.restart = "WITHOUT_STATE";
    });

    test("changed outside: refresh shows it, the next run repairs it", async () => {
        await w.outside("PUT", `${v2}/deployments/${id}`, { flinkConf: { foreign: "1" } });
        expect((await w.stack.refresh()).changes).toMatchObject({ update: 1 });
        const { outputs } = await w.stack.up();
        expect(await deployments()).toMatchObject([{ flinkConf: {} }]);
        expect(outputs["restartPending"]?.value).toBe(false);
    });

    test("stopped outside: the next run after a refresh starts it again", async () => {
        const [job] = await jobs(id);
        await w.outside("POST", `${v2}/jobs/${job?.jobId}:stop`, { stopStrategy: "NONE" });
        await w.stack.refresh();
        expect((await w.stack.up()).changes).toMatchObject({ update: 1 });
        expect((await states(id))[0]).toBe("RUNNING");
    });

    test("failed on its own: the next run after a refresh starts it again", async () => {
        w.flink.fail(w.flink.jobIds.at(-1) ?? "", "java.lang.IllegalStateException: broken");
        await w.stack.refresh();
        expect((await w.stack.up()).changes).toMatchObject({ update: 1 });
        expect((await states(id))[0]).toBe("RUNNING");
    });

    test("a job that cannot start is told with the platform's reason at once, and the next run goes on from there", async () => {
        wish.flinkConf = { again: "1" };
        w.flink.refuseNextStart("java.lang.NoClassDefFoundError: org/apache/iceberg/Table");
        await expect(w.stack.up()).rejects.toThrow(
            /it FAILED: FlinkStartFailed.*org\/apache\/iceberg\/Table/s,
        );
        expect(await states(id)).toHaveLength(7);
        expect((await w.stack.up()).changes).toMatchObject({ update: 1 });
        expect((await states(id))[0]).toBe("RUNNING");
        expect((await w.stack.up()).changes).toEqual({ same: 5 });
    });

    test("state CANCELLED stops the job, and keeps it stopped", async () => {
        wish.state = "CANCELLED";
        await w.stack.up();
        expect((await states(id))[0]).toBe("CANCELLED");
        await w.outside("POST", `${v2}/jobs:start`, { deploymentId: id, restoreStrategy: { kind: "NONE" } });
        await w.stack.refresh();
        await w.stack.up();
        expect((await states(id))[0]).toBe("CANCELLED");
        wish.state = "RUNNING";
    });

    test("deleted outside: refresh drops it, the next run makes it again", async () => {
        await w.outside("DELETE", `${v2}/deployments/${id}`);
        expect((await w.stack.refresh()).changes).toMatchObject({ delete: 1 });
        const { outputs } = await w.stack.up();
        id = outputs["deploymentId"]?.value;
        expect(await states(id)).toEqual(["RUNNING"]);
    });
});

describe("a SQL deployment", () => {
    test("another kind is another deployment; the old job is stopped first", async () => {
        wish.kind = "SQL";
        expect((await w.stack.up()).changes).toMatchObject({ replace: 1 });
        expect(await deployments()).toHaveLength(1);
        expect(w.flink.statements).toContain(insert);
    });

    test("a script that can be no job is refused in the preview, and the job goes on", async () => {
        const before = w.calls("updateDeployment");
        wish.sqlScript = "SELECT 1";
        await expect(w.stack.up()).rejects.toThrow(
            /VVP deployment: sqlScript: no statement of it starts a job/,
        );
        wish.sqlScript = insert;
        expect(w.calls("updateDeployment")).toBe(before);
        const [made] = await deployments();
        expect(await states(made?.deploymentId ?? "")).toEqual(["RUNNING"]);
    });

    test("a job that finished has done its work", async () => {
        w.flink.finish(w.flink.jobIds.at(-1) ?? "");
        await w.stack.refresh();
        expect((await w.stack.up()).changes).toEqual({ same: 5 });
    });

    test("the stack's end stops the job and leaves nothing", async () => {
        wish.flinkConf = {};
        await w.stack.up();
        w.platform.faults.loseNextAnswer("stopJob");
        await w.stack.destroy();
        expect(await deployments()).toEqual([]);
    });

    test("what exists already is an error; adopt takes it over and starts it", async () => {
        await w.outside("POST", "/api/v1/namespaces/default/deployment-targets", {
            metadata: { name: "old" },
            spec: { kubernetes: { namespace: "jobs" } },
        });
        const made = await w.outside("POST", `${v2}/deployments`, {
            name: "tiering",
            executionMode: "STREAMING",
            engineVersion,
            deploymentTarget: { mode: "PER_JOB", name: "old" },
            artifact: { kind: "SQLSCRIPT", sqlArtifact: { sqlScript: "INSERT INTO a SELECT 1" } },
        });
        await expect(w.stack.up()).rejects.toThrow(
            /deployment 'tiering' in namespace 'default' exists already.*adopt/s,
        );
        wish.adopt = true;
        const { outputs } = await w.stack.up();
        expect(outputs["deploymentId"]?.value).toBe(made["deploymentId"]);
        expect(await states(outputs["deploymentId"]?.value)).toEqual(["RUNNING"]);
        expect(w.platform.violations).toEqual([]);
    });
});
