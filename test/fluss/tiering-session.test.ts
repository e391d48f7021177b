import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SessionTieringDeployment } from "../../components/session-tiering-deployment.ts";
import { SqlJob, type SqlJobArgs } from "../../components/sql-job.ts";
import { FlinkJarJob } from "../../dynamic-providers/flink/resources.ts";
import type { SqlSession } from "../../local/flink/index.ts";
import { catalogOptions } from "../../model/catalog-options.ts";
import { createTable } from "../../model/ddl.ts";
import { changesOf, type TestStack, testStack } from "../engine/engine.ts";
import { ownDatabase } from "./own-database.ts";
import { clientsOf, openCatalog, tieringArgs } from "./quickstart.ts";
import { flussClientOf, lakeOf } from "./tables-catalog.ts";

/** The tiering service in the running session cluster: Pulumi's engine, the component, real Flink, Fluss and lake. */
const { lakehouse, runner, database } = ownDatabase("tiering_session");
const { flink } = clientsOf(lakehouse);
const jobName = `Fluss tiering of ${lakehouse.fluss.bootstrapServers}`;
const trades = {
    database,
    name: "trades",
    columns: [
        { name: "trade_id", type: "BIGINT" },
        { name: "symbol", type: "STRING" },
    ],
    bucketCount: 1,
    options: { "table.datalake.enabled": "true", "table.datalake.freshness": "5s" },
};
const counts = {
    database,
    name: "counts",
    columns: [
        { name: "id", type: "INT", nullable: false },
        { name: "fresh", type: "BIGINT" },
        { name: "lake", type: "BIGINT" },
    ],
    primaryKey: ["id"],
    bucketCount: 1,
    options: {},
};
/** What the program asks for; tests change it. */
const wish = { revision: "1", second: false, reader: false };
let stack: TestStack;
let batch: SqlSession;

beforeAll(async () => {
    for (const table of [trades, counts])
        await runner.execute(createTable("c", table), `create ${table.name}`);
    batch = await openCatalog(lakehouse, { "execution.runtime-mode": "batch", "table.dml-sync": "true" });
    stack = await testStack({ program, name: "tiering-session" });
});

afterAll(async () => {
    await stack?.destroy();
    await stack?.dispose();
    await batch?.close();
});

async function program() {
    const tiering = new SessionTieringDeployment("desk", {
        cluster: { url: lakehouse.flinkUrl },
        jar: lakehouse.tieringJar,
        lake: pulumi.secret(lakeOf(lakehouse)),
        client: pulumi.secret(flussClientOf(lakehouse)),
        version: "0.9",
        extraArguments: { "fluss.tiering.poll.table.interval": "2s" },
        flinkConfiguration: { "execution.checkpointing.interval": "5s" },
        clusterRevision: wish.revision,
        healthySeconds: 2,
        timeoutSeconds: 60,
    });
    if (wish.second) {
        const cluster = { url: lakehouse.flinkUrl };
        const args = pulumi.secret(tieringArgs(lakehouse));
        new FlinkJarJob("second", { cluster, name: "by hand", jar: lakehouse.tieringJar, args });
    }
    const reader = wish.reader ? new SqlJob("union-counts", unionCounts()) : undefined;
    return {
        read: reader?.jobStatus,
        id: tiering.job.jobId,
        status: tiering.job.jobStatus,
        failure: tiering.job.failure,
    };
}

/** Seed 002's union-count job, into a table instead of a file. */
function unionCounts(): SqlJobArgs {
    const table = (name: string) => `\`c\`.\`${database}\`.\`${name}\``;
    const options = catalogOptions("c", flussClientOf(lakehouse), lakeOf(lakehouse), "value");
    const count = (name: string) => `(SELECT COUNT(*) FROM ${table(name)})`;
    return {
        runner: {
            kind: "gateway",
            url: lakehouse.gatewayUrl,
            clusterUrl: lakehouse.flinkUrl,
            catalogs: pulumi.secret([{ name: "c", options }]),
        },
        executionMode: "BATCH",
        sql: {
            inserts: [`INSERT INTO ${table("counts")} SELECT 1, ${count("trades")}, ${count("trades$lake")}`],
        },
        timeoutSeconds: 90,
    };
}

/** Flink's ids of the tiering jobs that run. */
async function running(): Promise<string[]> {
    const jobs = (await flink.jobs()).filter(({ name, state }) => name === jobName && state === "RUNNING");
    return jobs.map(({ id }) => id);
}

test("rows reach the lake by a job that the component runs; no secret is in the state", async () => {
    const uploaded = await flink.listJars();
    const { outputs } = await stack.up();
    expect(outputs).toMatchObject({ status: { value: "RUNNING" } });
    expect(await running()).toEqual([outputs["id"]?.value]);
    expect(await flink.listJars()).toEqual(uploaded);
    const values = Array.from({ length: 100 }, (_, index) => `(${index}, 'AAPL')`).join();
    await batch.execute(`INSERT INTO fluss_quickstart.${database}.trades VALUES ${values}`);
    const counted = async () => {
        const statement = `SELECT COUNT(*) FROM fluss_quickstart.${database}.\`trades$lake\``;
        return Number((await batch.execute(statement)).rows[0]?.fields[0] ?? 0);
    };
    for (const end = Date.now() + 120_000; (await counted()) < 100 && Date.now() < end; ) await sleep(1000);
    expect(await counted()).toBe(100);
    const state = JSON.stringify(await stack.export());
    for (const secret of lakehouse.secrets) expect(state).not.toContain(secret);
}, 200_000);

test("a second tiering job of the same cluster is refused before it is started", async () => {
    wish.second = true;
    await expect(stack.up()).rejects.toThrow(
        /job 'by hand' cannot be started: job 'Fluss tiering of .* tiers cluster .* already/,
    );
    expect((await flink.jobs()).filter(({ name }) => name === "by hand")).toEqual([]);
    wish.second = false;
});

test("the job starts anew with the servers' revision while a batch job counts fresh and tiered rows", async () => {
    const [before] = await running();
    wish.revision = "2";
    wish.reader = true;
    const outcome = await stack.up();
    expect(changesOf(outcome).map(({ op, name }) => [op, name])).toContainEqual(["update", "desk-job"]);
    expect(outcome.outputs).toMatchObject({ read: { value: "FINISHED" }, status: { value: "RUNNING" } });
    const counts = `SELECT fresh, lake FROM fluss_quickstart.${database}.counts WHERE id = 1`;
    expect((await batch.execute(counts)).rows.map(({ fields }) => fields)).toEqual([[100, 100]]);
    const [after, ...more] = await running();
    expect(more).toEqual([]);
    expect(after).not.toBe(before);
    await stack.destroy();
    expect(await running()).toEqual([]);
});
