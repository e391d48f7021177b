import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printColumnType } from "../../../model/column-types.ts";
import {
    addColumns,
    addPartitions,
    changeWatermark,
    createCatalog,
    createDatabase,
    createTable,
    dropCatalog,
    dropDatabase,
    dropPartitions,
    dropTable,
    identifier,
    literal,
    resetOptions,
    setOptions,
} from "../../../model/ddl.ts";
import { parseShowCreateCatalog, parseShowCreateTable } from "../../../model/show-create.ts";
import { lex } from "../../../model/table-lexer.ts";
import { hostile, hostileName, propertyRuns, tableSpec } from "./arbitraries.ts";
import { accounts, trades } from "./tables.ts";

describe("statements", () => {
    test("a primary key table, as in the quickstart", () => {
        expect(
            createTable("fluss_quickstart", accounts),
        ).toBe(`CREATE TABLE \`fluss_quickstart\`.\`finance\`.\`accounts\` (
    \`account_id\` INT NOT NULL,
    \`client_name\` STRING,
    \`risk_rating\` STRING,
    \`currency\` STRING,
    \`balance\` DECIMAL(15, 2),
    PRIMARY KEY (\`account_id\`) NOT ENFORCED
) WITH (
    'bucket.num' = '3'
)`);
    });

    test("a log table, as in the quickstart", () => {
        expect(
            createTable("fluss_quickstart", trades),
        ).toBe(`CREATE TABLE \`fluss_quickstart\`.\`finance\`.\`trades\` (
    \`trade_id\` BIGINT,
    \`account_id\` INT NOT NULL,
    \`notional\` DECIMAL(15, 2),
    \`trade_date\` DATE,
    \`side\` STRING,
    \`symbol\` STRING
) WITH (
    'bucket.num' = '3',
    'table.datalake.enabled' = 'true',
    'table.datalake.freshness' = '30s'
)`);
    });

    test("comments, partitions and a bucket key", () => {
        const spec = {
            ...accounts,
            comment: "who it is",
            columns: [{ name: "dt", type: "string", comment: "day" }, ...accounts.columns],
            primaryKey: ["dt", "account_id", "currency"],
            partitionKeys: ["dt"],
            bucketKey: ["account_id"],
        };
        const text = createTable("c", spec);
        expect(text).toContain("`dt` STRING NOT NULL COMMENT 'day',");
        expect(text).toContain(")\nCOMMENT 'who it is'\nPARTITIONED BY (`dt`)\nWITH (\n");
        expect(text).toContain("'bucket.key' = 'account_id'");
    });

    test("computed columns and a watermark, behind the stored columns", () => {
        const spec = {
            ...trades,
            computedColumns: [
                { name: "day", expression: "DATE_FORMAT(`at`, 'yyyy,MM)')", comment: "it's" },
                { name: "at", expression: "TO_TIMESTAMP_LTZ(trade_id, 3)" },
            ],
            watermark: { column: "at", expression: "`at` - INTERVAL '5' SECOND" },
        };
        expect(createTable("c", spec)).toContain(
            "    `symbol` STRING,\n" +
                "    `day` AS DATE_FORMAT(`at`, 'yyyy,MM)') COMMENT 'it''s',\n" +
                "    `at` AS TO_TIMESTAMP_LTZ(trade_id, 3),\n" +
                "    WATERMARK FOR `at` AS `at` - INTERVAL '5' SECOND\n)",
        );
    });

    test("partitions, their values in the order of the keys", () => {
        const eu = { dt: "2024-01-01", region: "eu" };
        expect(addPartitions("c", trades, [eu, { dt: "x'y", region: "us" }])).toBe(
            "ALTER TABLE `c`.`finance`.`trades` ADD IF NOT EXISTS\n" +
                "    PARTITION (`dt` = '2024-01-01', `region` = 'eu')\n" +
                "    PARTITION (`dt` = 'x''y', `region` = 'us')",
        );
        expect(dropPartitions("c", trades, [eu, eu])).toBe(
            "ALTER TABLE `c`.`finance`.`trades` DROP IF EXISTS\n" +
                "    PARTITION (`dt` = '2024-01-01', `region` = 'eu'),\n" +
                "    PARTITION (`dt` = '2024-01-01', `region` = 'eu')",
        );
    });

    test("a watermark is added, modified, dropped", () => {
        const at = { column: "at", expression: "`at`" };
        const start = "ALTER TABLE `c`.`finance`.`trades`";
        expect(changeWatermark("c", trades, undefined, at)).toBe(
            `${start} ADD WATERMARK FOR \`at\` AS \`at\``,
        );
        expect(changeWatermark("c", trades, at, at)).toBe(`${start} MODIFY WATERMARK FOR \`at\` AS \`at\``);
        expect(changeWatermark("c", trades, at, undefined)).toBe(`${start} DROP WATERMARK`);
    });

    test("the others", () => {
        expect(createCatalog({ name: "c", options: { type: "fluss", "bootstrap.servers": "h:1" } })).toBe(
            "CREATE CATALOG `c` WITH (\n    'type' = 'fluss',\n    'bootstrap.servers' = 'h:1'\n)",
        );
        expect(dropCatalog("c")).toBe("DROP CATALOG `c`");
        expect(createDatabase("c", { name: "d", comment: "it's" })).toBe(
            "CREATE DATABASE `c`.`d`\nCOMMENT 'it''s'",
        );
        expect(dropDatabase("c", "d")).toBe("DROP DATABASE `c`.`d` RESTRICT");
        expect(dropTable("c", accounts)).toBe("DROP TABLE `c`.`finance`.`accounts`");
        expect(addColumns("c", accounts, [{ name: "email", type: "STRING" }])).toBe(
            "ALTER TABLE `c`.`finance`.`accounts` ADD (\n    `email` STRING\n)",
        );
        expect(setOptions("c", trades, [["table.datalake.freshness", "1min"]])).toBe(
            "ALTER TABLE `c`.`finance`.`trades` SET (\n    'table.datalake.freshness' = '1min'\n)",
        );
        expect(resetOptions("c", trades, ["table.datalake.freshness"])).toBe(
            "ALTER TABLE `c`.`finance`.`trades` RESET (\n    'table.datalake.freshness'\n)",
        );
    });
});

describe("escaping", () => {
    test("a name or a value never ends its quotes", () => {
        fc.assert(
            fc.property(hostileName, hostile, (name, text) => {
                const tokens = lex(`${identifier(name)} ${literal(text)}`);
                expect(tokens.map(({ kind, value }) => ({ kind, value }))).toEqual([
                    { kind: "name", value: name },
                    { kind: "text", value: text },
                ]);
            }),
            { numRuns: 2000 },
        );
    });

    test("hostile names and values change no statement's shape", () => {
        const shape = (sql: string) =>
            lex(sql).map(({ kind, value }) => (kind === "mark" || kind === "word" ? value : kind));
        fc.assert(
            fc.property(hostileName, hostile, (name, value) => {
                const table = { database: name, name };
                const statements = (n: string, v: string, t: typeof table) => [
                    createCatalog({ name: n, options: { [n]: v } }),
                    createDatabase(n, { name: n, comment: v }),
                    dropDatabase(n, n),
                    dropTable(n, t),
                    addColumns(n, t, [{ name: n, type: "INT", comment: v }]),
                    setOptions(n, t, [[n, v]]),
                    resetOptions(n, t, [n]),
                    addPartitions(n, t, [{ [n]: v }]),
                    dropPartitions(n, t, [{ [n]: v }]),
                    changeWatermark(n, t, undefined, { column: n, expression: identifier(n) }),
                ];
                expect(statements(name, value, table).map(shape)).toEqual(
                    statements("n", "v", { database: "n", name: "n" }).map(shape),
                );
            }),
            { numRuns: 500 },
        );
    });
});

test("every spec survives being written as DDL and read back", () => {
    fc.assert(
        fc.property(tableSpec(printColumnType), (spec) => {
            expect(parseShowCreateTable(createTable("c", spec))).toEqual({ spec });
        }),
        { numRuns: propertyRuns },
    );
}, 60_000);

test("a catalog survives it too, its secrets apart", () => {
    const options = {
        type: "fluss",
        "bootstrap.servers": "h:1",
        "client.security.sasl.password": "p'w",
        "iceberg.token": "${secret_values.fluss-iceberg-token}",
    };
    expect(parseShowCreateCatalog(createCatalog({ name: "c", options }))).toEqual({
        name: "c",
        options: { ...options, "client.security.sasl.password": "[secret]" },
    });
});
