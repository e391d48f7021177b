import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { lakeProgress } from "../../dynamic-providers/lake/progress.ts";
import type { SqlSession } from "../../local/flink/index.ts";
import { lakesRun } from "../../local/lakes-run.ts";
import { createDatabase, createTable, dropTable, qualified } from "../../model/ddl.ts";
import { lakeTrouble } from "../../model/lake-troubles.ts";
import type { TableSpec } from "../../model/table.ts";
import { lead } from "../lakekeeper/lead.ts";
import { LakeCluster } from "./cluster.ts";
import { lakesOf } from "./lakes.ts";

const bed = inject("lakesBed");
const noSnapshot =
    /new snapshot of the tiering service in table .* but it has none.*whether the tiering job restarts/s;

test("the lakes are those that docs/lakes.md calls run, with keys where it says so", () => {
    expect(lakesOf(bed).map(({ lake: _, mistakes: __, ...names }) => names)).toEqual(lakesRun);
    for (const { lake, keys } of lakesOf(bed)) expect("accessKey" in lake.storage).toBe(keys);
});

describe.each(lakesOf(bed))("$catalog on $storage", ({ catalog, storage, lake, mistakes = [] }) => {
    const database = `${catalog} ${storage}`.toLowerCase().replaceAll(/\W+/g, "_");
    const trades: TableSpec = {
        database,
        name: "trades",
        columns: [
            { name: "trade_id", type: "BIGINT" },
            { name: "symbol", type: "STRING" },
            { name: "notional", type: "DECIMAL(15, 2)" },
        ],
        bucketCount: 1,
        options: { "table.datalake.enabled": "true", "table.datalake.freshness": "1s" },
    };
    let cluster: LakeCluster;
    let fluss: SqlSession;
    const path = (table: string) => qualified(cluster.catalog, database, table);

    beforeAll(async () => {
        cluster = await LakeCluster.start(bed, lake, database);
        fluss = await cluster.openSession("flussCatalog");
        await fluss.execute(createDatabase(cluster.catalog, { name: database }));
    });
    afterAll(async () => {
        await cluster?.stop();
    });

    // Each with a table of its own: Fluss gives a table to one job at a time.
    test.each(mistakes)(
        "a tiering job with a wrong $what keeps running; its failure is explained",
        async (mistake) => {
            const name = `refused_${mistakes.indexOf(mistake)}`;
            await fluss.execute(createTable(cluster.catalog, { ...trades, name }));
            await fluss.execute(`INSERT INTO ${path(name)} VALUES (1, 'AAPL', 10.5)`);
            const job = await cluster.tier(mistake.lake);
            const failure = await cluster.failureOf(job);
            expect(lakeTrouble(`${failure.type}: ${failure.reason}`)?.reason).toMatch(mistake.reason);
            expect(["RUNNING", "RESTARTING"]).toContain(await cluster.flink.state(job));
            // For Flink the job is well; what `health` looks at tells that it is of no use.
            if (lake.catalog.type === "rest") {
                const table = `${database}.${name}`;
                const health = lead(lakeProgress).create({ catalog: lake.catalog, table, withinSeconds: 1 });
                await expect(health).rejects.toThrow(noSnapshot);
            }
            await cluster.flink.cancel(job);
            await fluss.execute(dropTable(cluster.catalog, { ...trades, name }));
        },
    );

    test("a table is created, tiered, and read from the lake without Fluss", async () => {
        await fluss.execute(createTable(cluster.catalog, trades));
        await cluster.tier();
        await fluss.execute(
            `INSERT INTO ${path("trades")} VALUES (1, 'AAPL', 10.5), (2, 'it''s', CAST(NULL AS DECIMAL(15, 2)))`,
        );
        const outside = await cluster.openSession("flink", { "execution.runtime-mode": "batch" });
        const rows = await cluster.waitForRows(outside, path("trades"), 2);
        expect(rows).toEqual([
            [1, "AAPL", 10.5],
            [2, "it's", null],
        ]);
        await outside.close();
    });

    test("the lake is read through Fluss, alone and together with rows that are not tiered yet", async () => {
        const batch = await cluster.openSession("flussCatalog", { "execution.runtime-mode": "batch" });
        const { rows } = await batch.execute(`SELECT count(*) FROM ${path("trades$lake")}`);
        expect(rows[0]?.fields).toEqual([2]);
        const union = await batch.execute(`SELECT trade_id FROM ${path("trades")}`);
        expect(union.rows.map(({ fields }) => fields[0]).sort()).toEqual([1, 2]);
        await batch.close();
        await fluss.close();
    });
});
