import { describe, expect, test } from "vitest";
import { faultLine } from "../../../model/faults.ts";
import { type PlanContext, plan } from "../../../model/plan.ts";
import { parseShowCreateCatalog, parseShowCreateTable } from "../../../model/show-create.ts";
import { type TableSpec, validateTable } from "../../../model/table.ts";
import { accounts, trades } from "./tables.ts";

/** What people reported to apache/fluss about tables, by the numbers of the reports: none of it may happen here. */
const on09: PlanContext = { server: "0.9", lake: "iceberg", catalog: "c" };
const on10: PlanContext = { ...on09, server: "1.0" };
const composite = { ...accounts, primaryKey: ["account_id", "currency"] };
const log: TableSpec = { ...trades, options: {} };
const lake = { "table.datalake.enabled": "true" };
const days = (options: Record<string, string> = {}): TableSpec => ({
    ...log,
    partitionKeys: ["side"],
    options: {
        "table.auto-partition.enabled": "true",
        "table.auto-partition.num-retention": "30",
        ...options,
    },
});

const refusal = (from: TableSpec, to: TableSpec, context: PlanContext): string => {
    const planned = plan(from, to, context);
    return planned.kind === "refuse" ? planned.faults.map(faultLine).join("\n") : planned.kind;
};
const statements = (from: TableSpec, to: TableSpec, context: PlanContext): string[] => {
    const planned = plan(from, to, context);
    return planned.kind === "alter" ? planned.statements : [planned.kind];
};

describe("#2449: a composite primary key on a cluster with an Iceberg lake, where every write fails", () => {
    test.each([on09, on10])("is refused, with the columns and a bucket key that works", (context) => {
        const [fault] = validateTable(composite, context);
        expect(fault?.path).toBe("table.primaryKey");
        expect(fault?.reason).toContain(
            "[account_id, currency]: the table is created, but every write to it fails",
        );
        expect(fault?.fix).toBe("set bucketKey to one of account_id, currency");
        expect(validateTable({ ...composite, bucketKey: ["account_id"] }, context)).toEqual([]);
    });
});

test("#2717, #846: a lake table that is dropped and made anew is in its own way, so a retyped column is refused", () => {
    const retyped = { ...trades, columns: trades.columns.map((c) => ({ ...c, type: "STRING" })) };
    expect(refusal(trades, retyped, on10)).toContain(
        "would lose all its rows in Fluss (its Iceberg table would stay, and block a new one of the same name)",
    );
});

describe("#2084, #2908, #2961, #2072: a table that is older than the cluster's lake", () => {
    const into = (spec: TableSpec) => ({ ...spec, options: { ...spec.options, ...lake } });
    test("cannot enter it, and the plan says why and what to do", () => {
        const older: [TableSpec, PlanContext][] = [
            [log, on09],
            [accounts, on09],
            [accounts, on10],
            [{ ...log, bucketKey: ["symbol"] }, on10],
        ];
        for (const [spec, context] of older) {
            const told = refusal(spec, into(spec), { ...context, withoutLake: true });
            expect(told).toMatch(/made before the cluster had one.*second table/);
        }
    });

    test("may on 1.0 when it is a log without a bucket key, and any younger table may", () => {
        expect(statements(log, into(log), { ...on10, withoutLake: true })[0]).toContain("SET");
        expect(statements(accounts, into(accounts), on09)[0]).toContain("SET");
    });

    test("is not declared for a cluster without a lake", () => {
        expect(validateTable(into(log), { server: "1.0", lake: "none" })[0]?.reason).toContain(
            "the Fluss cluster doesn't enable datalake tables",
        );
    });
});

test("#2422: the freshness changes in place", () => {
    const fresher = { ...trades, options: { ...trades.options, "table.datalake.freshness": "5s" } };
    for (const context of [on09, on10]) expect(statements(trades, fresher, context)[0]).toContain("'5s'");
});

describe("#3392, #1154, #2410, #2067: columns that are renamed, dropped or modified", () => {
    const [first, second, ...others] = accounts.columns;
    test.each<[string, TableSpec["columns"], RegExp]>([
        ["renamed", [first!, { ...second!, name: "name" }, ...others], /cannot drop or rename a column/],
        ["dropped", [first!, ...others], /client_name is gone from the spec/],
        [
            "retyped",
            [first!, { ...second!, type: "BYTES" }, ...others],
            /cannot modify the column client_name/,
        ],
        ["NOT NULL", [first!, { ...second!, nullable: false }, ...others], /cannot modify the column/],
        ["commented", [first!, { ...second!, comment: "x" }, ...others], /cannot modify the column/],
        ["moved", [first!, ...others, second!], /cannot move them/],
    ])("%s is refused in the preview", (_name, columns, reason) => {
        for (const context of [on09, on10])
            expect(refusal(accounts, { ...accounts, columns }, context)).toMatch(reason);
    });
});

test("#327, #3908: buckets do not change", () => {
    expect(refusal(accounts, { ...accounts, bucketCount: 6 }, on10)).toMatch(
        /bucketCount = 6: Fluss cannot change it.*\(it is 3\); replacing finance\.accounts would lose all its rows/,
    );
});

test("#3351: retention and precreation change in place on 1.0, and less retention needs a word", () => {
    const [more, less] = ["60", "3"].map((count) => days({ "table.auto-partition.num-retention": count }));
    expect(refusal(days(), more!, on09)).toContain("Fluss 0.9 does not support to alter it");
    expect(statements(days(), more!, on10)[0]).toContain("'60'");
    expect(statements(days(), days({ "table.auto-partition.num-precreate": "5" }), on10)[0]).toContain("'5'");
    expect(refusal(days(), less!, on10)).toContain("all partitions but the last 3 would be dropped");
    const allowDataLoss = ["table.auto-partition.num-retention"];
    expect(statements(days(), less!, { ...on10, allowDataLoss })[0]).toContain("'3'");
});

test("#309: auto-partitioning without partition keys is told in the server's words", () => {
    const [fault] = validateTable({ ...days(), partitionKeys: undefined }, on10);
    expect(fault?.reason).toMatch(/auto.partition is only supported for (a )?partitioned table/);
});

test("#1904, #1903, iceberg #17008: what a server shows is read without the secrets among it", () => {
    const secrets = {
        "bootstrap.servers": "h:1",
        "client.security.sasl.password": "hunter2-a",
        "table.datalake.iceberg.token": "hunter2-b",
        "table.datalake.iceberg.credential": "hunter2-c",
        "table.datalake.iceberg.s3.secret-access-key": "hunter2-d",
    };
    const list = Object.entries(secrets).map(([key, value]) => `'${key}' = '${value}'`);
    const table = parseShowCreateTable(
        `CREATE TABLE \`c\`.\`d\`.\`t\` (\`a\` INT) WITH (${list.join(", ")})`,
    );
    expect(table.spec.options).toEqual({});
    const catalog = parseShowCreateCatalog(
        `CREATE CATALOG \`c\` WITH ('type' = 'fluss', ${list.join(", ")})`,
    );
    expect(JSON.stringify([table, catalog])).not.toContain("hunter2");
});
