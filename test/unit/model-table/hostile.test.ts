import { describe, expect, test } from "vitest";
import { longestName } from "../../../model/column-types.ts";
import { createTable } from "../../../model/ddl.ts";
import { faultLine, zodFaults } from "../../../model/faults.ts";
import { parseShowCreateTable, tableDifferences } from "../../../model/show-create.ts";
import { type TableSpec, tableSpec, validateTable } from "../../../model/table.ts";

const base: TableSpec = { database: "d", name: "t", columns: [{ name: "a", type: "INT" }], options: {} };
const faultsOf = (spec: TableSpec) =>
    validateTable(spec, { server: "0.9", lake: "none" }).map((fault) => faultLine(fault));

describe("half a character, for which there is no UTF-8, is told wherever it stands", () => {
    test.each<[string, Partial<TableSpec>]>([
        ["table.comment", { comment: "\ud800x" }],
        ["table.columns[0].name", { columns: [{ name: "\udfff", type: "INT" }] }],
        ["table.columns[0].comment", { columns: [{ name: "a", type: "INT", comment: "🦊\ud800" }] }],
        ["table.custom.owner", { custom: { owner: "\udc00" } }],
        ["table.computedColumns[0].expression", { computedColumns: [{ name: "b", expression: "'\ud83d'" }] }],
        ["table.watermark.expression", { watermark: { column: "a", expression: "'\ud83d'" } }],
    ])("%s", (path, part) => {
        expect(faultsOf({ ...base, ...part })).toContainEqual(
            expect.stringContaining(`${path}: holds half of`),
        );
    });

    test("whole ones are fine", () => {
        const text = "🦊 表 \u0000 \u2028 'q' `b` -- /* ; ${x} \\n \n";
        const spec = {
            ...base,
            columns: [{ name: "🦊\u2028`'", type: "INT", comment: text }],
            comment: text,
            custom: { [text]: text },
        };
        expect(faultsOf(spec)).toEqual([]);
        expect(tableDifferences(spec, parseShowCreateTable(createTable("c", spec)).spec)).toEqual([]);
    });
});

test.each<[string, Partial<TableSpec>, RegExp | undefined]>([
    ["a column's name", { columns: [{ name: "n".repeat(longestName), type: "INT" }] }, undefined],
    [
        "a column's long name",
        { columns: [{ name: "n".repeat(257), type: "INT" }] },
        /257 characters, and Flink takes 256/,
    ],
    [
        "a computed column's long name",
        { computedColumns: [{ name: "n".repeat(257), expression: "a" }] },
        /257 characters/,
    ],
    [
        "a field's long name",
        { columns: [{ name: "a", type: `ROW<${"n".repeat(257)} INT>` }] },
        /field of the ROW is longer than 256/,
    ],
    [
        "200 levels",
        { columns: [{ name: "a", type: `${"ARRAY<".repeat(200)}INT${">".repeat(200)}` }] },
        undefined,
    ],
    [
        "201 levels",
        { columns: [{ name: "a", type: `${"ARRAY<".repeat(201)}INT${">".repeat(201)}` }] },
        /nested more than 200 levels/,
    ],
    [
        "10,000 levels",
        { columns: [{ name: "a", type: `${"ARRAY<".repeat(10_000)}INT${">".repeat(10_000)}` }] },
        /nested more than 200 levels/,
    ],
    ["a long time", { options: { "table.log.ttl": "106751991167 d" } }, undefined],
    ["a longer time", { options: { "table.log.ttl": "106751991168d" } }, /takes a duration.*64 bits/],
    ["2^63 ms", { options: { "table.log.ttl": "9223372036854775807" } }, /takes a duration/],
    ["20 digits", { options: { "table.log.ttl": "99999999999999999999d" } }, /takes a duration/],
])("sizes: %s", (_name, part, fault) => {
    expect(faultsOf({ ...base, ...part })).toEqual(fault ? [expect.stringMatching(fault)] : []);
});

describe("a partition is named as Fluss' writers name it", () => {
    const faultsOfValue = (type: string, value: string) =>
        faultsOf({
            ...base,
            columns: [...base.columns, { name: "p", type }],
            partitionKeys: ["p"],
            partitions: [{ p: value }],
        });

    // The names that rows of these types got on Fluss 0.9.1.
    test.each([
        ["BOOLEAN", "true"],
        ["INT", "-7"],
        ["BIGINT", "9223372036854775807"],
        ["FLOAT", "-0_5"],
        ["DOUBLE", "1_5"],
        ["DATE", "2024-01-02"],
        ["TIME", "12-00-01_000"],
        ["TIMESTAMP(3)", "2024-01-02-03-04-05_006"],
        ["TIMESTAMP_LTZ(3)", "2024-01-02-03-04-05_"],
        ["BYTES", "00ff"],
        ["BINARY(2)", "00ff"],
        ["CHAR(2)", "eu"],
        ["STRING", "anything-at_all"],
    ])("%s: %s", (type, value) => expect(faultsOfValue(type, value)).toEqual([]));

    test.each([
        ["BOOLEAN", "TRUE"],
        ["INT", "007"],
        ["INT", "x"],
        ["TINYINT", "-0"],
        ["DOUBLE", "1"],
        ["DATE", "2024-13-45"],
        ["DATE", "20240102"],
        ["TIME", "12-00"],
        ["TIMESTAMP(3)", "2024-01-02"],
        ["BYTES", "zz"],
        ["BINARY(2)", "00"],
        ["CHAR(2)", "e"],
    ])("%s: not %s", (type, value) => {
        expect(faultsOfValue(type, value)).toEqual([
            expect.stringMatching(
                /^table\.partitions\[0\]\.p = .*no row would ever get into it\. write it like/,
            ),
        ]);
    });
});

test("what is no table cannot be liked, and says so", () => {
    const self: Record<string, unknown> = { ...base };
    self["like"] = self;
    for (const like of ["finance.trades", null, 7, self]) {
        const declared = { ...base, like };
        const { error } = tableSpec.safeParse(declared);
        expect(zodFaults(error!, declared, "table").map(faultLine)).toEqual([
            expect.stringMatching(
                /^table\.like.*is no table that this one can be like\. give the spec of the other table/,
            ),
        ]);
    }
    expect(tableSpec.parse({ ...base, like: undefined })).toEqual(base);
});
