import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PlanContext, plan } from "../../../model/plan.ts";
import type { TableSpec } from "../../../model/table.ts";
import { propertyRuns } from "./arbitraries.ts";
import { trades } from "./tables.ts";

const old09: PlanContext = { server: "0.9", lake: "none", catalog: "c" };
const new10: PlanContext = { ...old09, server: "1.0" };
const events: TableSpec = {
    ...trades,
    name: "events",
    columns: [
        { name: "id", type: "INT" },
        { name: "dt", type: "STRING" },
        { name: "at", type: "TIMESTAMP(3)" },
        { name: "n", type: "BIGINT" },
    ],
    computedColumns: [{ name: "day", expression: "DATE_FORMAT(`at`, 'yyyy')" }],
    watermark: { column: "at", expression: "`at` - INTERVAL '5' SECOND" },
    partitionKeys: ["dt"],
    partitions: [{ dt: "1" }, { dt: "2" }],
    options: {},
};
const start = "ALTER TABLE `c`.`finance`.`events`";
const day = events.computedColumns![0]!;

test("a new table is created with its partitions", () => {
    const made = plan(undefined, events, old09);
    expect(made).toEqual({
        kind: "create",
        statements: [
            expect.stringContaining("WATERMARK FOR `at`"),
            `${start} ADD IF NOT EXISTS\n    PARTITION (\`dt\` = '1')\n    PARTITION (\`dt\` = '2')`,
        ],
    });
});

describe("in place", () => {
    const late = { column: "at", expression: "`at` - INTERVAL '9' SECOND" };
    test.each<[string, TableSpec, TableSpec, PlanContext, string[]]>([
        [
            "another watermark on 1.0",
            events,
            { ...events, watermark: late },
            new10,
            [`${start} MODIFY WATERMARK FOR \`at\` AS \`at\` - INTERVAL '9' SECOND`],
        ],
        [
            "a new watermark on 1.0",
            { ...events, watermark: undefined },
            { ...events, watermark: late },
            new10,
            [`${start} ADD WATERMARK FOR \`at\` AS \`at\` - INTERVAL '9' SECOND`],
        ],
        [
            "no watermark on 1.0",
            events,
            { ...events, watermark: undefined },
            new10,
            [`${start} DROP WATERMARK`],
        ],
        [
            "a new partition",
            events,
            { ...events, partitions: [...events.partitions!, { dt: "3" }] },
            old09,
            [`${start} ADD IF NOT EXISTS\n    PARTITION (\`dt\` = '3')`],
        ],
        [
            "a partition that may go",
            events,
            { ...events, partitions: [{ dt: "3" }, { dt: "2" }] },
            { ...old09, allowDataLoss: ["dt=1"] },
            [
                `${start} ADD IF NOT EXISTS\n    PARTITION (\`dt\` = '3')`,
                `${start} DROP IF EXISTS\n    PARTITION (\`dt\` = '1')`,
            ],
        ],
    ])("%s", (_name, from, to, context, statements) => {
        expect(plan(from, to, context)).toEqual({ kind: "alter", statements });
    });

    test("nothing for another spelling of an expression, or another order of partitions", () => {
        const respelled = {
            ...events,
            computedColumns: [{ name: "day", expression: "date_format( at , 'yyyy')" }],
            watermark: { column: "at", expression: "at - interval '5' second" },
            partitions: [{ dt: "2" }, { dt: "1" }],
        };
        expect(plan(events, respelled, old09)).toEqual({ kind: "none" });
    });
});

describe("refused", () => {
    test.each<[string, TableSpec, PlanContext, RegExp]>([
        [
            "another watermark on 0.9",
            { ...events, watermark: undefined },
            old09,
            /^table\.watermark: Fluss 0\.9 cannot change the watermark .*is at AS `at` - INTERVAL '5' SECOND.*upgrade/,
        ],
        [
            "a computed column changed",
            { ...events, computedColumns: [{ ...day, expression: "1" }] },
            new10,
            /^table\.computedColumns\[0\]: Fluss cannot change a computed column .*would lose all its rows/,
        ],
        [
            "its comment changed",
            { ...events, computedColumns: [{ ...day, comment: "x" }] },
            new10,
            /^table\.computedColumns\[0\]: Fluss cannot change/,
        ],
        [
            "a computed column added",
            { ...events, computedColumns: [day, { name: "x", expression: "1" }] },
            new10,
            /^table\.computedColumns\[1\]: Fluss cannot add a computed column/,
        ],
        [
            "a computed column dropped",
            { ...events, computedColumns: [] },
            new10,
            /^table\.computedColumns: Fluss cannot drop a computed column, and day is gone/,
        ],
        [
            "a partition dropped",
            { ...events, partitions: [{ dt: "2" }] },
            old09,
            /^table\.partitions: .*would delete its rows in finance\.events.*allowDataLoss: \["dt=1"\]/,
        ],
    ])("%s", (_name, to, context, fault) => {
        const refused = plan(events, to, context);
        expect(refused.kind).toBe("refuse");
        if (refused.kind !== "refuse") return;
        expect(refused.faults.map(({ path, reason, fix }) => `${path}: ${reason}. ${fix}`)).toEqual([
            expect.stringMatching(fault),
        ]);
    });

    test("computed columns in another order", () => {
        const two = { ...events, computedColumns: [day, { name: "x", expression: "1" }] };
        const refused = plan(two, { ...two, computedColumns: two.computedColumns.toReversed() }, new10);
        expect(refused).toMatchObject({ kind: "refuse", faults: [{ path: "table.computedColumns[0]" }] });
    });

    test("another aggregate: ALTER TABLE would store it without effect", () => {
        const totals = {
            ...events,
            partitionKeys: undefined,
            partitions: undefined,
            primaryKey: ["id"],
            options: { "table.merge-engine": "aggregation", "fields.n.agg": "sum" },
        };
        for (const options of [
            { ...totals.options, "fields.n.agg": "max" },
            { "table.merge-engine": "aggregation" },
        ]) {
            expect(plan(totals, { ...totals, options }, new10)).toMatchObject({
                kind: "refuse",
                faults: [{ path: 'table.options["fields.n.agg"]', fix: "keep sum" }],
            });
        }
        const more = { ...totals, columns: [...totals.columns, { name: "m", type: "INT" }] };
        const late = { ...more, options: { ...more.options, "fields.m.agg": "sum" } };
        expect(plan(totals, late, new10)).toMatchObject({ kind: "refuse" });
    });
});

test("partitions: a plan either refuses, naming what it would drop, or gives the new ones", () => {
    const partitions = fc.uniqueArray(fc.constantFrom("1", "2", "3", "4"));
    const spec = (values: string[]) => ({ ...events, partitions: values.map((dt) => ({ dt })) });
    fc.assert(
        fc.property(partitions, partitions, partitions, (from, to, allowed) => {
            const context = { ...old09, allowDataLoss: allowed.map((dt) => `dt=${dt}`) };
            const planned = plan(spec(from), spec(to), context);
            const lost = from.filter((dt) => !to.includes(dt));
            if (planned.kind === "refuse") {
                const unnamed = lost.filter((dt) => !allowed.includes(dt)).map((dt) => `dt=${dt}`);
                expect(unnamed.length).toBeGreaterThan(0);
                expect(planned.faults.map(({ value }) => value)).toEqual(unnamed.sort());
                return;
            }
            const existing = new Set<string>(from);
            for (const statement of planned.kind === "alter" ? planned.statements : []) {
                const values = [...statement.matchAll(/`dt` = '(\d)'/g)].map(([, value]) => value!);
                for (const value of values) {
                    if (statement.includes("ADD IF NOT EXISTS")) existing.add(value);
                    else existing.delete(value);
                }
            }
            expect([...existing].sort()).toEqual([...to].sort());
        }),
        { numRuns: propertyRuns / 10 },
    );
});
