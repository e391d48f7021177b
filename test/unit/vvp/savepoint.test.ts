import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

const provider = vvpProviders.vvpSavepoint;
const savepoints = "/api/v2/namespaces/default/savepoints";
const job = {
    name: "writer",
    deploymentTarget: "t",
    engineVersion: "vera-4.5-jdk11-flink-1.20",
    sqlScript: "INSERT INTO a SELECT * FROM b",
    healthySeconds: 0,
};
let p: SimulatedPlatform;
let deploymentId: string;

beforeEach(async () => {
    p = await simulatedPlatform();
    await p.up(vvpProviders.vvpDeploymentTarget, { name: "t", kubernetesNamespace: "jobs" });
    deploymentId = (await p.up(vvpProviders.vvpDeployment, job)).id;
});
afterEach(() => p.close());

describe("a savepoint", () => {
    test("is taken once, although the answer gets lost, and then nothing changes", async () => {
        p.simulator.faults.loseNextAnswer("createSavepoint");
        const held = await p.up(provider, { deploymentId, description: "first" });
        expect(held.state).toMatchObject({
            status: "COMPLETED",
            location: expect.stringMatching(/^file:/),
            jobId: expect.any(String),
        });
        expect(p.calls("createSavepoint")).toBe(1);
        expect(await p.up(provider, { deploymentId, description: "first" }, held)).toBe(held);
        expect((await p.refresh(provider, held))?.state).toEqual(held.state);
    });

    test("a new trigger takes a new one; deleting removes it; deleted outside it is gone", async () => {
        const held = await p.up(provider, { deploymentId, trigger: "1" });
        expect(await p.replaces(provider, { deploymentId, trigger: "2" }, held)).toEqual(["trigger"]);
        await provider.delete(held.id, held.state);
        expect(await p.outside("GET", savepoints)).toEqual([]);
        expect(await p.refresh(provider, held)).toBeUndefined();
        await provider.delete(held.id, held.state);
    });

    test("that fails is told with Flink's reason, and leaves nothing", async () => {
        p.flink.failNextSavepoint("a task is not running");
        await expect(p.up(provider, { deploymentId })).rejects.toThrow(
            /to be COMPLETED: it FAILED: SavepointFailed: .*a task is not running/,
        );
        expect(await p.outside("GET", savepoints)).toEqual([]);
    });

    test("that is not ready in time is recorded, and the next run goes on waiting", async () => {
        const slow = p.flink.savepoint;
        let finish = () => {};
        p.flink.savepoint = (id) =>
            new Promise((resolve) => {
                finish = () => resolve(slow(id));
            });
        const error = await p.up(provider, { deploymentId, timeoutSeconds: 0.2 }).catch((caught) => caught);
        expect(error).toMatchObject({
            message: expect.stringContaining("it is still STARTED"),
            properties: { status: "STARTED" },
        });
        finish();
        const held = { id: error.id as string, state: error.properties };
        const { outs } = await provider.update(held.id, held.state, {
            connection: p.connection,
            deploymentId,
            timeoutSeconds: 5,
        });
        expect(outs["status"]).toBe("COMPLETED");
    });

    test("needs a running job", async () => {
        const [running] = p.flink.jobIds;
        p.flink.finish(running ?? "");
        await expect(p.up(provider, { deploymentId })).rejects.toThrow("has no RUNNING job");
    });
});

describe("a changed deployment whose savepoint fails", () => {
    const patient = { ...job, timeoutSeconds: 30 };
    const lives = async () =>
        (await p.jobs(deploymentId)).map(({ status, restore }) => `${status} ${restore}`);

    test("says why and what to do; the job goes on as it was started, and the state knows; each next run tries again", async () => {
        const wish = { ...patient, parallelism: 2 };
        let held = { id: deploymentId, state: await stateOf(patient) };
        for (let n = 0; n < 2; n++) {
            p.flink.failNextSavepoint("a task is not running");
            const error = await p.up(vvpProviders.vvpDeployment, wish, held).catch((caught) => caught);
            expect(error.message).toMatch(
                /waited [0-4] s for job \S+ of deployment 'writer' to stop \(STOP_WITH_SAVEPOINT\): it goes on RUNNING as it was started: StopFailed: .*a task is not running.*What to do: repair what the message names and run again, or .*"WITHOUT_STATE".*JOB_CANCELLING/s,
            );
            expect(error.properties).toMatchObject({ jobStatus: "RUNNING", restartPending: true });
            expect(await lives()).toEqual(["RUNNING NONE"]);
            held = { id: deploymentId, state: error.properties };
            // A refresh takes the engine's own note that the update failed away.
            held = (await p.refresh(vvpProviders.vvpDeployment, held)) ?? held;
        }
        const done = await p.up(vvpProviders.vvpDeployment, wish, held);
        expect(done.state).toMatchObject({ jobStatus: "RUNNING", restartPending: false });
        expect(await lives()).toEqual(["RUNNING LATEST_STATE", "CANCELLED NONE"]);
        const refreshed = await p.refresh(vvpProviders.vvpDeployment, done);
        expect(await p.up(vvpProviders.vvpDeployment, wish, refreshed)).toBe(refreshed);
    });

    test("can be restarted without one", async () => {
        p.flink.failNextSavepoint("a task is not running");
        const held = { id: deploymentId, state: await stateOf(patient) };
        await p.up(
            vvpProviders.vvpDeployment,
            { ...patient, parallelism: 2, restart: "WITHOUT_STATE" },
            held,
        );
        expect(await lives()).toEqual(["RUNNING NONE", "CANCELLED NONE"]);
    });

    /** What the stack holds of the deployment that `beforeEach` made. */
    async function stateOf(wish: object): Promise<Record<string, unknown>> {
        const { inputs } = await vvpProviders.vvpDeployment.check(undefined, {
            connection: p.connection,
            ...wish,
        });
        const { props } = await vvpProviders.vvpDeployment.read(deploymentId, inputs);
        return props ?? {};
    }
});
