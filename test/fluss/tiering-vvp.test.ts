import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import type { OutputMap } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import {
    VvpArtifact,
    VvpDeployment,
    VvpDeploymentTarget,
    VvpFlussConsoleCluster,
    VvpSecretValue,
} from "../../dynamic-providers/vvp/resources.ts";
import type { SqlSession } from "../../local/flink/index.ts";
import {
    flussHealthByPort,
    realFlink,
    startVvpSimulator,
    type VvpSimulator,
} from "../../local/simulators/vvp/index.ts";
import { changesOf, type TestStack, testStack } from "../engine/engine.ts";
import { clientsOf, openCatalog, tieringArgs, tieringConfiguration } from "./quickstart.ts";

/**
 * The tiering JAR as a deployment of the platform: Pulumi's engine, the provider and the simulated platform, which runs it
 * on the real Flink beside the real Fluss and lake.
 */
const lakehouse = inject("lakehouse");
const { flink } = clientsOf(lakehouse);
const token = randomBytes(18).toString("hex");
const database = `fluss_quickstart.tiering_vvp_${randomBytes(3).toString("hex")}`;
const secrets = {
    "fluss-password": lakehouse.fluss.password,
    "fluss-iceberg-token": lakehouse.catalog.token,
};
/** What the program asks for; tests change it. */
const wish = { pollInterval: "2s" };
let vvp: VvpSimulator;
let stack: TestStack;
let batch: SqlSession;
let streaming: SqlSession;
/** Of the first update. */
let first: OutputMap = {};

beforeAll(async () => {
    vvp = await startVvpSimulator({
        port: 0,
        token,
        flink: realFlink(lakehouse.flinkUrl, lakehouse.gatewayUrl),
        kubernetesNamespaces: ["jobs"],
        flussConsole: true,
        flussHealth: flussHealthByPort,
    });
    stack = await testStack({ program, name: "tiering-vvp", env: { VV_API_TOKEN: token } });
    [batch, streaming] = await Promise.all([
        openCatalog(lakehouse, { "execution.runtime-mode": "batch", "table.dml-sync": "true" }),
        openCatalog(lakehouse, { "table.dml-sync": "true" }),
    ]);
    await streaming.execute(`CREATE DATABASE ${database}`);
    await streaming.execute(`CREATE TABLE ${database}.trades (trade_id BIGINT, symbol STRING)
        WITH ('bucket.num' = '1', 'table.datalake.enabled' = 'true', 'table.datalake.freshness' = '20s')`);
});

afterAll(async () => {
    await stack?.destroy();
    await stack?.dispose();
    await streaming?.execute(`DROP DATABASE ${database} CASCADE`);
    await Promise.all([batch?.close(), streaming?.close()]);
    await vvp?.close();
});

async function program() {
    const connection = { url: vvp.url };
    const target = new VvpDeploymentTarget("target", {
        connection,
        name: "jobs",
        kubernetesNamespace: "jobs",
    });
    const dependsOn = Object.entries(secrets).map(
        ([name, value]) => new VvpSecretValue(name, { connection, name, value: pulumi.secret(value) }),
    );
    const jar = new VvpArtifact("jar", { connection, source: lakehouse.tieringJar });
    const args = tieringArgs(lakehouse, { "fluss.tiering.poll.table.interval": wish.pollInterval });
    const job = new VvpDeployment(
        "tiering",
        {
            connection,
            name: "tiering",
            deploymentTarget: target.name,
            engineVersion: "vera-4.5-jdk11-flink-1.20",
            jarUri: jar.uri,
            mainArgs: args.map(byReference).join(" "),
            flinkConf: tieringConfiguration,
            parallelism: 1,
            healthySeconds: 3,
        },
        { dependsOn },
    );
    const console_ = new VvpFlussConsoleCluster("console", {
        connection,
        name: "fluss-quickstart",
        bootstrapServers: lakehouse.fluss.bootstrapServers,
        username: lakehouse.fluss.username,
        password: lakehouse.fluss.password,
        required: true,
    });
    return { jobStatus: job.jobStatus, health: console_.health, finding: console_.finding };
}

/** A secret of the lakehouse as the platform's reference to it. */
function byReference(argument: string): string {
    const [name] = Object.entries(secrets).find(([, value]) => value === argument) ?? [];
    return name === undefined ? argument : `\${secret_values.${name}}`;
}

test("a tiering deployment that the provider started tiers rows; no secret is in the state", async () => {
    const { outputs } = await stack.up();
    expect(outputs["jobStatus"]?.value).toBe("RUNNING");
    first = outputs;
    await insert(1, 2000);
    await untilTiered(2000);
    const state = JSON.stringify(await stack.export());
    for (const secret of [...lakehouse.secrets, token]) expect(state.includes(secret)).toBe(false);
    expect(state).toContain("${secret_values.fluss-iceberg-token}");
}, 300_000);

test("the console shows the real cluster, whose port answers, as healthy", () => {
    expect(first["health"]?.value).toBe("HEALTHY");
    expect(first["finding"]).toBeUndefined();
});

test("updated, it is stopped with a savepoint and goes on from it: each row is in the lake once", async () => {
    const before = await runningJob();
    wish.pollInterval = "3s";
    const changed = changesOf(await stack.up());
    expect(changed.map(({ op, name }) => [op, name])).toEqual([["update", "tiering"]]);
    const after = await runningJob();
    expect(after).not.toBe(before);
    expect(await flink.state(before)).toBe("FINISHED");
    expect(await restoredFrom(after)).toMatch(/^file:.*savepoints\/savepoint-/);
    await insert(2001, 3000);
    await untilTiered(3000);
}, 300_000);

/** Flink's id of the only job of that name that runs. */
async function runningJob(): Promise<string> {
    const running = (await flink.jobs()).filter(
        ({ name, state }) => name === "tiering" && state === "RUNNING",
    );
    expect(running).toHaveLength(1);
    return running[0]!.id;
}

async function restoredFrom(job: string): Promise<string | undefined> {
    const answer = await fetch(`${lakehouse.flinkUrl}/jobs/${job}/checkpoints`);
    const { latest } = (await answer.json()) as { latest: { restored?: { external_path: string } } };
    return latest.restored?.external_path;
}

async function insert(first: number, last: number): Promise<void> {
    await streaming.execute(`CREATE TEMPORARY TABLE feed_${first} (trade_id BIGINT) WITH ('connector' = 'datagen',
        'number-of-rows' = '${last - first + 1}', 'rows-per-second' = '20000', 'fields.trade_id.kind' = 'sequence',
        'fields.trade_id.start' = '${first}', 'fields.trade_id.end' = '${last}')`);
    await streaming.execute(`INSERT INTO ${database}.trades SELECT trade_id, 'AAPL' FROM feed_${first}`);
}

/**
 * Until the lake has that many rows, each of them once. Some twenty seconds, the table's freshness; two minutes more when
 * the job before was stopped in the middle of a round: Fluss gives the table to the next one after its fixed time limit.
 */
async function untilTiered(count: number): Promise<void> {
    const began = Date.now();
    const statement = `SELECT COUNT(*), COUNT(DISTINCT trade_id) FROM ${database}.\`trades$lake\``;
    for (const end = began + 200_000; ; await sleep(1000)) {
        const [row] = (await batch.execute(statement)).rows;
        const [rows, different] = (row?.fields ?? []).map(Number);
        if ((rows ?? 0) >= count || Date.now() > end) {
            expect([rows, different]).toEqual([count, count]);
            console.log(`${count} rows in the lake after ${((Date.now() - began) / 1000).toFixed(1)} s`);
            return;
        }
    }
}
