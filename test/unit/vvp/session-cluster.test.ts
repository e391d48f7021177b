import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { fakePlatform, stackConfig } from "./fake-platform.ts";
import { type Held, platformWithTarget, type SimulatedPlatform } from "./simulated-platform.ts";

const { vvpDeployment, vvpSessionCluster } = vvpProviders;
const engineVersion = "vera-4.5-jdk11-flink-1.20";
const session = {
    name: "s",
    deploymentTarget: "t",
    engineVersion,
    flinkConfiguration: { a: "1" } as Record<string, string>,
};
const job = {
    name: "writer",
    sessionCluster: "s",
    engineVersion,
    sqlScript: "INSERT INTO a SELECT * FROM b",
    healthySeconds: 0,
};

describe("a session cluster that runs jobs", () => {
    let p: SimulatedPlatform;
    let cluster: Held;
    let deployed: Held;

    beforeEach(async () => {
        vi.spyOn(console, "warn").mockImplementation(() => undefined);
        p = await platformWithTarget();
        cluster = await p.up(vvpSessionCluster, session);
        deployed = await p.up(vvpDeployment, job);
    });
    afterEach(async () => {
        vi.restoreAllMocks();
        await p.close();
    });

    const changed = { ...session, flinkConfiguration: { a: "2" } };
    const failureOf = (run: Promise<unknown>) =>
        run.then(
            () => expect.fail("it went well"),
            (error: Error & { properties?: Record<string, unknown> }) => error,
        );
    const states = async () => (await p.jobs(deployed.id)).map(({ status }) => status);

    test.each([
        ["a change for which it must stop", changed, "flinkConfiguration"],
        ["state STOPPED", { ...session, state: "STOPPED" }, "state"],
    ])("is not stopped under them by %s: they are named, with the way", async (_, wish, field) => {
        const before = p.calls("patchSessionCluster");
        const { message, properties } = await failureOf(p.up(vvpSessionCluster, wish, cluster));
        expect(message).toMatch(
            new RegExp(`'s' must stop .*\\(${field}\\), and runs jobs of writer\\..*state: "CANCELLED"`, "s"),
        );
        expect(properties).toMatchObject({ status: "RUNNING" });
        expect(p.calls("patchSessionCluster")).toBe(before);
        expect(await states()).toEqual(["RUNNING"]);
    });

    test("gets more task managers beside them", async () => {
        await p.up(vvpSessionCluster, { ...session, numberOfTaskManagers: 3 }, cluster);
        expect(await states()).toEqual(["RUNNING"]);
    });

    test("is changed once they are stopped, and they start again on it from their state", async () => {
        const stopped = await p.up(vvpDeployment, { ...job, state: "CANCELLED" }, deployed);
        await p.up(vvpSessionCluster, changed, cluster);
        await p.up(vvpDeployment, job, stopped);
        expect(await states()).toEqual(["RUNNING", "CANCELLED"]);
    });

    test("whose jobs cannot be seen is left to the platform's own refusal", async () => {
        p.simulator.faults.failNext("listDeployments", 403, { success: false, errorMessage: "no" }, 9);
        const { message } = await failureOf(p.up(vvpSessionCluster, changed, cluster));
        expect(message).toMatch(
            /could not stop session cluster 's'.*still runs jobs of writer: stop them first/,
        );
    });
});

describe("a session cluster ON_DEMAND", () => {
    let p: SimulatedPlatform;
    const wish = { ...session, state: "ON_DEMAND" };
    const status = async () => {
        const { status: seen } = (await p.outside("GET", "/api/v1/namespaces/default/sessionclusters/s")) as {
            status: { state: string };
        };
        return seen.state;
    };
    const people = (state: string) =>
        p.outside("PATCH", "/api/v1/namespaces/default/sessionclusters/s", { spec: { state } });

    beforeEach(async () => {
        vi.spyOn(console, "warn").mockImplementation(() => undefined);
        p = await platformWithTarget();
    });
    afterEach(async () => {
        vi.restoreAllMocks();
        await p.close();
    });

    test("is made stopped, and left as people leave it, running or stopped", async () => {
        let held = await p.up(vvpSessionCluster, wish);
        expect(await status()).toBe("STOPPED");
        for (const state of ["RUNNING", "STOPPED"]) {
            await people(state);
            await expect.poll(status).toBe(state);
            held = (await p.refresh(vvpSessionCluster, held)) ?? expect.fail("it is gone");
            expect(await p.up(vvpSessionCluster, wish, held)).toBe(held);
            expect(await status()).toBe(state);
        }
    });

    test.each(["RUNNING", "STOPPED"])("is %s again after a change", async (state) => {
        const held = await p.up(vvpSessionCluster, wish);
        await people(state);
        await expect.poll(status).toBe(state);
        await p.up(vvpSessionCluster, { ...wish, flinkConfiguration: { a: "2" } }, held);
        expect(await status()).toBe(state);
    });
});

describe("a session cluster that failed", () => {
    test("and is started again: the platform may show the old failure for a moment", async () => {
        const shown = (state: string, failedAt?: string) => ({
            metadata: { id: "1", name: "s" },
            spec: {
                deploymentTargetName: "t",
                versionName: engineVersion,
                flinkConfiguration: session.flinkConfiguration,
            },
            status: {
                state,
                ...(failedAt ? { failure: { reason: "NoSlots", message: "none", failedAt } } : {}),
            },
        });
        const old = "2026-01-01T00:00:00Z";
        let later = [shown("FAILED", old), shown("STARTING"), shown("RUNNING")];
        let asked = false;
        const platform = await fakePlatform(({ method, body }) => {
            asked ||= method === "PATCH" && body.includes("RUNNING");
            const next = asked && method === "GET" ? later.shift() : undefined;
            return { json: next ?? shown("FAILED", old) };
        });
        try {
            const run = async () => {
                asked = false;
                await vvpSessionCluster.configure(stackConfig);
                const given = { connection: { url: platform.url }, ...session, timeoutSeconds: 20 };
                const { inputs } = await vvpSessionCluster.check(undefined, given);
                return vvpSessionCluster.update("s", { ...inputs, status: "FAILED" }, inputs);
            };
            expect((await run()).outs).toMatchObject({ status: "RUNNING" });
            later = [shown("FAILED", old), shown("FAILED", "2026-01-01T00:00:09Z")];
            await expect(run()).rejects.toThrow(/to be RUNNING: it FAILED: NoSlots: none/);
        } finally {
            await platform.close();
        }
    });
});
