import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
    type SimulatedFlink,
    simulatedFlink,
    startVvpSimulator,
} from "../../../local/simulators/vvp/index.ts";
import { ARTIFACTS, bench, closeAfterEach, DEPLOYMENTS, JOBS, SECRETS, TARGETS } from "./harness.ts";

closeAfterEach();
const root = fs.mkdtempSync(path.join(os.tmpdir(), "vvp-state-"));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const SECRET = "s3cr3t-of-fluss";
const CATALOG =
    "CREATE CATALOG fluss WITH ('type' = 'fluss', 'client.security.sasl.password' = '${secret_values.pw}')";

describe("the state of the simulated VVP", () => {
    it("outlives a restart: resources, files, jobs, catalogs and secrets", async () => {
        const stateDir = path.join(root, "restart");
        const flink = simulatedFlink();
        const before = await bench({ stateDir }, flink);
        await before.call("POST", SECRETS, {
            metadata: { name: "pw" },
            spec: { kind: "PLAIN", value: SECRET },
        });
        const id = await before.deploy();
        const job = await before.start(id);
        await before.until(job, "RUNNING");
        await before.execute(CATALOG);
        await before.simulator.close();

        const after = await bench({ stateDir }, flink);
        expect((await after.call("GET", `${TARGETS}/target`)).status).toBe(200);
        expect((await after.call("GET", `${DEPLOYMENTS}/${id}`)).body.data.deploymentHasChanged).toBe(false);
        expect(
            (await after.call("GET", `${ARTIFACTS}:getMetadata?filename=job.jar`)).body.data.artifact.size,
        ).toBe("5");
        await after.until(job, "RUNNING");
        flink.statements.length = 0;
        await after.execute("SHOW CATALOGS");
        expect(flink.statements[0]).toContain(SECRET);
        await after.call("POST", `${JOBS}/${job}:stop`, { stopStrategy: "NONE" });
        await after.until(job, "CANCELLED");
        await after.until(await after.start(id), "RUNNING");
    });

    it("is readable by its owner alone, and keeps secrets in a file of their own", async () => {
        const stateDir = path.join(root, "modes");
        const { call, execute } = await bench({ stateDir });
        await call("POST", SECRETS, { metadata: { name: "pw" }, spec: { kind: "PLAIN", value: SECRET } });
        await execute(CATALOG);
        const mode = (name: string) => fs.statSync(path.join(stateDir, name)).mode & 0o777;
        expect([mode("state.json"), mode("secrets.json")]).toEqual([0o600, 0o600]);
        expect(fs.readFileSync(path.join(stateDir, "secrets.json"), "utf8")).toContain(SECRET);
        const state = fs.readFileSync(path.join(stateDir, "state.json"), "utf8");
        expect(state).toContain("${secret_values.pw}");
        expect(state).not.toContain(SECRET);
    });

    describe("after a start that was cut off", () => {
        /** A simulator that was killed before Flink answered, as it finds its state. */
        const cutOff = async (name: string, flink: SimulatedFlink) => {
            const stateDir = path.join(root, name);
            const first = await bench({ stateDir }, flink);
            const id = await first.deploy();
            const job = await first.start(id);
            await first.until(job, "RUNNING");
            await first.simulator.close();
            const file = path.join(stateDir, "state.json");
            const state = JSON.parse(fs.readFileSync(file, "utf8"));
            delete state.jobs[0].flinkJobId;
            state.jobs[0].status = "STARTING";
            fs.writeFileSync(file, JSON.stringify(state));
            return { job, id, second: await bench({ stateDir }, flink) };
        };

        it("takes up the job that Flink has", async () => {
            const flink = simulatedFlink();
            const { second, job } = await cutOff("taken-up", flink);
            await second.until(job, "RUNNING");
            await second.call("POST", `${JOBS}/${job}:stop`, { stopStrategy: "NONE" });
            await second.until(job, "CANCELLED");
            expect((await flink.job(flink.jobIds[0]!))?.state).toBe("CANCELED");
        });

        it("fails the job that Flink does not have, and starts again", async () => {
            const flink = simulatedFlink();
            const { second, job, id } = await cutOff("failed", flink);
            flink.forgetAll();
            const failed = await second.until(job, "FAILED");
            expect(failed.body.data.status.failure.reason).toBe("StartInterrupted");
            await second.until(await second.start(id), "RUNNING");
        });
    });

    it("stops a job again when a restart cut the stop off", async () => {
        const flink = simulatedFlink();
        const stateDir = path.join(root, "cut-stop");
        const first = await bench({ stateDir }, flink);
        const job = await first.start(await first.deploy());
        await first.until(job, "RUNNING");
        await first.simulator.close();
        const file = path.join(stateDir, "state.json");
        const state = JSON.parse(fs.readFileSync(file, "utf8"));
        Object.assign(state.jobs[0], { status: "CANCELLING", stopStrategy: "NONE" });
        fs.writeFileSync(file, JSON.stringify(state));
        const second = await bench({ stateDir }, flink);
        await second.until(job, "CANCELLING");
        await second.call("POST", `${JOBS}/${job}:stop`, { stopStrategy: "NONE" });
        await second.until(job, "CANCELLED");
    });

    it("says what to do when it is damaged", async () => {
        const stateDir = path.join(root, "damaged");
        fs.mkdirSync(stateDir);
        fs.writeFileSync(path.join(stateDir, "state.json"), "{");
        await expect(bench({ stateDir })).rejects.toThrow("state.json is damaged: remove its folder");
    });

    it("leaves nothing behind without a folder", async () => {
        const temporary = () =>
            fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith("vvp-simulated-"));
        const before = new Set(temporary());
        const options = { port: 0, token: "t", flink: simulatedFlink(), kubernetesNamespaces: ["k"] };
        const simulator = await startVvpSimulator(options);
        const made = temporary().filter((name) => !before.has(name));
        await simulator.close();
        expect(made.length).toBeGreaterThan(0);
        expect(temporary().filter((name) => made.includes(name)).length).toBeLessThan(made.length);
    });

    it("shows no secret in the request log", async () => {
        const lines: string[] = [];
        const { call, execute, simulator } = await bench({
            onRequest: (line) => lines.push(JSON.stringify(line)),
        });
        await call("POST", SECRETS, { metadata: { name: "pw" }, spec: { kind: "PLAIN", value: SECRET } });
        await execute(`SET 'a' = '${SECRET}'`);
        expect(lines).toHaveLength(2);
        expect(lines.join("") + JSON.stringify(simulator.requests)).not.toContain(SECRET);
    });
});
