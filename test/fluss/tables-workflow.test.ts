import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { FlussTables } from "../../components/fluss-tables.ts";
import type { SqlSession } from "../../local/flink/index.ts";
import type { TableSpecArgs } from "../../model/table.ts";
import { type TestStack, testStack } from "../engine/engine.ts";
import { clientsOf, openCatalog, tieringArgs, tieringConfiguration } from "./quickstart.ts";
import { flussClientOf, lakeOf } from "./tables-catalog.ts";

// The workflow of the manual of the Fluss catalog, on tables that the library made: reads, writes, partitions, lookup joins.
const lakehouse = inject("lakehouse");
const { flink } = clientsOf(lakehouse);
const database = `workflow_${randomBytes(3).toString("hex")}`;
const place = { database, bucketCount: 1 };
const copied: TableSpecArgs = {
    ...place,
    name: "inputTable",
    columns: [
        { name: "id", type: "INT" },
        { name: "name", type: "STRING" },
        { name: "amount", type: "INT" },
    ],
    custom: { owner: "desk" },
};
const orders: TableSpecArgs = {
    ...place,
    name: "orders",
    columns: [
        { name: "o_orderkey", type: "INT" },
        { name: "o_custkey", type: "INT", nullable: false },
        { name: "o_orderstatus", type: "CHAR(1)", nullable: false },
        { name: "o_totalprice", type: "DECIMAL(15, 2)", nullable: false },
        { name: "o_orderdate", type: "DATE", nullable: false },
        { name: "o_dt", type: "STRING", nullable: false },
    ],
    primaryKey: ["o_orderkey"],
};
const customer: TableSpecArgs = {
    ...place,
    name: "customer",
    columns: [
        { name: "c_custkey", type: "INT" },
        { name: "c_name", type: "STRING", nullable: false },
        { name: "c_nationkey", type: "INT", nullable: false },
        { name: "c_phone", type: "CHAR(15)", nullable: false },
    ],
    primaryKey: ["c_custkey"],
};
const dt = { name: "dt", type: "STRING", nullable: false };
const yearly = {
    "table.auto-partition.enabled": "true",
    "table.auto-partition.time-unit": "year",
    "table.auto-partition.num-retention": "-1",
};
const tables = {
    inputTable: copied,
    outputTable: { ...place, name: "outputTable", like: copied },
    batchTable: { ...place, name: "batchTable", like: copied },
    lakeTable: {
        ...place,
        name: "lakeTable",
        like: copied,
        options: { "table.datalake.enabled": "true", "table.datalake.freshness": "5s" },
    },
    wholeCopy: { ...place, name: "wholeCopy", like: copied },
    counters: {
        ...place,
        name: "my_pk_table",
        columns: [
            { name: "shop_id", type: "BIGINT" },
            { name: "user_id", type: "BIGINT" },
            { name: "num_orders", type: "INT" },
            { name: "total_amount", type: "INT" },
        ],
        primaryKey: ["shop_id", "user_id"],
        bucketKey: ["shop_id"],
    },
    parts: {
        ...place,
        name: "my_multi_fields_part_log_table",
        columns: [
            { name: "order_id", type: "BIGINT" },
            { name: "dt", type: "STRING" },
            { name: "nation", type: "STRING" },
        ],
        partitionKeys: ["dt", "nation"],
        partitions: [{ dt: "2025-03-05", nation: "US" }],
    },
    orders,
    customer,
    byPartition: {
        ...place,
        name: "customer_partitioned",
        like: customer,
        columns: [dt],
        primaryKey: ["c_custkey", "dt"],
        partitionKeys: ["dt"],
        options: yearly,
    },
    byPrefix: {
        ...place,
        name: "customer_with_bucket_key",
        like: customer,
        primaryKey: ["c_custkey", "c_nationkey"],
        bucketKey: ["c_custkey"],
    },
    byBoth: {
        ...place,
        name: "customer_partitioned_with_bucket_key",
        like: customer,
        columns: [dt],
        primaryKey: ["c_custkey", "c_nationkey", "dt"],
        partitionKeys: ["dt"],
        bucketKey: ["c_custkey"],
        options: yearly,
    },
} satisfies Record<string, TableSpecArgs>;

let stack: TestStack;
let streaming: SqlSession;
let batch: SqlSession;

beforeAll(async () => {
    const client = flussClientOf(lakehouse);
    const runner = { kind: "gateway" as const, url: lakehouse.gatewayUrl };
    const program = async () => {
        const args = {
            runner,
            catalog: "c",
            client,
            lake: lakeOf(lakehouse),
            version: "0.9",
            tables,
            deletionProtection: false,
        } as const;
        new FlussTables("workflow", args);
    };
    stack = await testStack({ program, name: "workflow" });
    await stack.up();
    streaming = await openCatalog(lakehouse, { "table.dml-sync": "true" });
    batch = await openCatalog(lakehouse, { "table.dml-sync": "true", "execution.runtime-mode": "batch" });
    for (const session of [streaming, batch]) {
        await session.execute("USE CATALOG fluss_quickstart");
        await session.execute(`USE ${database}`);
    }
});

afterAll(async () => {
    await streaming?.close();
    await batch?.close();
    await stack?.destroy();
    await stack?.dispose();
});

async function rowsOf(session: SqlSession, query: string, count?: number): Promise<unknown[][]> {
    const until = count === undefined ? {} : { until: (rows: readonly unknown[]) => rows.length >= count };
    const { rows } = await session.execute(query, until);
    return rows.map(({ fields }) => fields).sort((one, other) => String(one).localeCompare(String(other)));
}

const earliest = "/*+ OPTIONS('scan.startup.mode' = 'earliest') */";
const people = [
    [1, "sam", 1],
    [2, "ric", 2],
];

describe("from an input table to an output table", () => {
    test("as a streaming job, which runs until it is cancelled", async () => {
        await streaming.execute("INSERT INTO inputTable VALUES (1, 'sam', 1), (2, 'ric', 2)");
        const session = await openCatalog(lakehouse);
        const path = (name: string) => `fluss_quickstart.${database}.${name}`;
        const copy = await session.execute(
            `INSERT INTO ${path("outputTable")} SELECT * FROM ${path("inputTable")}`,
        );
        try {
            expect(await rowsOf(streaming, `SELECT * FROM outputTable ${earliest}`, 2)).toEqual(people);
            await streaming.execute("INSERT INTO inputTable VALUES (3, 'kim', 3)");
            expect(await rowsOf(streaming, `SELECT * FROM outputTable ${earliest}`, 3)).toContainEqual([
                3,
                "kim",
                3,
            ]);
        } finally {
            const job = copy.jobId ?? String(copy.rows[0]?.fields[0]);
            await flink.cancel(job);
            await session.close();
        }
    });

    test("as a batch job, of a number of rows, while the table is not in the lake", async () => {
        await expect(batch.execute("INSERT INTO batchTable SELECT * FROM inputTable")).rejects.toThrow(
            /only support queries on table with datalake enabled or point queries on primary key/,
        );
        await batch.execute("INSERT INTO batchTable SELECT * FROM inputTable LIMIT 2");
        expect(await rowsOf(batch, "SELECT * FROM batchTable LIMIT 10")).toHaveLength(2);
    });

    test("as a batch job, of a whole table that is in the lake: its older rows and those since", async () => {
        await expect(batch.execute("INSERT INTO wholeCopy SELECT * FROM lakeTable")).rejects.toThrow(
            /only be supported if one lake snapshot exists/,
        );
        await streaming.execute("INSERT INTO lakeTable VALUES (1, 'sam', 1), (2, 'ric', 2)");
        const tiering = await flink.runJar(await flink.uploadJar(lakehouse.tieringJar), {
            args: tieringArgs(lakehouse),
            parallelism: 1,
            configuration: tieringConfiguration,
        });
        try {
            const tiered = () => rowsOf(batch, "SELECT * FROM `lakeTable$lake`");
            await expect.poll(tiered, { timeout: 90_000, interval: 1000 }).toHaveLength(2);
        } finally {
            await flink.cancel(tiering);
        }
        // Nobody takes this row to the lake any more.
        await streaming.execute("INSERT INTO lakeTable VALUES (3, 'kim', 3)");
        await batch.execute("INSERT INTO wholeCopy SELECT * FROM lakeTable");
        expect(await rowsOf(batch, "SELECT * FROM wholeCopy LIMIT 10")).toEqual([...people, [3, "kim", 3]]);
        expect(await rowsOf(batch, "SELECT * FROM `lakeTable$lake`")).toHaveLength(2);
    });
});

describe("reads", () => {
    test("from now on, and from a point in time", async () => {
        const after = `/*+ OPTIONS('scan.startup.mode' = 'timestamp', 'scan.startup.timestamp' = '2023-12-09 23:09:12') */`;
        expect(await rowsOf(streaming, `SELECT id FROM inputTable ${after}`, 3)).toEqual([[1], [2], [3]]);
        const session = await openCatalog(lakehouse);
        const path = `fluss_quickstart.${database}.inputTable`;
        const latest = session.execute(
            `SELECT id FROM ${path} /*+ OPTIONS('scan.startup.mode' = 'latest') */`,
            {
                until: (rows) => rows.length > 0,
            },
        );
        // The reader begins where the log ends when it starts: rows are written until it sees one.
        const writing = { done: false };
        const seen = latest.finally(() => {
            writing.done = true;
        });
        for (let id = 100; !writing.done && id < 160; id++) {
            await streaming.execute(`INSERT INTO inputTable VALUES (${id}, 'new', 0)`);
        }
        const { rows } = await seen;
        expect(Number(rows[0]?.fields[0])).toBeGreaterThanOrEqual(100);
        await session.close();
    });

    test("prune columns and partitions", async () => {
        const columns = await rowsOf(batch, "EXPLAIN SELECT name FROM inputTable LIMIT 1");
        expect(String(columns)).toContain("project=[name]");
        const filtered = "EXPLAIN SELECT * FROM my_multi_fields_part_log_table WHERE nation = 'US'";
        expect(String(await rowsOf(streaming, filtered))).toMatch(/filter=\[=\(nation, .*US/);
    });
});

describe("writes", () => {
    test("upsert, update in part, update and delete by key", async () => {
        const read = async (user: number) =>
            rowsOf(batch, `SELECT * FROM my_pk_table WHERE shop_id = 1 AND user_id = ${user}`);
        await streaming.execute("INSERT INTO my_pk_table VALUES (1, 1, 5, 10), (1, 2, 6, 20), (1, 1, 7, 30)");
        expect(await read(1)).toEqual([[1, 1, 7, 30]]);
        await streaming.execute("INSERT INTO my_pk_table (shop_id, user_id, num_orders) VALUES (1, 1, 9)");
        expect(await read(1)).toEqual([[1, 1, 9, 30]]);
        await batch.execute("UPDATE my_pk_table SET total_amount = 2 WHERE shop_id = 1 AND user_id = 1");
        expect(await read(1)).toEqual([[1, 1, 9, 2]]);
        await batch.execute("DELETE FROM my_pk_table WHERE shop_id = 1 AND user_id = 2");
        expect(await read(2)).toEqual([]);
    });

    test("make partitions beside the declared one, which the stack leaves alone", async () => {
        const name = "my_multi_fields_part_log_table";
        await streaming.execute(
            `INSERT INTO ${name} VALUES (1, '2025-03-05', 'US'), (2, '2025-03-06', 'DE')`,
        );
        const shown = async (filter = "") => rowsOf(streaming, `SHOW PARTITIONS ${name} ${filter}`);
        expect(await shown()).toEqual([["dt=2025-03-05/nation=US"], ["dt=2025-03-06/nation=DE"]]);
        expect(await shown("PARTITION (dt = '2025-03-05')")).toEqual([["dt=2025-03-05/nation=US"]]);
        const { changes } = await stack.refresh();
        expect(Object.keys(changes)).toEqual(["same"]);
        expect((await stack.preview()).changes["update"]).toBeUndefined();
    });
});

describe("lookup joins", () => {
    beforeAll(async () => {
        await streaming.execute(
            "INSERT INTO orders VALUES (1, 7, 'O', 10.5, DATE '2024-05-01', '2024'), (2, 8, 'F', 20.5, DATE '2025-05-01', '2025')",
        );
        await streaming.execute("INSERT INTO customer VALUES (7, 'Ann', 1, '7'), (8, 'Bob', 2, '8')");
        const yearsOf = "(7, 'Ann', 1, '7', '2024'), (8, 'Bob', 2, '8', '2025'), (8, 'Old', 2, '8', '2024')";
        await streaming.execute(`INSERT INTO customer_partitioned VALUES ${yearsOf}`);
        await streaming.execute(`INSERT INTO customer_partitioned_with_bucket_key VALUES ${yearsOf}`);
        await streaming.execute(
            "INSERT INTO customer_with_bucket_key VALUES (7, 'Ann', 1, '7'), (7, 'Ann 2', 3, '7'), (8, 'Bob', 2, '8')",
        );
    });

    const join = (dimension: string, more = "") =>
        "SELECT o.o_orderkey, c.c_name FROM (SELECT orders.*, PROCTIME() AS ptime FROM orders) AS o " +
        `LEFT JOIN ${dimension} FOR SYSTEM_TIME AS OF o.ptime AS c ON o.o_custkey = c.c_custkey${more}`;
    const both = [
        [1, "Ann"],
        [2, "Bob"],
    ];
    test.each<[string, string, unknown[][]]>([
        ["in asynchronous mode", join("customer"), both],
        ["in synchronous mode", join("customer /*+ OPTIONS('lookup.async' = 'false') */"), both],
        ["of a partitioned table", join("customer_partitioned", " AND o.o_dt = c.dt"), both],
        [
            "by a prefix of the key",
            join("customer_with_bucket_key"),
            [
                [1, "Ann"],
                [1, "Ann 2"],
                [2, "Bob"],
            ],
        ],
        [
            "by a prefix, of a partitioned table",
            join("customer_partitioned_with_bucket_key", " AND o.o_dt = c.dt"),
            both,
        ],
    ])("%s", async (_name, query, rows) => {
        expect(await rowsOf(streaming, query, rows.length)).toEqual(rows);
    });
});
