import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SqlJob, type SqlJobArgs } from "../../components/sql-job.ts";
import { createTable, qualified } from "../../model/ddl.ts";
import { changesOf, type TestStack, testStack } from "../engine/engine.ts";
import { ownDatabase } from "./own-database.ts";
import { clientsOf, openCatalog } from "./quickstart.ts";
import { catalogOptionsOf } from "./tables-catalog.ts";

/** Jobs of Flink SQL in the running session cluster: Pulumi's engine, the component, and the real gateway. */
const { lakehouse, runner, database } = ownDatabase("sql_job");
const { flink } = clientsOf(lakehouse);
const path = (table: string) => qualified("c", database, table);
const table = (name: string) => ({
    database,
    name,
    columns: [
        { name: "id", type: "BIGINT", nullable: false },
        { name: "word", type: "STRING" },
    ],
    primaryKey: ["id"],
    bucketCount: 1,
    options: {},
});
/** What the program asks for; tests change it. */
const wish: { writer?: Partial<SqlJobArgs>; batch?: Partial<SqlJobArgs> } = {};
let stack: TestStack;

beforeAll(async () => {
    for (const name of ["left", "right", "finite"])
        await runner.execute(createTable("c", table(name)), `create ${name}`);
    stack = await testStack({ program, name: "sql-job" });
});

afterAll(async () => {
    await stack?.destroy();
    await stack?.dispose();
});

const feed = `CREATE TEMPORARY TABLE feed (id BIGINT, word STRING) WITH (
    'connector' = 'datagen', 'rows-per-second' = '50', 'fields.id.min' = '1', 'fields.id.max' = '500', 'fields.word.length' = '3')`;

async function program() {
    const gateway = {
        kind: "gateway" as const,
        url: lakehouse.gatewayUrl,
        clusterUrl: lakehouse.flinkUrl,
        catalogs: pulumi.secret([{ name: "c", options: catalogOptionsOf(lakehouse) }]),
    };
    const common = { runner: gateway, healthySeconds: 1, timeoutSeconds: 60 };
    const jobs: [string, SqlJobArgs][] = [];
    if (wish.writer) {
        const sql = {
            setup: [feed],
            inserts: ["left", "right"].map((name) => `INSERT INTO ${path(name)} SELECT id, word FROM feed`),
        };
        jobs.push(["writer", { ...common, sql, ...wish.writer }]);
    }
    if (wish.batch) {
        const sql = `INSERT INTO ${path("finite")} VALUES (1, 'a'), (2, 'it''s; b')`;
        jobs.push(["batch", { ...common, sql, executionMode: "BATCH", ...wish.batch }]);
    }
    const made = jobs.map(([name, args]) => [name, new SqlJob(name, args)] as const);
    return Object.fromEntries(
        made.flatMap(([name, job]) => [
            [`${name}Id`, job.jobId],
            [`${name}Status`, job.jobStatus],
        ]),
    );
}

test("a statement set runs as one job, a batch job to its end; no secret is in the state", async () => {
    wish.writer = {};
    wish.batch = {};
    const { outputs } = await stack.up();
    expect(outputs).toMatchObject({
        writerStatus: { value: "RUNNING" },
        batchStatus: { value: "FINISHED" },
        writerId: { value: expect.stringMatching(/^[0-9a-f]{32}$/) },
    });
    expect((await flink.jobs()).filter(({ name }) => name === "writer")).toMatchObject([
        { id: outputs["writerId"]?.value, state: "RUNNING" },
    ]);
    const batch = await openCatalog(lakehouse, { "execution.runtime-mode": "batch" });
    const finite = qualified("fluss_quickstart", database, "finite");
    const { rows } = await batch.execute(`SELECT word FROM ${finite} WHERE id = 2`);
    expect(rows.map(({ fields }) => fields)).toEqual([["it's; b"]]);
    await batch.close();
    const state = JSON.stringify(await stack.export());
    for (const secret of lakehouse.secrets) expect(state).not.toContain(secret);
    expect(changesOf(await stack.refresh())).toEqual([]);
    expect(changesOf(await stack.up())).toEqual([]);
}, 180_000);

test("a change stops the job with a savepoint, from which the new one goes on", async () => {
    const before = (await flink.jobs()).find(({ name }) => name === "writer")!.id;
    wish.writer = { flinkConfiguration: { "table.exec.sink.upsert-materialize": "NONE" } };
    const { outputs } = await stack.up();
    const after = outputs["writerId"]?.value;
    expect(after).not.toBe(before);
    const answer = await fetch(`${lakehouse.flinkUrl}/jobs/${after}/checkpoints`);
    const { latest } = (await answer.json()) as { latest: { restored?: { external_path: string } } };
    expect(latest.restored?.external_path).toMatch(/^file:.*savepoint-/);
});

test("a cancelled job leaves nothing behind, and a destroy ends the rest", async () => {
    await stack.destroy();
    for (const end = Date.now() + 10_000; Date.now() < end; await sleep(200)) {
        if ((await flink.jobs()).every(({ name, state }) => name !== "writer" || state === "CANCELED")) break;
    }
    const left = (await flink.jobs()).filter(({ name }) => name === "writer").map(({ state }) => state);
    expect(left.sort()).toEqual(["CANCELED", "FINISHED"]);
});
