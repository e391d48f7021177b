import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { SqlSession } from "../../local/flink/index.ts";
import { createDatabase, createTable, qualified } from "../../model/ddl.ts";
import type { TableSpec } from "../../model/table.ts";
import { LakeCluster } from "./cluster.ts";
import { lakesOf } from "./lakes.ts";

const bed = inject("bed");

describe.each(Object.entries(lakesOf(bed)))("%s", (name, lake) => {
    const database = name.toLowerCase().replaceAll(/\W+/g, "_");
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
    });
    afterAll(async () => {
        await cluster?.stop();
    });

    test("a table is created, tiered, and read from the lake without Fluss", async () => {
        fluss = await cluster.openSession("flussCatalog");
        await fluss.execute(createDatabase(cluster.catalog, { name: database }));
        await fluss.execute(createTable(cluster.catalog, trades));
        await cluster.tier();
        await fluss.execute(
            `INSERT INTO ${path("trades")} VALUES (1, 'AAPL', 10.5), (2, 'it''s', CAST(NULL AS DECIMAL(15, 2)))`,
        );
        const outside = await cluster.openSession("flink", { "execution.runtime-mode": "batch" });
        const rows = await waitForRows(outside, path("trades"), 2);
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

async function waitForRows(session: SqlSession, table: string, count: number): Promise<unknown[][]> {
    for (const began = performance.now(); ; await sleep(500)) {
        const { rows } = await session.execute(
            `SELECT trade_id, symbol, notional FROM ${table} ORDER BY trade_id`,
        );
        if (rows.length >= count) return rows.map(({ fields }) => fields);
        if (performance.now() - began > 60_000)
            throw new Error(`${table} has ${rows.length} rows after 60 s`);
    }
}
