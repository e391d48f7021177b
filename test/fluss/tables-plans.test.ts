import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { run } from "../../cli/run.ts";
import { findTable, listPartitions } from "../../dynamic-providers/flink-sql/look.ts";
import { qualified } from "../../model/ddl.ts";
import { plan, type TablePlan } from "../../model/plan.ts";
import { asDeclared } from "../../model/show-create.ts";
import { type TableSpec, type TableSpecArgs, tableSpec } from "../../model/table.ts";
import { ownDatabase } from "./own-database.ts";
import { catalogOptionsOf } from "./tables-catalog.ts";

const { lakehouse, runner, database, specsOf } = ownDatabase("plans");
const context = { server: "0.9", lake: "iceberg", catalog: "c" } as const;
const columns = [
    { name: "id", type: "INT" },
    { name: "dt", type: "STRING" },
    { name: "at", type: "TIMESTAMP(3)" },
];
const email = { name: "email", type: "STRING", comment: "it's" };
const table = specsOf(columns);

const pathOf = ({ name }: TableSpec) => qualified("c", database, name);
const execute = async (planned: TablePlan) => {
    for (const statement of planned.kind === "create" || planned.kind === "alter" ? planned.statements : []) {
        await runner.execute(statement, "apply the plan");
    }
};
const observed = async (spec: TableSpec) => asDeclared(spec, (await findTable(runner, "c", spec))!.spec);

describe("what the plan calls possible, Fluss 0.9.1 does", () => {
    const events = {
        computedColumns: [{ name: "year", expression: "DATE_FORMAT(`at`, 'yyyy')" }],
        watermark: { column: "at", expression: "`at` - INTERVAL '5' SECOND" },
    };
    test.each<[string, TableSpec, Partial<TableSpec>, string[]]>([
        ["nothing", table(events), {}, []],
        ["new columns", table(), { columns: [...columns, email, { name: "n", type: "ARRAY<INT>" }] }, []],
        ["new columns beside computed ones", table(events), { columns: [...columns, email] }, []],
        [
            "options that it alters, and columns with them",
            table({ custom: { owner: "desk" } }),
            {
                columns: [...columns, email],
                options: { "table.log.tiered.local-segments": "3" },
                custom: { owner: "risk's" },
            },
            [],
        ],
        ["a property removed", table({ custom: { owner: "desk" } }), { custom: {} }, []],
        [
            "an option removed",
            table({ options: { "table.log.tiered.local-segments": "3" } }),
            { options: {} },
            [],
        ],
        ["into the lake", table(), { options: { "table.datalake.enabled": "true" } }, []],
        [
            "out of the lake, when that is wanted",
            table({ options: { "table.datalake.enabled": "true" } }),
            { options: { "table.datalake.enabled": "false" } },
            ["table.datalake.enabled"],
        ],
        [
            "partitions added",
            table({ partitionKeys: ["dt"], partitions: [{ dt: "2024-01-01" }] }),
            { partitions: [{ dt: "2024-01-02" }, { dt: "2024-01-01" }] },
            [],
        ],
        [
            "partitions dropped, when that is wanted",
            table({
                partitionKeys: ["dt", "id"],
                partitions: [
                    { dt: "a", id: "1" },
                    { dt: "b", id: "2" },
                ],
            }),
            { partitions: [{ dt: "b", id: "2" }] },
            ["dt=a/id=1"],
        ],
    ])("%s", async (_name, from, change, allowDataLoss) => {
        await execute(plan(undefined, from, context));
        expect(plan(await observed(from), from, context)).toEqual({ kind: "none" });
        const to = { ...from, ...change };
        const planned = plan(from, to, { ...context, allowDataLoss });
        expect(planned.kind).toBe(Object.keys(change).length === 0 ? "none" : "alter");
        await execute(planned);
        expect(plan(await observed(to), to, context)).toEqual({ kind: "none" });
        if (to.partitions && to.partitionKeys) {
            const there = await listPartitions(runner, pathOf(to), to.partitionKeys);
            expect(there).toHaveLength(to.partitions.length);
            expect(there).toEqual(expect.arrayContaining(to.partitions));
        }
    });
});

describe("what the plan refuses, Fluss 0.9.1 refuses", () => {
    const watermark = { column: "at", expression: "`at`" };
    test.each<[string, TableSpec, Partial<TableSpec>, string]>([
        ["a column dropped", table(), { columns: columns.slice(0, 2) }, "DROP `at`"],
        [
            "a column renamed",
            table(),
            { columns: [...columns.slice(0, 2), { name: "on", type: "TIMESTAMP(3)" }] },
            "RENAME `at` TO `on`",
        ],
        [
            "another type",
            table(),
            { columns: [{ name: "id", type: "BIGINT" }, ...columns.slice(1)] },
            "MODIFY `id` BIGINT",
        ],
        ["a column in front", table(), { columns: [email, ...columns] }, "ADD `email` STRING FIRST"],
        [
            "a column NOT NULL",
            table(),
            { columns: [...columns, { ...email, nullable: false }] },
            "ADD `email` STRING NOT NULL",
        ],
        [
            "a column of a lake table",
            table({ options: { "table.datalake.enabled": "true" } }),
            { columns: [...columns, email] },
            "ADD `email` STRING",
        ],
        ["another bucket count", table({ bucketCount: 1 }), { bucketCount: 2 }, "SET ('bucket.num' = '2')"],
        [
            "another bucket key",
            table({ bucketKey: ["id"] }),
            { bucketKey: ["dt"] },
            "SET ('bucket.key' = 'dt')",
        ],
        ["another name", table(), { name: "renamed" }, "RENAME TO `renamed`"],
        ["a primary key", table(), { primaryKey: ["id"] }, "ADD PRIMARY KEY (`id`) NOT ENFORCED"],
        ["a watermark added", table(), { watermark }, "ADD WATERMARK FOR `at` AS `at`"],
        ["a watermark dropped", table({ watermark }), { watermark: undefined }, "DROP WATERMARK"],
        [
            "another watermark",
            table({ watermark }),
            { watermark: { ...watermark, expression: "`at` - INTERVAL '1' SECOND" } },
            "MODIFY WATERMARK FOR `at` AS `at` - INTERVAL '1' SECOND",
        ],
        [
            "an option that it does not alter",
            table(),
            { options: { "table.log.ttl": "14d" } },
            "SET ('table.log.ttl' = '14d')",
        ],
        [
            "an Iceberg property of a lake table",
            table({ options: { "table.datalake.enabled": "true" } }),
            { options: { "table.datalake.enabled": "true", "iceberg.write.format.default": "orc" } },
            "SET ('iceberg.write.format.default' = 'orc')",
        ],
    ])("%s", async (_name, from, change, statement) => {
        await execute(plan(undefined, from, context));
        expect(plan(from, { ...from, ...change }, context).kind).toBe("refuse");
        await expect(
            runner.execute(`ALTER TABLE ${pathOf(from)} ${statement}`, "do it all the same"),
        ).rejects.toThrow();
        expect(plan(await observed(from), from, context)).toEqual({ kind: "none" });
    });

    const year = { name: "year", expression: "DATE_FORMAT(`at`, 'yyyy')" };
    test("a computed column dropped", async () => {
        const from = table({ computedColumns: [year] });
        await execute(plan(undefined, from, context));
        expect(plan(from, { ...from, computedColumns: [] }, context).kind).toBe("refuse");
        await expect(runner.execute(`ALTER TABLE ${pathOf(from)} DROP \`year\``, "drop it")).rejects.toThrow(
            /Not support drop column/,
        );
    });
});

describe("what the plan refuses, since Fluss 0.9.1 takes it and does something else", () => {
    test("a computed column added: it becomes a stored one", async () => {
        const from = table();
        await execute(plan(undefined, from, context));
        const computedColumns = [{ name: "year", expression: "DATE_FORMAT(`at`, 'yyyy')" }];
        expect(plan(from, { ...from, computedColumns }, context).kind).toBe("refuse");
        const add = `ALTER TABLE ${pathOf(from)} ADD \`year\` AS DATE_FORMAT(\`at\`, 'yyyy')`;
        await runner.execute(add, "add it all the same");
        const after = await observed(from);
        expect(after.computedColumns).toBeUndefined();
        expect(after.columns.at(-1)).toMatchObject({ name: "year", type: "STRING" });
    });

    test("another aggregate: it stays the old one", async () => {
        const aggregate = (of: string) => ({ "table.merge-engine": "aggregation", "fields.id.agg": of });
        const from = table({ primaryKey: ["dt"], options: aggregate("sum") });
        await execute(plan(undefined, from, context));
        expect(plan(from, { ...from, options: aggregate("max") }, context).kind).toBe("refuse");
        await runner.execute(
            `ALTER TABLE ${pathOf(from)} SET ('fields.id.agg' = 'max')`,
            "set it all the same",
        );
        expect((await observed(from)).options).toMatchObject({ "fields.id.agg": "sum" });
    });
});

test("what was pulled from the cluster plans to nothing, and holds no secret", async () => {
    const source = table();
    await execute(plan(undefined, source, context));
    const view = qualified("c", database, "view");
    await runner.execute(
        `CREATE MATERIALIZED TABLE ${view} FRESHNESS = INTERVAL '30' SECOND AS SELECT id FROM ${pathOf(source)}`,
        "make a materialized table",
    );
    onTestFinished(async () => void (await runner.execute(`DROP MATERIALIZED TABLE ${view}`, "drop it")));
    await expect(findTable(runner, "c", { database, name: "view" })).rejects.toThrow(/leave it to Flink/);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulled-"));
    const file = path.join(folder, "tables.ts");
    const options = Object.entries(catalogOptionsOf(lakehouse)).filter(
        ([key]) => key !== "type" && key !== "client.security.sasl.password",
    );
    const errors: string[] = [];
    const code = await run(
        [
            ...[
                "tables",
                "pull",
                "--gateway",
                lakehouse.gatewayUrl,
                "--catalog",
                "c",
                "--database",
                database,
            ],
            ...options.flatMap(([key, value]) => ["--option", `${key}=${value}`]),
            ...[
                "--secret",
                "client.security.sasl.password=PW",
                "--server",
                "0.9",
                "--partitions",
                "--out",
                file,
            ],
        ],
        { PW: lakehouse.fluss.password },
        { out: () => undefined, error: (line) => errors.push(line) },
    );
    expect(errors).toEqual([
        `warning: ${database}.view: is left out, since it is a materialized table of Flink`,
        expect.stringMatching(/^\d+ tables written to/),
    ]);
    expect(code).toBe(0);
    const text = fs.readFileSync(file, "utf8");
    for (const secret of lakehouse.secrets) expect(text).not.toContain(secret);
    const { tables } = (await import(file)) as { tables: Record<string, TableSpecArgs> };
    expect(Object.keys(tables).length).toBeGreaterThan(20);
    for (const spec of Object.values(tables).map((args) => tableSpec.parse(args))) {
        expect(plan(await observed(spec), spec, context)).toEqual({ kind: "none" });
    }
    fs.rmSync(folder, { recursive: true });
});
