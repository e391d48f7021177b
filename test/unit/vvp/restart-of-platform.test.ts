import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { simulatedFlink, startVvpSimulator } from "../../../local/simulators/vvp/index.ts";
import { stackConfig, token } from "./fake-platform.ts";

/** A platform that is stopped and started again, with what it had written down, while a run waits for a job. */

const { vvpDeployment, vvpDeploymentTarget } = vvpProviders;
let stateDir: string;

beforeEach(() => {
    stateDir = fs.mkdtempSync(path.join(os.tmpdir(), "vvp-restart-"));
});
afterEach(() => {
    vi.restoreAllMocks();
    fs.rmSync(stateDir, { recursive: true, force: true });
});

test("the run goes on with the same job, and says what it waits for", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const flink = simulatedFlink();
    const start = (port: number) =>
        startVvpSimulator({ port, stateDir, token, flink, kubernetesNamespaces: ["jobs"] });
    const before = await start(0);
    const connection = { url: before.url };
    const make = async (provider: typeof vvpDeployment, wish: object) => {
        await provider.configure(stackConfig);
        return provider.create((await provider.check(undefined, { connection, ...wish })).inputs);
    };
    await make(vvpDeploymentTarget, { name: "t", kubernetesNamespace: "jobs" });
    const seen = flink.job;
    let running = false;
    flink.job = async (id) =>
        running ? seen(id) : { state: "CREATED", allVerticesRunning: false, restarts: 0 };
    const run = make(vvpDeployment, {
        name: "writer",
        deploymentTarget: "t",
        engineVersion: "vera-4.5-jdk11-flink-1.20",
        sqlScript: "INSERT INTO a SELECT * FROM b",
        healthySeconds: 0,
        timeoutSeconds: 60,
    });
    await expect
        .poll(() => before.requests.some(({ operationId }) => operationId === "getJob"), { timeout: 10_000 })
        .toBe(true);
    await before.close();
    await expect
        .poll(() => warn.mock.calls.join(), { timeout: 10_000 })
        .toMatch(/waiting for job \S+ of deployment 'writer' to be RUNNING: VVP does not answer/);
    running = true;
    const after = await start(Number(new URL(before.url).port));
    try {
        expect((await run).outs).toMatchObject({ jobStatus: "RUNNING" });
        expect(flink.jobIds).toHaveLength(1);
    } finally {
        await after.close();
    }
});
