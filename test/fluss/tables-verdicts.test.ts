import { describe, expect, test } from "vitest";
import { findTable } from "../../dynamic-providers/flink-sql/look.ts";
import { createTable, dropTable, qualified, setOptions } from "../../model/ddl.ts";
import { faultLine } from "../../model/faults.ts";
import { tableDifferences } from "../../model/show-create.ts";
import { type TableSpec, validateTable } from "../../model/table.ts";
import { isAlterable, tableOptions } from "../../model/table-options.ts";
import { ownDatabase } from "./own-database.ts";

const capabilities = { server: "0.9", lake: "iceberg" } as const;
const { runner, database, specsOf } = ownDatabase("verdicts");

const columns = [
    { name: "id", type: "INT" },
    { name: "dt", type: "STRING" },
    { name: "region", type: "STRING" },
    { name: "day", type: "DATE" },
    { name: "flag", type: "BOOLEAN" },
    { name: "price", type: "DECIMAL(5, 1)" },
    { name: "tags", type: "MAP<STRING, INT>" },
    { name: "at", type: "TIMESTAMP(3)" },
    { name: "micros", type: "TIMESTAMP(6)" },
];
const table = specsOf(columns);
const keyed = (options: Record<string, string> = {}, part: Partial<TableSpec> = {}) =>
    table({ primaryKey: ["id"], options, ...part });
const auto = (options: Record<string, string> = {}, part: Partial<TableSpec> = {}) =>
    table({
        partitionKeys: ["dt"],
        options: {
            "table.auto-partition.enabled": "true",
            "table.auto-partition.num-retention": "7",
            ...options,
        },
        ...part,
    });
const aggregated = (options: Record<string, string> = {}) =>
    keyed({ "table.merge-engine": "aggregation", ...options });
const lake = (options: Record<string, string> = {}, part: Partial<TableSpec> = {}) =>
    table({ options: { "table.datalake.enabled": "true", ...options }, ...part });
const of = (type: string) => table({ columns: [{ name: "a", type }] });

/** The server's refusal, or undefined when it takes the statement. */
async function refusal(statement: string): Promise<string | undefined> {
    return runner.execute(statement, "try").then(
        () => undefined,
        (error: Error & { serverMessage?: string }) => error.serverMessage ?? error.message,
    );
}

describe("the library and Fluss 0.9.1 refuse the same tables", () => {
    test.each<[string, TableSpec, RegExp]>([
        ["dot in a name", table({ name: "dot.ted" }), /other than ASCII/],
        ["internal name", table({ name: "__t" }), /'__'/],
        ["long name", table({ name: "x".repeat(201) }), /200/],
        ["reserved column", table({ columns: [{ name: "__offset", type: "INT" }] }), /reserved/],
        ["blank column", table({ columns: [{ name: " ", type: "INT" }] }), /non-whitespace|blank/],
        ["column twice", table({ columns: [...columns, columns[0]!] }), /id/],
        ["missing bucket key", table({ bucketKey: ["nope"] }), /does not exist/],
        ["nested bucket key", table({ bucketKey: ["tags"] }), /unsupported data type MAP/],
        ["nested primary key", table({ primaryKey: ["tags"] }), /unsupported data type MAP/],
        ["missing primary key", table({ primaryKey: ["nope"] }), /nope/],
        ["bucket key outside of the primary key", keyed({}, { bucketKey: ["dt"] }), /subset of/],
        [
            "bucket key that is a partition key",
            table({ partitionKeys: ["dt"], bucketKey: ["dt"] }),
            /shouldn't include/,
        ],
        ["partition key outside of the primary key", keyed({}, { partitionKeys: ["dt"] }), /partition key/],
        [
            "primary key that is the partition key",
            table({ primaryKey: ["dt"], partitionKeys: ["dt"] }),
            /should not be/,
        ],
        ["partition by DECIMAL", table({ partitionKeys: ["price"] }), /partition key/],
        ["no bucket", table({ bucketCount: 0 }), /larger than 0/],
        ["too many buckets", table({ bucketCount: 1_000_000 }), /maximum limit/],
        [
            "unknown option",
            table({ options: { "table.bogus": "1" } }),
            /not a recognized Fluss table property/,
        ],
        ["option of 1.0", table({ options: { "table.log.local-ttl": "1d" } }), /not a recognized/],
        [
            "statistics, an option of 1.0",
            table({ options: { "table.statistics.columns": "*" } }),
            /not a recognized/,
        ],
        ["column with a long name", table({ columns: [{ name: "n".repeat(257), type: "INT" }] }), /256/],
        ["duration beyond 64 bits", table({ options: { "table.log.ttl": "99999999999999999999d" } }), /./],
        ["duration that is none", table({ options: { "table.log.ttl": "soon" } }), /./],
        [
            "no replica",
            table({ options: { "table.replication.factor": "0" } }),
            /greater than 0|larger than 0/,
        ],
        ["unit that is none", auto({ "table.auto-partition.time-unit": "DECADE" }), /./],
        ["auto-partition without keys", auto({}, { partitionKeys: undefined }), /partitioned table/],
        [
            "auto-partition with two keys",
            auto({}, { partitionKeys: ["dt", "region"] }),
            /must set one auto partition key/,
        ],
        [
            "auto-partition ahead with two keys",
            auto(
                { "table.auto-partition.key": "dt", "table.auto-partition.num-precreate": "2" },
                { partitionKeys: ["dt", "region"] },
            ),
            /must be set to 0/,
        ],
        [
            "merge engine of a log table",
            table({ options: { "table.merge-engine": "first_row" } }),
            /primary key table/,
        ],
        ["unknown merge engine", keyed({ "table.merge-engine": "nope" }), /./],
        ["versioned without a column", keyed({ "table.merge-engine": "versioned" }), /must be set for/],
        [
            "versioned by a missing column",
            keyed({ "table.merge-engine": "versioned", "table.merge-engine.versioned.ver-column": "x" }),
            /doesn't exist/,
        ],
        [
            "versioned by text",
            keyed({ "table.merge-engine": "versioned", "table.merge-engine.versioned.ver-column": "dt" }),
            /must be one type of/,
        ],
        [
            "delete behaviour of a log table",
            table({ options: { "table.delete.behavior": "IGNORE" } }),
            /primary key table/,
        ],
        [
            "deletes with first_row",
            keyed({ "table.merge-engine": "first_row", "table.delete.behavior": "ALLOW" }),
            /does not support delete/,
        ],
        ["aggregates without old values", aggregated({ "table.changelog.image": "WAL" }), /WAL/],
        ["unknown aggregate", aggregated({ "fields.dt.agg": "nope" }), /unknown aggregation function/],
        ["sum of text", aggregated({ "fields.dt.agg": "sum" }), /must be part of/],
        ["least of a flag", aggregated({ "fields.flag.agg": "min" }), /must be part of/],
        ["aggregate of a key", aggregated({ "fields.id.agg": "sum" }), /primary key column/],
        [
            "unknown parameter",
            aggregated({ "fields.dt.agg": "listagg", "fields.dt.listagg.bogus": "x" }),
            /not supported for/,
        ],
        [
            "empty delimiter",
            aggregated({ "fields.dt.agg": "listagg", "fields.dt.listagg.delimiter": "" }),
            /empty/,
        ],
        [
            "auto-increment of a log table",
            table({ options: { "auto-increment.fields": "id" } }),
            /primary.key table/,
        ],
        ["auto-increment of a key", keyed({ "auto-increment.fields": "id" }), /primary key/],
        ["auto-increment of text", keyed({ "auto-increment.fields": "dt" }), /INT or BIGINT/],
        ["auto-increment of nothing", keyed({ "auto-increment.fields": "x" }), /does not exist/],
        ["auto-increment of two", keyed({ "auto-increment.fields": "dt,region" }), /multiple/],
        ["indexed log under a compacted table", keyed({ "table.log.format": "INDEXED" }), /kv format/],
        [
            "compression level",
            table({ options: { "table.log.arrow.compression.zstd.level": "30" } }),
            /between 1 and 22/,
        ],
        ["local segments", table({ options: { "table.log.tiered.local-segments": "0" } }), /greater than 0/],
        ["composite key in the lake", lake({}, { primaryKey: ["id", "dt"] }), /only one bucket key/],
        ["flag as the key in the lake", lake({}, { primaryKey: ["flag"] }), /./],
        ["partition by DATE in the lake", lake({}, { partitionKeys: ["day"] }), /only support string type/],
        [
            "watermark on microseconds",
            table({ watermark: { column: "micros", expression: "micros" } }),
            /TIMESTAMP/,
        ],
        ["watermark on nothing", table({ watermark: { column: "x", expression: "x" } }), /x/],
        [
            "computed column named as a stored one",
            table({ computedColumns: [{ name: "id", expression: "1" }] }),
            /id/,
        ],
        [
            "computed key",
            table({ computedColumns: [{ name: "x", expression: "1" }], partitionKeys: ["x"] }),
            /./,
        ],
    ])("%s", async (_name, spec, reason) => {
        const faults = validateTable(spec, capabilities).map(faultLine);
        expect(faults).not.toEqual([]);
        const refused = await refusal(createTable("c", spec));
        expect(refused).toMatch(new RegExp(reason, "i"));
        expect(faults.join("\n")).toMatch(new RegExp(reason, "i"));
    });

    test.each([
        "VARCHAR(5)",
        "VARBINARY(5)",
        "MULTISET<INT>",
        "INTERVAL DAY",
        "TIMESTAMP(3) WITH TIME ZONE",
        "ROW<` ` INT>",
        "ROW<a INT, a STRING>",
        `ROW<${"n".repeat(257)} INT>`,
        `${"ARRAY<".repeat(500)}INT${">".repeat(500)}`,
    ])("the type %s", async (type) => {
        expect(validateTable(of(type), capabilities)).toHaveLength(1);
        expect(await refusal(`CREATE TABLE ${qualified("c", database, "typed")} (a ${type})`)).toBeDefined();
    });
});

describe("the library and Fluss 0.9.1 take the same tables, and read them alike", () => {
    test.each<[string, TableSpec]>([
        [
            "computed columns and a watermark",
            table({
                computedColumns: [
                    { name: "year", expression: "date_format(micros, 'yyyy')" },
                    { name: "gross", expression: "((price) * 1.2) + 1" },
                    { name: "now", expression: "PROCTIME()" },
                    { name: "odd name", expression: "CAST(id AS STRING) || '; -- é漢'" },
                ],
                watermark: { column: "at", expression: "`at` - interval '5' second" },
            }),
        ],
        [
            "a watermark on a computed column",
            table({
                computedColumns: [{ name: "ts", expression: "CAST(micros AS TIMESTAMP(3))" }],
                watermark: { column: "ts", expression: "ts" },
            }),
        ],
        [
            "aggregates",
            aggregated({
                "fields.dt.agg": "listagg",
                "fields.dt.listagg.delimiter": ";",
                "fields.price.agg": "sum",
                "fields.flag.agg": "bool_or",
                "fields.at.agg": "max",
            }),
        ],
        [
            "auto-increment",
            keyed({ "auto-increment.fields": "n" }, { columns: [...columns, { name: "n", type: "BIGINT" }] }),
        ],
        ["first row", keyed({ "table.merge-engine": "first_row" })],
        [
            "versioned",
            keyed({
                "table.merge-engine": "versioned",
                "table.merge-engine.versioned.ver-column": "at",
                "table.delete.behavior": "DISABLE",
            }),
        ],
        ["changelog without old values", keyed({ "table.changelog.image": "WAL" })],
        [
            "auto-partition",
            auto({ "table.auto-partition.time-unit": "MONTH", "table.auto-partition.time-zone": "UTC" }),
        ],
        [
            "auto-partition by one of two keys",
            auto({ "table.auto-partition.key": "dt" }, { partitionKeys: ["dt", "region"] }),
        ],
        ["partition by DATE and BOOLEAN", table({ partitionKeys: ["day", "flag"] })],
        ["a lake table by day", lake({}, { partitionKeys: ["dt"] })],
        ["a composite key with one bucket key", table({ primaryKey: ["id", "dt"], bucketKey: ["id"] })],
    ])("%s", async (_name, spec) => {
        expect(validateTable(spec, capabilities)).toEqual([]);
        expect(await refusal(createTable("c", spec))).toBeUndefined();
        const found = await findTable(runner, "c", spec);
        expect(tableDifferences(spec, found!.spec)).toEqual([]);
    });
});

describe("the library refuses more than Fluss 0.9.1 where a table would fail later or surprise", () => {
    test.each<[string, TableSpec, RegExp]>([
        [
            "composite key beside the lake: writes fail",
            table({ primaryKey: ["id", "dt"] }),
            /every write to it fails/,
        ],
        [
            "retention by default",
            table({ partitionKeys: ["dt"], options: { "table.auto-partition.enabled": "true" } }),
            /all partitions but the last 7/,
        ],
        [
            "auto-partition by another key",
            auto({ "table.auto-partition.key": "id" }),
            /is not a partition key/,
        ],
        ["aggregate without the engine", keyed({ "fields.price.agg": "sum" }), /store it without effect/],
        ["another lake's format", lake({ "table.datalake.format": "paimon" }), /must match/],
        ["half a character", table({ comment: "\ud800" }), /half of a character/],
        ["slip outside of table.*", table({ options: { "log.ttl": "1d" } }), /has no effect/],
    ])("%s", async (_name, spec, reason) => {
        const faults = validateTable(spec, capabilities).map((fault) => fault.reason);
        expect(faults).toEqual([expect.stringMatching(reason)]);
        expect(await refusal(createTable("c", spec))).toBeUndefined();
    });
});

/** Another value than the default, for each option of 0.9. */
const other: Record<string, string> = {
    "table.replication.factor": "1",
    "table.log.format": "INDEXED",
    "table.log.arrow.compression.type": "NONE",
    "table.log.arrow.compression.zstd.level": "5",
    "table.kv.format": "INDEXED",
    "table.kv.format-version": "1",
    "table.auto-partition.enabled": "true",
    "table.auto-partition.key": "dt",
    "table.auto-partition.time-unit": "MONTH",
    "table.auto-partition.time-zone": "UTC",
    "table.auto-partition.num-precreate": "1",
    "table.auto-partition.num-retention": "9",
    "table.log.ttl": "9d",
    "table.log.tiered.local-segments": "3",
    "table.datalake.enabled": "true",
    "table.datalake.format": "iceberg",
    "table.datalake.freshness": "9min",
    "table.datalake.auto-compaction": "true",
    "table.datalake.auto-expire-snapshot": "true",
    "table.merge-engine": "first_row",
    "table.merge-engine.versioned.ver-column": "at",
    "table.delete.behavior": "IGNORE",
    "table.auto-increment.cache-size": "7",
    "table.changelog.image": "WAL",
};

describe("Fluss 0.9.1 alters the options that the library says", () => {
    const known = Object.keys(tableOptions).filter((key) => tableOptions[key]?.since === "0.9");
    test("every option of 0.9 is tried", () => expect(Object.keys(other).sort()).toEqual(known.sort()));

    test.each([...known, "bucket.num", "bucket.key", "auto-increment.fields", "bootstrap.servers", "owner"])(
        "%s",
        async (key) => {
            const spec = table({ primaryKey: ["id", "dt"], partitionKeys: ["dt"] });
            expect(await refusal(createTable("c", spec))).toBeUndefined();
            const refused = await refusal(setOptions("c", spec, [[key, other[key] ?? "1"]]));
            if (isAlterable(key, "0.9")) expect(refused).toBeUndefined();
            else expect(refused).toMatch(/is not supported to alter yet/);
            await runner.execute(dropTable("c", spec), "drop");
        },
    );
});
