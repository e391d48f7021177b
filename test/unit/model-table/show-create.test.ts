import { describe, expect, test } from "vitest";
import {
    asDeclared,
    parsePartition,
    parseShowCreateTable,
    tableDifferences,
} from "../../../model/show-create.ts";
import { accounts, trades } from "./tables.ts";

/** What Flink 1.20.3 prints for the trades on a cluster with an Iceberg lake; the connection's values are made up. */
const TRADES_TEXT = `CREATE TABLE \`fluss_quickstart\`.\`finance\`.\`trades\` (
  \`trade_id\` BIGINT,
  \`account_id\` INT NOT NULL,
  \`notional\` DECIMAL(15, 2),
  \`trade_date\` DATE,
  \`side\` VARCHAR(2147483647),
  \`symbol\` VARCHAR(2147483647)
) WITH (
  'bootstrap.servers' = 'localhost:27133',
  'bucket.num' = '3',
  'client.security.sasl.password' = 'hunter2-password',
  'client.security.sasl.username' = 'fluss',
  'table.datalake.enabled' = 'true',
  'table.datalake.format' = 'iceberg',
  'table.datalake.freshness' = '30s',
  'table.datalake.iceberg.token' = 'hunter2-token',
  'table.datalake.iceberg.uri' = 'http://localhost:8181/catalog',
  'table.replication.factor' = '1'
)
`;

const ACCOUNTS_TEXT = `CREATE TABLE \`c\`.\`finance\`.\`accounts\` (
  \`account_id\` INT NOT NULL,
  \`client_name\` VARCHAR(2147483647),
  \`risk_rating\` VARCHAR(2147483647),
  \`currency\` VARCHAR(2147483647),
  \`balance\` DECIMAL(15, 2),
  CONSTRAINT \`PK_account_id\` PRIMARY KEY (\`account_id\`) NOT ENFORCED
) WITH (
  'bucket.key' = 'account_id',
  'bucket.num' = '3',
  'table.kv.format-version' = '2',
  'table.replication.factor' = '1'
)`;

test("what the server adds is no difference", () => {
    for (const [declared, text] of [
        [trades, TRADES_TEXT],
        [accounts, ACCOUNTS_TEXT],
    ] as const) {
        const { spec } = parseShowCreateTable(text);
        expect(tableDifferences(declared, spec)).toEqual([]);
        expect(asDeclared(declared, spec)).toBe(declared);
    }
});

test("no secret and nothing of the connection gets through", () => {
    const read = JSON.stringify(parseShowCreateTable(TRADES_TEXT));
    expect(read).not.toMatch(/hunter2|client\.|bootstrap|datalake\.iceberg/);
    expect(read).toContain("table.datalake.freshness");
});

describe("differences", () => {
    const observed = parseShowCreateTable(TRADES_TEXT).spec;

    test("of declared options, by what they mean", () => {
        const same = { ...trades, options: { ...trades.options, "table.datalake.freshness": "30 s" } };
        expect(tableDifferences(same, observed)).toEqual([]);
        const other = { ...trades, options: { ...trades.options, "table.datalake.freshness": "1min" } };
        expect(tableDifferences(other, observed)).toEqual([
            { path: 'options["table.datalake.freshness"]', declared: "1min", observed: "30s" },
        ]);
        expect(asDeclared(other, observed).options).toEqual(trades.options);
    });

    test("a declared default that the server does not print is no difference", () => {
        const declared = { ...trades, options: { ...trades.options, "table.log.ttl": "168h" } };
        expect(tableDifferences(declared, observed)).toEqual([]);
        const other = { ...trades, options: { ...trades.options, "table.log.ttl": "1d" } };
        expect(tableDifferences(other, observed)).toEqual([
            { path: 'options["table.log.ttl"]', declared: "1d", observed: "7 d" },
        ]);
    });

    test("of columns, keys, bucket count and comment", () => {
        const declared = {
            ...trades,
            columns: trades.columns.slice(0, 5),
            primaryKey: ["account_id"],
            bucketCount: 4,
            comment: "x",
        };
        expect(tableDifferences(declared, observed).map(({ path }) => path)).toEqual([
            "columns",
            "primaryKey",
            "bucketKey",
            "comment",
            "bucketCount",
        ]);
    });

    test("a bucket count that is not declared is the cluster's matter", () => {
        const { bucketCount: _, ...declared } = trades;
        expect(tableDifferences(declared, observed)).toEqual([]);
    });

    test("a column that was added outside is seen", () => {
        const more = parseShowCreateTable(
            ACCOUNTS_TEXT.replace("  CONSTRAINT", "  `email` VARCHAR(2147483647),\n  CONSTRAINT"),
        );
        expect(tableDifferences(accounts, more.spec).map(({ path }) => path)).toEqual(["columns"]);
        expect(asDeclared(accounts, more.spec).columns.at(-1)).toEqual({
            name: "email",
            type: "STRING",
            nullable: true,
        });
    });
});

test("computed columns and watermarks are read, and told apart from columns", () => {
    const { spec } = parseShowCreateTable(`CREATE TABLE \`c\`.\`d\`.\`t\` (
  \`ts\` TIMESTAMP(3),
  \`day\` AS DATE_FORMAT(\`ts\`, 'yyyy,MM)'),
  WATERMARK FOR \`ts\` AS \`ts\` - INTERVAL '5' SECOND
) COMMENT 'it''s'
PARTITIONED BY (\`ts\`)
WITH (
  'bucket.num' = '1'
)`);
    expect(spec.columns.map(({ name }) => name)).toEqual(["ts"]);
    expect(spec).toMatchObject({ comment: "it's", partitionKeys: ["ts"], bucketCount: 1 });
    expect(spec.computedColumns).toEqual([{ name: "day", expression: "DATE_FORMAT(`ts`, 'yyyy,MM)')" }]);
    expect(spec.watermark).toEqual({ column: "ts", expression: "`ts` - INTERVAL '5' SECOND" });
});

describe("what Flink prints of an expression", () => {
    const declared = {
        ...trades,
        computedColumns: [{ name: "gross", expression: "((notional) * 1.5) + length(symbol)" }],
        watermark: { column: "at", expression: "at - interval '5' second" },
    };
    const printed = {
        ...trades,
        computedColumns: [{ name: "gross", expression: "`notional` * 1.5 + LENGTH(`symbol`)" }],
        watermark: { column: "at", expression: "`at` - INTERVAL '5' SECOND" },
    };

    test("is the declared one when only backticks, brackets and letter case differ", () => {
        expect(tableDifferences(declared, printed)).toEqual([]);
        expect(asDeclared(declared, printed)).toBe(declared);
        const alone = { ...declared, comment: "x" };
        expect(asDeclared(alone, printed)).toMatchObject({
            computedColumns: declared.computedColumns,
            watermark: declared.watermark,
        });
    });

    test.each([
        [
            "another text",
            { ...printed, computedColumns: [{ name: "gross", expression: "`notional` * 1.6" }] },
        ],
        ["none", { ...printed, computedColumns: [] }],
        [
            "one more",
            { ...printed, computedColumns: [...printed.computedColumns, { name: "b", expression: "1" }] },
        ],
        [
            "another comment",
            { ...printed, computedColumns: [{ ...printed.computedColumns[0]!, comment: "x" }] },
        ],
    ])("differs: %s", (_name, observed) => {
        expect(tableDifferences(declared, observed).map(({ path }) => path)).toEqual(["computedColumns"]);
        expect(asDeclared(declared, observed).computedColumns ?? []).toEqual(observed.computedColumns);
    });

    test("a watermark differs by column, by expression, or by being there", () => {
        for (const watermark of [
            undefined,
            { column: "day", expression: "`at` - INTERVAL '5' SECOND" },
            { column: "at", expression: "`at` - INTERVAL '6' SECOND" },
        ]) {
            const observed = { ...printed, watermark };
            expect(tableDifferences(declared, observed).map(({ path }) => path)).toEqual(["watermark"]);
            expect(asDeclared(declared, observed).watermark).toEqual(watermark);
        }
    });
});

describe("partitions", () => {
    const daily = {
        ...trades,
        columns: [...trades.columns, { name: "dt", type: "STRING" }, { name: "region", type: "STRING" }],
        partitionKeys: ["dt", "region"],
        partitions: [
            { dt: "1", region: "eu" },
            { region: "us", dt: "1" },
        ],
    };

    test("are read by key, whatever the values hold", () => {
        expect(parsePartition(["dt"], "dt=2024-01-01")).toEqual({ dt: "2024-01-01" });
        expect(parsePartition(["dt", "region"], "dt=a=b/region=eu")).toEqual({ dt: "a=b", region: "eu" });
        expect(() => parsePartition(["dt"], "day=1")).toThrow(/"day=1" is no partition by dt/);
        expect(() => parsePartition(["dt", "region"], "dt=1")).toThrow(/no partition by dt, region/);
    });

    test("that nobody declared are no difference; a declared one that is missing is", () => {
        const more = { ...daily, partitions: [...daily.partitions, { dt: "2", region: "eu" }] };
        expect(tableDifferences(daily, more)).toEqual([]);
        expect(asDeclared(daily, more)).toBe(daily);
        const less = { ...daily, partitions: more.partitions.slice(1) };
        expect(tableDifferences(daily, less)).toEqual([
            { path: "partitions", declared: "dt=1/region=eu", observed: "missing" },
        ]);
        expect(asDeclared(daily, less).partitions).toEqual([{ dt: "1", region: "us" }]);
    });
});

test("other text is refused with what was expected", () => {
    expect(() => parseShowCreateTable("CREATE VIEW x AS SELECT 1")).toThrow(
        /expected CREATE TABLE but found "CREATE"/,
    );
    expect(() => parseShowCreateTable("CREATE TABLE `t` (`a` INT) WITH ('x' = y)")).toThrow(
        /value of an option in quotes/,
    );
});
