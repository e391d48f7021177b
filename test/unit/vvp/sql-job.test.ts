import { afterEach, beforeEach, expect, test } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { sqlJobText } from "../../../model/sql-script.ts";
import { type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

/** What `SqlJob` asks of the platform, on the simulated one: a SQL deployment in either mode. */
const provider = vvpProviders["vvpDeployment"]!;
let platform: SimulatedPlatform;

beforeEach(async () => {
    platform = await simulatedPlatform();
    const target = { metadata: { name: "jobs" }, spec: { kubernetes: { namespace: "jobs" } } };
    await platform.outside("POST", "/api/v1/namespaces/default/deployment-targets", target);
});
afterEach(() => platform.close());

const job = (executionMode: string, inserts: string[]) => ({
    name: "numbers",
    deploymentTarget: "jobs",
    engineVersion: "vera-4.5-jdk11-flink-1.20",
    executionMode,
    sqlScript: sqlJobText({
        setup: ["CREATE TEMPORARY TABLE f (a INT) WITH ('connector' = 'datagen')"],
        inserts,
    }),
    healthySeconds: 0,
    timeoutSeconds: 20,
});

test("a statement set is one streaming job", async () => {
    const inserts = ["INSERT INTO a SELECT * FROM f", "INSERT INTO b SELECT * FROM f"];
    const { state } = await platform.up(provider, job("STREAMING", inserts));
    expect(state).toMatchObject({ jobStatus: "RUNNING" });
    expect(platform.flink.jobIds).toHaveLength(1);
    expect(platform.flink.statements.at(-1)).toMatch(
        /^EXECUTE STATEMENT SET BEGIN[\s\S]*INTO a[\s\S]*INTO b/,
    );
});

test("a batch job that finished is not run again", async () => {
    const inputs = job("BATCH", ["INSERT INTO a SELECT * FROM f"]);
    const held = await platform.up(provider, inputs);
    expect(platform.flink.sessions.at(-1)).toMatchObject({ "execution.runtime-mode": "BATCH" });
    platform.flink.finish(platform.flink.jobIds[0]!);
    const seen = await platform.refresh(provider, held);
    expect(seen?.state).toMatchObject({ jobStatus: "FINISHED" });
    await platform.up(provider, inputs, seen);
    expect(platform.flink.jobIds).toHaveLength(1);
});
