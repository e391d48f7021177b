import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

const provider = vvpProviders.vvpSavepoint;
const savepoints = "/api/v2/namespaces/default/savepoints";
let p: SimulatedPlatform;
let deploymentId: string;

beforeEach(async () => {
    p = await simulatedPlatform();
    await p.up(vvpProviders.vvpDeploymentTarget, { name: "t", kubernetesNamespace: "jobs" });
    const job = {
        name: "writer",
        deploymentTarget: "t",
        engineVersion: "vera-4.5-jdk11-flink-1.20",
        sqlScript: "INSERT INTO a SELECT * FROM b",
        healthySeconds: 0,
    };
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
        const [job] = p.flink.jobIds;
        p.flink.finish(job ?? "");
        await expect(p.up(provider, { deploymentId })).rejects.toThrow("has no RUNNING job");
    });
});
