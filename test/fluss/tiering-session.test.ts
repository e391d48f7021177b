import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SessionTieringDeployment } from "../../components/session-tiering-deployment.ts";
import { SqlJob, type SqlJobArgs } from "../../components/sql-job.ts";
import { FlinkJarJob } from "../../dynamic-providers/flink/resources.ts";
import { lakeProgress } from "../../dynamic-providers/lake/progress.ts";
import type { SqlSession } from "../../local/flink/index.ts";
import { catalogOptions } from "../../model/catalog-options.ts";
import { createTable } from "../../model/ddl.ts";
import { changesOf, type TestStack, testStack } from "../engine/engine.ts";
import { lead } from "../lakekeeper/lead.ts";
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
const wish = { revision: "1", second: false, reader: false, health: true };
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
        ...(wish.health ? { health: { table: `${database}.trades`, withinSeconds: 120 } } : {}),
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
        committedAt: tiering.progress?.committedAt,
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

/** Writes so many rows. */
async function write(count: number): Promise<void> {
    const values = Array.from({ length: count }, (_, index) => `(${index}, 'AAPL')`).join();
    await batch.execute(`INSERT INTO fluss_quickstart.${database}.trades VALUES ${values}`);
}

/** Writes a row now and then until something has ended, as a table has them whose progress is looked at. @returns how many */
async function writeUntil(end: Promise<unknown>): Promise<number> {
    let ended = false;
    const note = () => {
        ended = true;
    };
    end.then(note, note);
    let written = 0;
    for (; !ended && written < 90; written += 1) {
        await write(1);
        await Promise.race([sleep(1000), end.catch(() => undefined)]);
    }
    return written;
}

test("rows reach the lake by a job that the component runs; no secret is in the state", async () => {
    const uploaded = await flink.listJars();
    const began = Date.now();
    const up = stack.up();
    const written = await writeUntil(up);
    const { outputs } = await up;
    expect(outputs).toMatchObject({ status: { value: "RUNNING" } });
    const committed = Date.parse(String(outputs["committedAt"]?.value));
    expect(committed).toBeGreaterThan(began);
    expect(committed).toBeLessThanOrEqual(Date.now());
    expect(await running()).toEqual([outputs["id"]?.value]);
    expect(await flink.listJars()).toEqual(uploaded);
    await write(100 - written);
    const counted = async () => {
        const statement = `SELECT COUNT(*) FROM fluss_quickstart.${database}.\`trades$lake\``;
        return Number((await batch.execute(statement)).rows[0]?.fields[0] ?? 0);
    };
    for (const end = Date.now() + 120_000; (await counted()) < 100 && Date.now() < end; ) await sleep(1000);
    expect(await counted()).toBe(100);
    const state = JSON.stringify(await stack.export());
    for (const secret of lakehouse.secrets) expect(state).not.toContain(secret);
}, 300_000);

test("a second tiering job of the same cluster is refused before it is started", async () => {
    wish.second = true;
    await expect(stack.up()).rejects.toThrow(
        /job 'by hand' cannot be started: job 'Fluss tiering of .* tiers cluster .* already/,
    );
    expect((await flink.jobs()).filter(({ name }) => name === "by hand")).toEqual([]);
    wish.second = false;
});

test("a table of the lake that gets no rows, and one that is not there, are told", async () => {
    const { catalog } = lakeOf(lakehouse);
    const still = lead(lakeProgress).create({ catalog, table: `${database}.trades`, withinSeconds: 1 });
    await expect(still).rejects.toThrow(
        /but its newest one is of .*\.\nWhat to do: look whether rows .*\(5s\)/,
    );
    const absent = lead(lakeProgress).create({ catalog, table: `${database}.counts` });
    await expect(absent).rejects.toThrow(/could not find table .*\.counts of warehouse/);
});

test("the job starts anew with the servers' revision while a batch job counts fresh and tiered rows", async () => {
    const [before] = await running();
    wish.revision = "2";
    wish.reader = true;
    wish.health = false;
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
