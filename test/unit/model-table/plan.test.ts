import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PlanContext, plan } from "../../../model/plan.ts";
import { normalTable, type TableSpec, validateTable } from "../../../model/table.ts";
import { propertyRuns } from "./arbitraries.ts";
import { changed, email, new10, old09, retyped, withOptions } from "./plans.ts";
import { accounts, trades } from "./tables.ts";

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
