import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

const { vvpDeployment, vvpDeploymentTarget, vvpSecretValue, vvpSessionCluster } = vvpProviders;
const engineVersion = "vera-4.5-jdk11-flink-1.20";
const job = {
    name: "writer",
    deploymentTarget: "t",
    engineVersion,
    sqlScript: "INSERT INTO a /*+ OPTIONS('password'='${secret_values.pw}') */ SELECT * FROM b",
    healthySeconds: 0,
    timeoutSeconds: 30,
};
let p: SimulatedPlatform;

beforeEach(async () => {
    p = await simulatedPlatform();
    await p.up(vvpDeploymentTarget, { name: "t", kubernetesNamespace: "jobs" });
    await p.up(vvpSecretValue, { name: "pw", value: "hush-hush-8812" });
});
afterEach(() => p.close());

const reasonOf = async (run: Promise<unknown>) =>
    run.then(
        () => "",
        (error: Error) => error.message,
    );

describe("the error of a job that failed ends with the platform's events of it", () => {
    test("in their order, without secrets, and without those of other jobs", async () => {
        const other = await p.up(vvpDeployment, { ...job, name: "other" });
        p.flink.refuseNextStart("no slots for hush-hush-8812");
        const told = await reasonOf(p.up(vvpDeployment, job));
        expect(told).toMatch(
            /it FAILED: FlinkStartFailed: .*no slots.*\nThe platform's last events of it:\n {2}\S+Z JOB_STARTING\n {2}\S+Z JOB_FAILED: FlinkStartFailed: .*no slots/s,
        );
        expect(told).not.toContain("hush-hush-8812");
        expect(told.match(/JOB_STARTING/g)).toHaveLength(1);
        await vvpDeployment.delete(other.id, other.state);
    });

    test("at most the last five of them", async () => {
        const items = Array.from({ length: 8 }, (_, n) => ({
            metadata: { name: `E${n}`, createdAt: `2026-01-01T00:00:0${n}Z` },
            spec: { message: "x".repeat(700) },
        })).reverse();
        p.simulator.faults.failNext("listEvents", 200, { items });
        p.flink.refuseNextStart("no slots");
        const told = await reasonOf(p.up(vvpDeployment, job));
        expect(told.match(/E\d/g)).toEqual(["E3", "E4", "E5", "E6", "E7"]);
        expect(told.length).toBeLessThan(4000);
    });

    test.each([
        ["a platform without events", 404, { message: "no such path" }],
        ["a token that may not read them", 403, { message: "not for viewers" }],
        ["events of another form", 200, { events: "none" }],
    ])("%s: the reason stands alone", async (_, status, body) => {
        p.simulator.faults.failNext("listEvents", status, body, 9);
        p.flink.refuseNextStart("no slots");
        const told = await reasonOf(p.up(vvpDeployment, job));
        expect(told).toMatch(/it FAILED: FlinkStartFailed: .*no slots/);
        expect(told).not.toContain("events");
    });
});

describe("the error of a job that failed ends with what the log of its start says of it", () => {
    const log = (...lines: string[]) => ({ success: true, data: lines.join("\n") });

    test("the lines of trouble alone, without secrets: others hold arguments", async () => {
        const lines = [
            "2026-01-01 00:00:00 [main] INFO  ClusterEntrypoint [] - Program Arguments: --password hush-a",
            "2026-01-01 00:00:00 [main] INFO  ClusterEntrypoint [] - -D $internal.application.program-args=hush-b ERROR",
            "2026-01-01 00:00:01 [main] ERROR ClusterEntrypoint [] - Could not start cluster entrypoint.",
            "java.lang.NoClassDefFoundError: org/apache/iceberg/Table",
            "\tat org.example.Main.main(Main.java:7)",
            "Caused by: java.lang.ClassNotFoundException: org.apache.iceberg.Table, password=hush-c --client-secret hush-d",
        ];
        p.simulator.faults.failNext("getLatestJobStartLog", 200, log(...lines));
        p.flink.refuseNextStart("no such class");
        const told = await reasonOf(p.up(vvpDeployment, job));
        expect(told).toMatch(
            /From the log of its start:\n {2}\S+ \S+ \[main\] ERROR .*entrypoint\.\n {2}java\.lang\.NoClassDef.*\n {2}Caused by: .*Table/,
        );
        expect(told).not.toMatch(/hush-|Main\.java/);
    });

    test("at most the last eight", async () => {
        const lines = Array.from({ length: 20 }, (_, n) => `Caused by: error E${n} ${"x".repeat(900)}`);
        p.simulator.faults.failNext("getLatestJobStartLog", 200, log(...lines));
        p.flink.refuseNextStart("no slots");
        const told = await reasonOf(p.up(vvpDeployment, job));
        expect(told.match(/E\d+/g)?.[0]).toBe("E12");
        expect(told.length).toBeLessThan(4500);
    });

    test.each([
        ["a platform without that log", 404, { message: "no such path" }],
        ["a log of another form", 200, { success: true, data: { lines: ["Caused by: x"] } }],
        ["a start without trouble", 200, log("INFO all is well")],
    ])("%s: the reason stands alone", async (_, status, body) => {
        p.simulator.faults.failNext("getLatestJobStartLog", status, body, 9);
        p.flink.refuseNextStart("no slots");
        const told = await reasonOf(p.up(vvpDeployment, job));
        expect(told).toMatch(/it FAILED: FlinkStartFailed: .*no slots/);
        expect(told).not.toContain("From the log");
    });
});

test("a job that is late is told with its state and its events", async () => {
    p.flink.job = async () => ({ state: "CREATED", allVerticesRunning: false, restarts: 0 });
    const told = await reasonOf(p.up(vvpDeployment, { ...job, timeoutSeconds: 1 }));
    expect(told).toMatch(
        /waited \d s for job \S+ of deployment 'writer' to be RUNNING, but it is STARTING\..*timeoutSeconds.*JOB_STARTING/s,
    );
});

test("a session cluster that failed is told with its events", async () => {
    p.flink.reachable = false;
    const session = { name: "s", deploymentTarget: "t", engineVersion };
    const told = await reasonOf(p.up(vvpSessionCluster, session));
    expect(told).toMatch(
        /'s' to be RUNNING: it FAILED: FlinkUnreachable.*SESSION_CLUSTER_STARTING\n.*SESSION_CLUSTER_FAILED: FlinkUnreachable/s,
    );
});
