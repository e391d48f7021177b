import { describe, expect, test } from "vitest";
import { type PlanContext, plan } from "../../../model/plan.ts";
import type { TableSpec } from "../../../model/table.ts";
import { changed, email, new10, old09, retyped, withOptions } from "./plans.ts";
import { accounts, trades } from "./tables.ts";

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
