import fc from "fast-check";
import { expect, test } from "vitest";
import { findTable } from "../../dynamic-providers/flink-sql/look.ts";
import { printColumnType } from "../../model/column-types.ts";
import { createTable, dropTable, literal } from "../../model/ddl.ts";
import { plan } from "../../model/plan.ts";
import { ACCOUNTS, sampleDataSql, TRADES } from "../../model/sample-data.ts";
import { asDeclared, tableDifferences } from "../../model/show-create.ts";
import { type TableSpec, validateTable } from "../../model/table.ts";
import { tableSpec } from "../unit/model-table/arbitraries.ts";
import { accounts, trades } from "../unit/model-table/tables.ts";
import { ownDatabase } from "./own-database.ts";
import { openCatalog } from "./quickstart.ts";
import { seenByClient } from "./tables-client.ts";

const { lakehouse, runner, database } = ownDatabase("specs");
const capabilities = { server: "0.9", lake: "iceberg" } as const;
/** How many specs are created: 500 take some minutes. */
const count = Number(process.env["PULUMI_FLUSS_TABLE_SPECS"] ?? 40);

/** Tables that exist at once: each has buckets in the tablet server's memory. */
const batch = 50;

test(
    "generated specs, hostile names and nested types among them, are created, read back and plan to nothing",
    async () => {
        const specs = fc
            .sample(tableSpec(printColumnType), { numRuns: 40 * count, seed: 20261130 })
            .map((spec, index): TableSpec => ({ ...madeSound(spec), database, name: `t${index}` }))
            .filter((spec) => validateTable(spec, capabilities).length === 0)
            .slice(0, count);
        expect(specs).toHaveLength(count);
        for (let start = 0; start < count; start += batch)
            await createAndCompare(specs.slice(start, start + batch));
    },
    60_000 + count * 3000,
);

async function createAndCompare(specs: TableSpec[]): Promise<void> {
    await Promise.all(
        specs.map(async (spec) => {
            await runner.execute(createTable("c", spec), "create the table");
            const found = await findTable(runner, "c", spec);
            expect(tableDifferences(spec, found!.spec)).toEqual([]);
            const again = plan(asDeclared(spec, found!.spec), spec, { ...capabilities, catalog: "c" });
            expect(again).toEqual({ kind: "none" });
        }),
    );
    const seen = await seenByClient(lakehouse, database);
    expect(Object.keys(seen).sort()).toEqual(specs.map(({ name }) => name).sort());
    for (const spec of specs) {
        // Computed columns are Flink's alone: the servers keep them as properties.
        const stored = { ...spec, computedColumns: undefined };
        expect(tableDifferences(stored, seen[spec.name]!.spec)).toEqual([]);
    }
    await Promise.all(specs.map((spec) => runner.execute(dropTable("c", spec), "drop the table")));
}

/** Few buckets, and expressions that mean something: the generated ones are of functions that do not exist. */
function madeSound(spec: TableSpec): TableSpec {
    const computedColumns = spec.computedColumns?.map(({ name }) => ({
        name,
        expression: `CHAR_LENGTH(${literal(name)}) + 1`,
    }));
    const bucketCount = spec.bucketCount && (spec.bucketCount % 4) + 1;
    return { ...spec, computedColumns, watermark: undefined, bucketCount };
}

test("the sample data fits the quickstart's tables", async () => {
    const session = await openCatalog(lakehouse, { "table.dml-sync": "true" });
    try {
        for (const table of [accounts, trades]) {
            await runner.execute(createTable("c", { ...table, database, options: {} }), "create the table");
        }
        const target = {
            catalog: "fluss_quickstart",
            database,
            generator: "datagen",
            rows: 300,
            rowsPerSecond: 2000,
        } as const;
        for (const feed of [ACCOUNTS, TRADES]) {
            for (const statement of sampleDataSql(feed, target)
                .split(/;\n/)
                .filter((text) => text.trim())) {
                await session.execute(statement);
            }
        }
        const read = await session.execute(
            `SELECT * FROM fluss_quickstart.${database}.trades /*+ OPTIONS('scan.startup.mode' = 'earliest') */`,
            { until: (rows) => rows.length >= 300 },
        );
        const symbols = new Set(read.rows.map(({ fields }) => fields[5]));
        expect([...symbols].sort()).toEqual(["AAPL", "BAC", "GS", "JPM", "MSFT", "NVDA"]);
        for (const { fields } of read.rows) {
            expect(Number(fields[1])).toBeGreaterThanOrEqual(1);
            expect(Number(fields[1])).toBeLessThanOrEqual(19);
            expect(["BUY", "SELL"]).toContain(fields[4]);
        }
        for (const table of [accounts, trades]) {
            await runner.execute(dropTable("c", { ...table, database }), "drop the table");
        }
    } finally {
        await session.close();
    }
});
