import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PlanContext, plan } from "../../../model/plan.ts";
import { normalTable, type TableSpec, validateTable } from "../../../model/table.ts";
import { propertyRuns } from "./arbitraries.ts";
import { accounts, trades } from "./tables.ts";

const old09: PlanContext = { server: "0.9", lake: "iceberg", catalog: "c" };
const new10: PlanContext = { ...old09, server: "1.0" };
const email = { name: "email", type: "STRING" };

const withOptions = (table: TableSpec, options: Record<string, string | undefined>): TableSpec => {
    const merged = Object.entries({ ...table.options, ...options }).filter(
        ([, value]) => value !== undefined,
    );
    return { ...table, options: Object.fromEntries(merged) as Record<string, string> };
};

test("a new table is created", () => {
    const made = plan(undefined, accounts, old09);
    expect(made.kind).toBe("create");
    expect(made.kind === "create" && made.statements).toEqual([
        expect.stringMatching(/^CREATE TABLE `c`\.`finance`/),
    ]);
});

describe("nothing to do", () => {
    test.each<[string, TableSpec, TableSpec]>([
        ["the same spec", accounts, accounts],
        ["another spelling of a type", accounts, retyped("client_name", "VARCHAR(2147483647)")],
        ["NOT NULL said of a key column", accounts, changed("account_id", { nullable: false })],
        ["the default bucket key said", accounts, { ...accounts, bucketKey: ["account_id"] }],
        ["another spelling of a value", trades, withOptions(trades, { "table.datalake.freshness": "30 s" })],
    ])("%s", (_name, from, to) => expect(plan(from, to, old09)).toEqual({ kind: "none" }));
});

describe("in place", () => {
    test.each<[string, TableSpec, TableSpec, PlanContext, string[]]>([
        [
            "a new nullable column",
            accounts,
            { ...accounts, columns: [...accounts.columns, email] },
            old09,
            ["ALTER TABLE `c`.`finance`.`accounts` ADD (\n    `email` STRING\n)"],
        ],
        [
            "two of them in one statement",
            accounts,
            {
                ...accounts,
                columns: [...accounts.columns, email, { ...email, name: "phone", comment: "it's" }],
            },
            old09,
            [
                "ALTER TABLE `c`.`finance`.`accounts` ADD (\n    `email` STRING,\n    `phone` STRING COMMENT 'it''s'\n)",
            ],
        ],
        [
            "a column on a lake table of 1.0",
            trades,
            { ...trades, columns: [...trades.columns, email] },
            new10,
            ["ALTER TABLE `c`.`finance`.`trades` ADD (\n    `email` STRING\n)"],
        ],
        [
            "an alterable option",
            trades,
            withOptions(trades, { "table.datalake.freshness": "1min" }),
            old09,
            ["ALTER TABLE `c`.`finance`.`trades` SET (\n    'table.datalake.freshness' = '1min'\n)"],
        ],
        [
            "a removed option that loses nothing",
            trades,
            withOptions(trades, { "table.datalake.freshness": undefined }),
            old09,
            ["ALTER TABLE `c`.`finance`.`trades` RESET (\n    'table.datalake.freshness'\n)"],
        ],
        [
            "columns and options in separate statements",
            accounts,
            withOptions(
                { ...accounts, columns: [...accounts.columns, email] },
                { "table.datalake.enabled": "true" },
            ),
            old09,
            [
                "ALTER TABLE `c`.`finance`.`accounts` ADD (\n    `email` STRING\n)",
                "ALTER TABLE `c`.`finance`.`accounts` SET (\n    'table.datalake.enabled' = 'true'\n)",
            ],
        ],
        [
            "a longer time to live, 1.0",
            withOptions(trades, { "table.log.ttl": "7d" }),
            withOptions(trades, { "table.log.ttl": "14d" }),
            new10,
            ["ALTER TABLE `c`.`finance`.`trades` SET (\n    'table.log.ttl' = '14d'\n)"],
        ],
        [
            "an unlimited time to live, 1.0",
            withOptions(trades, { "table.log.ttl": "7d" }),
            withOptions(trades, { "table.log.ttl": "0ms" }),
            new10,
            ["ALTER TABLE `c`.`finance`.`trades` SET (\n    'table.log.ttl' = '0ms'\n)"],
        ],
        [
            "a custom property",
            accounts,
            { ...accounts, custom: { owner: "desk" } },
            old09,
            ["ALTER TABLE `c`.`finance`.`accounts` SET (\n    'owner' = 'desk'\n)"],
        ],
    ])("%s", (_name, from, to, context, statements) => {
        expect(plan(from, to, context)).toEqual({ kind: "alter", statements });
    });
});

describe("what loses data goes only with allowDataLoss", () => {
    const daily = {
        ...trades,
        columns: [...trades.columns, { name: "dt", type: "STRING" }],
        partitionKeys: ["dt"],
        options: { "table.auto-partition.num-retention": "30" },
    };
    test.each<[string, string, TableSpec, TableSpec, PlanContext, RegExp]>([
        [
            "shorter time to live",
            "table.log.ttl",
            trades,
            withOptions(trades, { "table.log.ttl": "1d" }),
            new10,
            /older than 1d would be deleted/,
        ],
        [
            "time to live removed",
            "table.log.ttl",
            withOptions(trades, { "table.log.ttl": "30d" }),
            trades,
            new10,
            /older than 7 d would be deleted/,
        ],
        [
            "leaving the lake",
            "table.datalake.enabled",
            trades,
            withOptions(trades, { "table.datalake.enabled": "false" }),
            old09,
            /Iceberg table stays and goes stale, and the lake cannot be switched on again/,
        ],
        [
            "lake option removed",
            "table.datalake.enabled",
            trades,
            withOptions(trades, { "table.datalake.enabled": undefined }),
            new10,
            /goes stale/,
        ],
        [
            "lower retention",
            "table.auto-partition.num-retention",
            daily,
            withOptions(daily, { "table.auto-partition.num-retention": "7" }),
            new10,
            /all partitions but the last 7 would be dropped/,
        ],
        [
            "retention from all",
            "table.auto-partition.num-retention",
            withOptions(daily, { "table.auto-partition.num-retention": "-1" }),
            withOptions(daily, { "table.auto-partition.num-retention": "1000" }),
            new10,
            /all partitions but the last 1000/,
        ],
        [
            "auto partition on",
            "table.auto-partition.enabled",
            daily,
            withOptions(daily, { "table.auto-partition.enabled": "true" }),
            new10,
            /older than the last 30 would be dropped/,
        ],
    ])("%s", (_name, key, from, to, context, reason) => {
        const refused = plan(from, to, context);
        expect(refused.kind).toBe("refuse");
        if (refused.kind !== "refuse") return;
        expect(refused.faults).toHaveLength(1);
        expect(refused.faults[0]).toMatchObject({
            path: `table.options["${key}"]`,
            reason: expect.stringMatching(reason),
            fix: expect.stringContaining(`allowDataLoss: ["${key}"]`),
        });
        expect(plan(from, to, { ...context, allowDataLoss: [key] }).kind).toBe("alter");
        expect(plan(from, to, { ...context, allowDataLoss: ["table.log.format"] }).kind).toBe("refuse");
    });
});

describe("refused, with what would be lost and what to do", () => {
    const columns = accounts.columns;
    test.each<[string, TableSpec, TableSpec, PlanContext, string[]]>([
        ["column dropped", accounts, { ...accounts, columns: columns.slice(0, 4) }, new10, ["table.columns"]],
        [
            "column renamed",
            accounts,
            { ...accounts, columns: [...columns.slice(0, 4), { name: "amount", type: "DECIMAL(15, 2)" }] },
            new10,
            ["table.columns"],
        ],
        ["column retyped", accounts, retyped("balance", "DECIMAL(20, 2)"), new10, ["table.columns[4].type"]],
        [
            "column now NOT NULL",
            accounts,
            changed("currency", { nullable: false }),
            new10,
            ["table.columns[3].nullable"],
        ],
        [
            "column comment",
            accounts,
            changed("currency", { comment: "ISO" }),
            new10,
            ["table.columns[3].comment"],
        ],
        [
            "columns swapped",
            accounts,
            { ...accounts, columns: [columns[0]!, columns[2]!, columns[1]!, ...columns.slice(3)] },
            new10,
            ["table.columns[1]"],
        ],
        [
            "column in the middle",
            accounts,
            { ...accounts, columns: [columns[0]!, email, ...columns.slice(1)] },
            new10,
            ["table.columns[1]"],
        ],
        [
            "new column NOT NULL",
            accounts,
            { ...accounts, columns: [...columns, { ...email, nullable: false }] },
            new10,
            ["table.columns[5].nullable"],
        ],
        [
            "column on a lake table of 0.9",
            trades,
            { ...trades, columns: [...trades.columns, email] },
            old09,
            ["table.columns"],
        ],
        [
            "primary key",
            trades,
            { ...trades, primaryKey: ["account_id"] },
            new10,
            ["table.primaryKey", "table.bucketKey"],
        ],
        ["bucket count", accounts, { ...accounts, bucketCount: 4 }, new10, ["table.bucketCount"]],
        ["bucket key", trades, { ...trades, bucketKey: ["account_id"] }, new10, ["table.bucketKey"]],
        ["partition keys", trades, { ...trades, partitionKeys: ["symbol"] }, new10, ["table.partitionKeys"]],
        ["comment", accounts, { ...accounts, comment: "x" }, new10, ["table.comment"]],
        ["name", accounts, { ...accounts, name: "clients" }, new10, ["table.name"]],
        ["database", accounts, { ...accounts, database: "other" }, new10, ["table.database"]],
        [
            "option that 0.9 does not alter",
            accounts,
            withOptions(accounts, { "table.log.ttl": "14d" }),
            old09,
            ['table.options["table.log.ttl"]'],
        ],
        [
            "option that no server alters",
            accounts,
            withOptions(accounts, { "table.replication.factor": "3" }),
            new10,
            ['table.options["table.replication.factor"]'],
        ],
        [
            "merge engine",
            accounts,
            withOptions(accounts, { "table.merge-engine": "first_row" }),
            new10,
            ['table.options["table.merge-engine"]'],
        ],
        [
            "Iceberg property on 0.9",
            trades,
            withOptions(trades, { "iceberg.write.format.default": "orc" }),
            old09,
            ['table.options["iceberg.write.format.default"]'],
        ],
        [
            "a spec that is itself at fault",
            accounts,
            { ...accounts, bucketCount: 0 },
            new10,
            ["table.bucketCount"],
        ],
    ])("%s", (_name, from, to, context, paths) => {
        const refused = plan(from, to, context);
        expect(refused.kind).toBe("refuse");
        if (refused.kind !== "refuse") return;
        expect(refused.faults.map(({ path }) => path)).toEqual(paths);
    });

    test("a replacement says what it would lose and what to do instead", () => {
        const refused = plan(trades, { ...trades, columns: trades.columns.slice(1) }, new10);
        expect(refused.kind === "refuse" && refused.faults[0]).toEqual({
            path: "table.columns",
            value: "trade_id",
            reason:
                "Fluss cannot drop or rename a column, and trade_id is gone from the spec; replacing finance.trades " +
                "would lose all its rows in Fluss (its Iceberg table would stay, and block a new one of the same name)",
            fix: expect.stringContaining("declare a second table next to trades"),
        });
    });

    test("all reasons come at once", () => {
        const to = { ...retyped("balance", "DOUBLE"), bucketCount: 9, comment: "x" };
        const refused = plan(accounts, to, new10);
        expect(refused.kind === "refuse" && refused.faults.map(({ path }) => path)).toEqual([
            "table.bucketCount",
            "table.comment",
            "table.columns[4].type",
        ]);
    });
});

test("a plan either refuses or, applied, gives the new spec", () => {
    const column = fc.record({
        name: fc.constantFrom("a", "b", "c", "d"),
        type: fc.constantFrom("INT", "BIGINT", "STRING"),
        nullable: fc.boolean(),
    });
    const options = fc.dictionary(
        fc.constantFrom(
            "table.log.ttl",
            "table.datalake.freshness",
            "table.datalake.enabled",
            "table.kv.format",
            "x",
        ),
        fc.constant(""),
        { maxKeys: 3 },
    );
    const values: Record<string, string[]> = {
        "table.log.ttl": ["1d", "7d", "30d"],
        "table.datalake.freshness": ["30s", "3min"],
        "table.datalake.enabled": ["true", "false"],
        "table.kv.format": ["INDEXED", "compacted"],
        x: ["1", "2"],
    };
    const columns = fc.uniqueArray(column, { minLength: 1, maxLength: 4, selector: ({ name }) => name });
    const chosen = fc.tuple(options, fc.nat(5)).map(([keys, pick]) => {
        const pairs = Object.keys(keys).map((key) => [key, values[key]![pick % values[key]!.length]!]);
        return Object.fromEntries(pairs) as Record<string, string>;
    });
    const key = fc.constantFrom<string[] | undefined>(["a"], undefined);
    const spec = fc.record({
        database: fc.constant("d"),
        name: fc.constant("t"),
        columns,
        primaryKey: key,
        options: chosen,
    });
    // Half of the pairs are unrelated, half are one spec and what a person could make of it.
    const pairs = fc.oneof(
        fc.tuple(spec, spec),
        fc.tuple(spec, columns, chosen).map(([from, more, changed]): [TableSpec, TableSpec] => {
            const added = more.filter(({ name }) => !from.columns.some((known) => known.name === name));
            return [from, { ...from, columns: [...from.columns, ...added], options: changed }];
        }),
    );
    let altered = 0;
    fc.assert(
        fc.property(pairs, fc.constantFrom(old09, new10), ([from, to], context) => {
            fc.pre(validateTable(from, context).length === 0);
            const planned = plan(from, to, context);
            if (planned.kind === "refuse") {
                expect(planned.faults.length).toBeGreaterThan(0);
                return;
            }
            const changes = planned.kind === "alter" ? planned.statements : [];
            altered += changes.length;
            expect(apply(normalTable(from), changes)).toEqual(apply(normalTable(to), []));
            expect(plan(to, to, context)).toEqual({ kind: "none" });
        }),
        { numRuns: propertyRuns },
    );
    expect(altered).toBeGreaterThan(propertyRuns / 30);
}, 60_000);

/** A model of what the server does with the statements: columns as name and type, options by their meaning. */
function apply(spec: TableSpec, statements: string[]): unknown {
    const columns = spec.columns.map(
        ({ name, type, nullable }) => `${name} ${type}${nullable ? "" : " NOT NULL"}`,
    );
    const options: Record<string, string> = { ...spec.options };
    for (const statement of statements) {
        const body = statement
            .slice(statement.indexOf("(") + 1, -1)
            .split(",\n")
            .map((line) => line.trim());
        if (statement.includes(" ADD ("))
            columns.push(...body.map((line) => line.replace(/`(\w+)`\s+/, "$1 ")));
        for (const line of body) {
            const [key, value] = line.split(/\s+=\s+/).map((part) => part.slice(1, -1));
            if (statement.includes(" SET (")) options[key!] = value!;
            if (statement.includes(" RESET (")) delete options[key!];
        }
    }
    return {
        columns,
        options: Object.entries(options)
            .map(([key, value]) => `${key}=${value.toLowerCase()}`)
            .sort(),
    };
}

function changed(name: string, change: object): TableSpec {
    return { ...accounts, columns: accounts.columns.map((c) => (c.name === name ? { ...c, ...change } : c)) };
}

function retyped(name: string, type: string): TableSpec {
    return changed(name, { type });
}
