import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Hosted } from "../../../dynamic-providers/resource.ts";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { FlinkError } from "../../../local/flink/index.ts";
import type { ErrorStyle } from "../../../local/simulators/vvp/index.ts";
import { type Held, type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

/** Problems that users reported of what runs already; `known-problems.test.ts` has those seen before. */

const {
    vvpApiToken,
    vvpDeployment,
    vvpDeploymentTarget,
    vvpDraft,
    vvpFlussConsoleCluster,
    vvpSavepoint,
    vvpSecretValue,
    vvpSessionCluster,
    vvpSqlScript,
} = vvpProviders;
const engineVersion = "vera-4.5-jdk11-flink-1.20";
const v1 = "/api/v1/namespaces/default";
const v2 = "/api/v2/namespaces/default";
const job = {
    name: "tiering",
    deploymentTarget: "t",
    engineVersion,
    sqlScript: "INSERT INTO a SELECT * FROM b",
    healthySeconds: 0,
};
let p: SimulatedPlatform;
let target: Held;

async function begin(errorStyle: ErrorStyle): Promise<void> {
    p = await simulatedPlatform({ flussConsole: true, transitionReads: 0, errorStyle });
    target = await p.up(vvpDeploymentTarget, { name: "t", kubernetesNamespace: "jobs" });
}

beforeEach(async () => {
    await begin("http");
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
});
afterEach(async () => {
    vi.restoreAllMocks();
    await p.close();
});

type Seen = { jobId: string; status: { currentJobStatus: string }; restoreStrategy: { kind: string } };
const jobsOf = async (id: string) => (await p.outside("GET", `${v2}/jobs?deploymentId=${id}`)) as Seen[];
const lives = async (id: string) =>
    (await jobsOf(id)).map(
        ({ status, restoreStrategy }) => `${status.currentJobStatus} ${restoreStrategy.kind}`,
    );
const failureOf = (run: Promise<unknown>) =>
    run.then(
        () => expect.fail("it went well"),
        (error: Error & { id?: string; properties?: Record<string, unknown> }) => error,
    );

describe("jobs", () => {
    test("P1 (apache/fluss#3681): a job that an error ended for good is started again by the next run", async () => {
        const held = await p.up(vvpDeployment, job);
        p.flink.fail(p.flink.jobIds[0] ?? "", "TimeoutException: the coordinator was away for a moment");
        const refreshed = await p.refresh(vvpDeployment, held);
        expect(refreshed?.state).toMatchObject({
            jobStatus: "FAILED",
            failure: expect.stringContaining("away for a moment"),
        });
        expect((await p.up(vvpDeployment, job, refreshed)).state).toMatchObject({ jobStatus: "RUNNING" });
    });

    test.each([
        ["P2 (apache/fluss#3921): a job with a stale coordinator epoch", "WITHOUT_STATE", "RUNNING NONE"],
        ["P3 (apache/fluss#3810): a job whose readers are stuck", "WITH_STATE", "RUNNING LATEST_STATE"],
    ])(
        "%s is RUNNING and useless: restartTrigger restarts it once, and nothing else",
        async (_, restart, life) => {
            const wish = { ...job, restart, restartTrigger: "fluss-1.0.0" };
            const held = await p.up(vvpDeployment, wish);
            expect(await p.up(vvpDeployment, wish, held)).toBe(held);
            const upgraded = { ...wish, restartTrigger: "fluss-1.0.1" };
            const again = await p.up(vvpDeployment, upgraded, held);
            expect(await lives(held.id)).toEqual([life, "CANCELLED NONE"]);
            expect(p.calls("updateDeployment")).toBe(0);
            const refreshed = await p.refresh(vvpDeployment, again);
            expect(await p.up(vvpDeployment, upgraded, refreshed)).toBe(refreshed);
        },
    );

    test("P2: a restart that was asked for and did not come about is made up for by the next run", async () => {
        const held = await p.up(vvpDeployment, { ...job, restartTrigger: "1" });
        const wish = { ...job, restartTrigger: "2" };
        p.flink.failNextSavepoint("a task is not running");
        const { properties } = await failureOf(p.up(vvpDeployment, wish, held));
        expect(await lives(held.id)).toEqual(["RUNNING NONE"]);
        const failed = { id: held.id, state: properties ?? {} };
        await p.up(vvpDeployment, wish, failed);
        expect(await lives(held.id)).toEqual(["RUNNING LATEST_STATE", "CANCELLED NONE"]);
    });

    test("P2, P3: restartTrigger beside restart NEVER is refused", async () => {
        const inputs = { connection: p.connection, ...job, restart: "NEVER", restartTrigger: "1" };
        const { failures } = await vvpDeployment.check(undefined, inputs);
        expect(failures[0]?.reason).toMatch(/restartTrigger asks for restarts/);
    });

    test("P5 (apache/fluss#2360): a job that one table's refusal restarts again and again is told with that table", async () => {
        let restarts = 0;
        const seen = p.flink.job;
        p.flink.job = async (id) => {
            if (restarts < 9) p.flink.restart(id, "AccessDenied: s3://lake/finance/trades");
            restarts += 1;
            p.flink.recover(id);
            return seen(id);
        };
        const { message } = await failureOf(p.up(vvpDeployment, { ...job, healthySeconds: 20 }));
        expect(message).toMatch(/restarts again and again \(\d+ restarts\): .*s3:\/\/lake\/finance\/trades/);
    });

    test("P7 (terraform-provider-aws#45687): a job that stands still after a change is started by every run that wants it", async () => {
        const held = await p.up(vvpDeployment, job);
        const [first] = await jobsOf(held.id);
        await p.outside("POST", `${v2}/jobs/${first?.jobId}:stop`, { stopStrategy: "NONE" });
        await expect.poll(() => lives(held.id)).toEqual(["CANCELLED NONE"]);
        const changed = await p.up(vvpDeployment, { ...job, parallelism: 2 }, held);
        expect(changed.state).toMatchObject({ jobStatus: "RUNNING" });
    });

    test("P8 (terraform-provider-aws#43003): what a job starts from is said at each start: nothing first, then its state, or nothing", async () => {
        const held = await p.up(vvpDeployment, job);
        const second = await p.up(vvpDeployment, { ...job, parallelism: 2 }, held);
        await p.up(vvpDeployment, { ...job, parallelism: 3, restart: "WITHOUT_STATE" }, second);
        expect((await lives(held.id)).map((life) => life.split(" ")[1])).toEqual([
            "NONE",
            "LATEST_STATE",
            "NONE",
        ]);
    });

    test("P18 (FLINK-40470): a start that fails keeps the job's id, and the next run makes neither a second job nor a second savepoint", async () => {
        const held = await p.up(vvpDeployment, job);
        const wish = { ...job, parallelism: 2, timeoutSeconds: 1 };
        const seen = p.flink.job;
        const slow = p.flink.jobIds.length;
        p.flink.job = async (id) =>
            p.flink.jobIds.indexOf(id) < slow
                ? seen(id)
                : { state: "CREATED", allVerticesRunning: false, restarts: 0 };
        const { properties } = await failureOf(p.up(vvpDeployment, wish, held));
        const [started] = await jobsOf(held.id);
        expect(properties).toMatchObject({ jobId: started?.jobId, jobStatus: "STARTING" });
        p.flink.job = seen;
        const failed = { id: held.id, state: properties ?? {} };
        const again = await p.up(
            vvpDeployment,
            { ...wish, timeoutSeconds: 30 },
            await p.refresh(vvpDeployment, failed),
        );
        expect(again.state["jobId"]).toBe(started?.jobId ?? "");
        expect(p.calls("startJob")).toBe(2);
        expect(await p.outside("GET", `${v2}/savepoints`)).toHaveLength(1);
    });

    test("P20 (VVP 2.13.2): a secret value arrives in the job as it was written", async () => {
        const value = "it's ${not} a \\ null";
        await p.up(vvpSecretValue, { name: "pw", value });
        const sqlScript = "INSERT INTO a /*+ OPTIONS('password'='${secret_values.pw}') */ SELECT * FROM b";
        await p.up(vvpDeployment, { ...job, sqlScript });
        expect(p.flink.statements.at(-1)).toContain(`'password'='${value.replaceAll("'", "''")}'`);
    });
});

describe.each(["http", "envelope"] as const)("what is gone, told by error style %s", (errorStyle) => {
    beforeEach(async () => {
        await p.close();
        await begin(errorStyle);
    });

    /** One of each kind that retention or people may take away. */
    const kinds: [
        what: string,
        provider: Hosted,
        wish: () => Promise<object>,
        path: (held: Held) => string,
    ][] = [
        [
            "secret value",
            vvpSecretValue,
            async () => ({ name: "s", value: "hush-1234" }),
            () => `${v1}/secret-values/s`,
        ],
        [
            "session cluster",
            vvpSessionCluster,
            async () => ({ name: "c", deploymentTarget: "t", engineVersion, state: "STOPPED" }),
            () => `${v1}/sessionclusters/c`,
        ],
        [
            "draft",
            vvpDraft,
            async () => ({
                name: "d",
                deploymentTargetId: target.state["targetId"],
                sqlScript: job.sqlScript,
            }),
            ({ id }) => `${v1}/deployment-drafts/${id}`,
        ],
        [
            "savepoint",
            vvpSavepoint,
            async () => ({ deploymentId: (await p.up(vvpDeployment, job)).id }),
            ({ id }) => `${v2}/savepoints/${id}`,
        ],
        [
            "deployment",
            vvpDeployment,
            async () => ({ ...job, state: "CANCELLED" }),
            ({ id }) => `${v2}/deployments/${id}`,
        ],
        [
            "API token",
            vvpApiToken,
            async () => ({ name: "ci", role: "viewer" }),
            ({ id }) => `/apitokens/v1/namespaces/default/apitokens/${id}`,
        ],
        [
            "Console cluster",
            vvpFlussConsoleCluster,
            async () => ({ name: "f", bootstrapServers: "f:1", required: true }),
            ({ state }) => `/fluss/api/v1/clusters/${String(state["clusterId"])}`,
        ],
    ];

    test.each(kinds)(
        "P12 (terraform-provider-confluent#687): a %s that is gone is missed by a refresh, deleted without a word, and made anew",
        async (_, provider, wish, where) => {
            const wanted = { ...(await wish()) };
            const held = await p.up(provider, wanted);
            await p.outside("DELETE", where(held));
            expect(await p.refresh(provider, held)).toBeUndefined();
            await provider.delete(held.id, held.state);
            await p.up(provider, wanted);
        },
    );

    test("P12: a job whose record is gone has ended, and the next run starts one", async () => {
        const held = await p.up(vvpDeployment, job);
        const none = { success: true, data: [], pageIndex: 1, pageSize: 100, totalSize: 0 };
        p.flink.finish(p.flink.jobIds[0] ?? "");
        p.simulator.faults.failNext("listJobs", 200, none, 3);
        const refreshed = await p.refresh(vvpDeployment, held);
        expect(refreshed?.state).toMatchObject({ jobStatus: "NOT_STARTED", jobId: "", everRan: true });
        expect((await p.up(vvpDeployment, job, refreshed)).state).toMatchObject({ jobStatus: "RUNNING" });
    });
});

describe("SQL", () => {
    const createCatalog = "CREATE CATALOG IF NOT EXISTS c WITH ('type' = 'fluss')";
    const script = {
        statements: [createCatalog, "CREATE DATABASE IF NOT EXISTS c.d"],
        probe: "SHOW DATABASES IN c",
    };

    test("P15 (apache/fluss#635): a catalog outlives the SQL session that made it", async () => {
        const held = await p.up(vvpSqlScript, script);
        p.flink.forgetAll();
        expect((await p.refresh(vvpSqlScript, held))?.state).toMatchObject({ changedOutside: false });
        expect(p.flink.statements.filter((text) => text === createCatalog)).toHaveLength(2);
    });

    test("P16 (flink-sql-gateway#77): a session at its end is no missing catalog: the statement is tried again", async () => {
        const held = await p.up(vvpSqlScript, script);
        const ended = {
            success: true,
            data: {
                result: "RESULT_INVALID",
                errorMessages: [{ message: "Session 'a7f-3' does not exist." }],
            },
        };
        p.simulator.faults.failNext("executeSql", 200, ended);
        expect((await p.refresh(vvpSqlScript, held))?.state).toMatchObject({ changedOutside: false });
        p.simulator.faults.failNext("executeSql", 200, ended, 9);
        await expect(p.refresh(vvpSqlScript, held)).rejects.toThrow("Session 'a7f-3' does not exist");
    });

    test("P16: a gateway that refuses with a message of its own is not asked again", async () => {
        p.flink.answer(/^CREATE/, new FlinkError("x", { status: 500, type: "E", reason: "no such option" }));
        await expect(p.up(vvpSqlScript, script)).rejects.toThrow("no such option");
        expect(p.calls("executeSql")).toBe(1);
    });
});

describe("secrets and order", () => {
    test("P13 (pulumi#8265): neither a secret nor the token comes back in what a resource shows of itself", async () => {
        const held = await p.up(vvpSecretValue, { name: "pw", value: "hush-hush-55" });
        const { value, ...shown } = held.state;
        expect(value).toBe("hush-hush-55");
        expect(JSON.stringify(shown)).not.toMatch(/hush|tok-/);
        const token = await p.up(vvpApiToken, { name: "ci", role: "viewer" });
        const { secret, ...rest } = token.state;
        expect(JSON.stringify(rest)).not.toContain(secret);
    });

    test("P22: a target that is used is not deleted, and says what must go first; a running cluster and job are stopped first", async () => {
        const session = await p.up(vvpSessionCluster, { name: "s", deploymentTarget: "t", engineVersion });
        const deployed = await p.up(vvpDeployment, job);
        await expect(vvpDeploymentTarget.delete(target.id, target.state)).rejects.toThrow(
            /deployments and session clusters that use it must go first/,
        );
        await vvpSessionCluster.delete(session.id, session.state);
        await vvpDeployment.delete(deployed.id, deployed.state);
        await vvpDeploymentTarget.delete(target.id, target.state);
        expect(await p.outside("GET", `${v1}/deployment-targets`)).toMatchObject({ items: [] });
    });
});

test("each reported problem has a test that bears its number", () => {
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 18, 19, 20, 22, 24];
    const text = fs
        .readdirSync(import.meta.dirname)
        .filter((name) => name.startsWith("known-problems"))
        .map((name) => fs.readFileSync(path.join(import.meta.dirname, name), "utf8"))
        .join("\n");
    const named = new Set([...text.matchAll(/["[(]\s*"?P(\d+)[ :,(]/g)].map((match) => Number(match[1])));
    expect(numbers.filter((number) => !named.has(number))).toEqual([]);
});
