import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { type Held, type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

const { vvpDeploymentTarget, vvpSecretValue, vvpDeployment } = vvpProviders;
const secret = { name: "pw", value: "first-hush-1" };
let p: SimulatedPlatform;
let held: Held;
let user: string;
let other: string;

beforeEach(async () => {
    p = await simulatedPlatform();
    await p.up(vvpDeploymentTarget, { name: "t", kubernetesNamespace: "jobs" });
    held = await p.up(vvpSecretValue, secret);
    const deploy = async (name: string, options: string) => {
        const job = {
            name,
            deploymentTarget: "t",
            engineVersion: "vera-4.5-jdk11-flink-1.20",
            sqlScript: `INSERT INTO a /*+ OPTIONS('x'='${options}') */ SELECT * FROM b`,
            healthySeconds: 0,
        };
        return (await p.up(vvpDeployment, job)).id;
    };
    user = await deploy("user", "${secret_values.pw}");
    other = await deploy("other", "plain");
});
afterEach(() => p.close());

const jobs = async (id: string) => (await p.jobs(id)).map(({ status, restore }) => `${status} ${restore}`);

describe("a new value", () => {
    test("restarts nothing unless that is asked for", async () => {
        await p.up(vvpSecretValue, { ...secret, value: "second-hush-1" }, held);
        expect(await jobs(user)).toEqual(["RUNNING NONE"]);
    });

    test("restarts the jobs that use it with their state, and no other", async () => {
        const wish = { ...secret, value: "second-hush-1", restartJobs: "WITH_STATE" };
        const rotated = await p.up(vvpSecretValue, wish, held);
        expect(await jobs(user)).toEqual(["RUNNING LATEST_STATE", "CANCELLED NONE"]);
        expect(await jobs(other)).toEqual(["RUNNING NONE"]);
        expect(p.flink.statements.at(-1)).toContain("second-hush-1");
        expect(await p.up(vvpSecretValue, wish, rotated)).toBe(rotated);
    });

    test("whose restart fails says so, and the next run starts the job", async () => {
        p.flink.refuseNextStart("no slots");
        const wish = { ...secret, value: "second-hush-1", restartJobs: "WITHOUT_STATE" };
        const error = await p.up(vvpSecretValue, wish, held).catch((caught) => caught);
        expect(error.message).toMatch(/'pw' is written, but jobs .*deployment 'user'.*no slots/s);
        expect(error.message).not.toContain("hush");
        const failed = { id: held.id, state: error.properties };
        expect(failed.state).toMatchObject({ restartPending: [user] });
        const again = await p.up(vvpSecretValue, wish, failed);
        expect(again.state["restartPending"]).toEqual([]);
        expect((await jobs(user))[0]).toBe("RUNNING NONE");
        expect(p.calls("patchSecretValue")).toBe(1);
    });

    test("whose restart fails for the savepoint says so; the job goes on with the old value, and the next run restarts it", async () => {
        p.flink.failNextSavepoint("a task is not running");
        const wish = { ...secret, value: "second-hush-1", restartJobs: "WITH_STATE" };
        const error = await p.up(vvpSecretValue, wish, held).catch((caught) => caught);
        expect(error.message).toMatch(
            /'pw' is written, but jobs .*job \S+ of deployment 'user' to stop \(STOP_WITH_SAVEPOINT\): it goes on RUNNING as it was started: StopFailed: .*a task is not running.*restartJobs\) "WITHOUT_STATE"/s,
        );
        expect(await jobs(user)).toEqual(["RUNNING NONE"]);
        // Again, with the very same words.
        p.flink.failNextSavepoint("a task is not running");
        const failed = { id: held.id, state: error.properties };
        const again = await p.up(vvpSecretValue, wish, failed).catch((caught) => caught);
        expect(again.message).toMatch(/waited [0-4] s for job .*a task is not running/s);
        await p.up(vvpSecretValue, wish, { id: held.id, state: again.properties });
        expect(await jobs(user)).toEqual(["RUNNING LATEST_STATE", "CANCELLED NONE"]);
    });

    test("of a run that was killed between a job's stop and its start: the next one starts it, also when it was killed, too", async () => {
        const wish = { ...secret, value: "second-hush-1", restartJobs: "WITH_STATE" };
        // Whoever is killed records nothing: the next run begins with the same state.
        const killed = async (operationId: string) => {
            p.simulator.faults.failNext(operationId, 400, { message: "nobody hears it" });
            await expect(p.up(vvpSecretValue, wish, held)).rejects.toThrow();
        };
        await killed("startJob");
        expect(await jobs(user)).toEqual(["CANCELLED NONE"]);
        // Killed once more, after the new value was written again.
        await killed("startJob");
        held = await p.up(vvpSecretValue, wish, (await p.refresh(vvpSecretValue, held))!);
        expect(await jobs(user)).toEqual(["RUNNING LATEST_STATE", "CANCELLED NONE"]);
        expect((await p.refresh(vvpSecretValue, held))?.state).toMatchObject({ changedOutside: false });
    });

    test("leaves a job alone that people have stopped, also after a restart that was recorded", async () => {
        const wish = (value: string) => ({ ...secret, value, restartJobs: "WITHOUT_STATE" });
        held = await p.up(vvpSecretValue, wish("second-hush-1"), held);
        const [{ jobId } = { jobId: "" }] = (await p.outside(
            "GET",
            `/api/v2/namespaces/default/jobs?deploymentId=${user}`,
        )) as { jobId: string }[];
        await p.outside("POST", `/api/v2/namespaces/default/jobs/${jobId}:stop`, { stopStrategy: "NONE" });
        await p.up(vvpSecretValue, wish("third-hush-1"), held);
        expect(await jobs(user)).toEqual(["CANCELLED NONE", "CANCELLED NONE"]);
    });

    test("of two secrets that one job uses restarts it once, with both", async () => {
        const more = await p.up(vvpSecretValue, { name: "key", value: "first-hush-2" });
        const both = "${secret_values.pw}','y'='${secret_values.key}";
        const sqlScript = `INSERT INTO a /*+ OPTIONS('x'='${both}') */ SELECT * FROM b`;
        const job = {
            name: "two",
            deploymentTarget: "t",
            engineVersion: "vera-4.5-jdk11-flink-1.20",
            sqlScript,
            healthySeconds: 0,
        };
        const two = (await p.up(vvpDeployment, job)).id;
        await p.up(vvpDeployment, { ...job, name: "three" });
        const before = p.calls("startJob");
        const wish = (value: string) => ({ value, restartJobs: "WITH_STATE" });
        await Promise.all([
            p.up(vvpSecretValue, { ...secret, ...wish("second-hush-1") }, held),
            p.up(vvpSecretValue, { name: "key", ...wish("second-hush-2") }, more),
        ]);
        // The user of one of them, and the two of both.
        expect(p.calls("startJob") - before).toBe(3);
        expect(await jobs(two)).toEqual(["RUNNING LATEST_STATE", "CANCELLED NONE"]);
        const started = p.flink.statements.slice(-3).filter((text) => text.includes("'y'="));
        expect(started.filter((text) => /second-hush-1.*second-hush-2/.test(text))).toHaveLength(2);
    });
});
