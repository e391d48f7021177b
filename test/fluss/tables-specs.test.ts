import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { GatewayRunner } from "../../dynamic-providers/flink-sql/gateway.ts";
import { findTable } from "../../dynamic-providers/flink-sql/look.ts";
import { printColumnType } from "../../model/column-types.ts";
import { createDatabase, createTable, dropDatabase, dropTable } from "../../model/ddl.ts";
import { plan } from "../../model/plan.ts";
import { ACCOUNTS, sampleDataSql, TRADES } from "../../model/sample-data.ts";
import { asDeclared, tableDifferences } from "../../model/show-create.ts";
import { type TableSpec, validateTable } from "../../model/table.ts";
import { tableSpec } from "../unit/model-table/arbitraries.ts";
import { accounts, trades } from "../unit/model-table/tables.ts";
import { openCatalog } from "./quickstart.ts";

const lakehouse = inject("lakehouse");
const capabilities = { server: "0.9", lake: "iceberg" } as const;
const database = `specs_${randomBytes(3).toString("hex")}`;
const catalog = {
    name: "c",
    options: {
        type: "fluss",
        "bootstrap.servers": lakehouse.fluss.bootstrapServers,
        "client.security.protocol": "sasl",
        "client.security.sasl.mechanism": "PLAIN",
        "client.security.sasl.username": lakehouse.fluss.username,
        "client.security.sasl.password": lakehouse.fluss.password,
    },
};
const runner = new GatewayRunner({ url: lakehouse.gatewayUrl, catalogs: [catalog] });

beforeAll(
    async () => void (await runner.execute(createDatabase("c", { name: database }), "create the database")),
);
afterAll(async () => void (await runner.execute(dropDatabase("c", database), "drop the database")));

test("generated specs, hostile names and nested types among them, are created, read back and plan to nothing", async () => {
    const specs = fc
        .sample(tableSpec(printColumnType), { numRuns: 1500, seed: 20261130 })
        .map((spec, index): TableSpec => ({ ...spec, database, name: `t${index}` }))
        .filter((spec) => validateTable(spec, capabilities).length === 0)
        .slice(0, 40);
    expect(specs).toHaveLength(40);
    for (const spec of specs) {
        await runner.execute(createTable("c", spec), "create the table");
        const found = await findTable(runner, "c", spec);
        expect(tableDifferences(spec, found!.spec)).toEqual([]);
        const again = plan(asDeclared(spec, found!.spec), spec, { ...capabilities, catalog: "c" });
        expect(again).toEqual({ kind: "none" });
        await runner.execute(dropTable("c", spec), "drop the table");
    }
});

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
