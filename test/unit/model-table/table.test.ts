import { describe, expect, test } from "vitest";
import { normalTable, type TableSpec, tableSpec, validateTable } from "../../../model/table.ts";
import { isAlterable, parseDuration, sameOptionValue, tableOptions } from "../../../model/table-options.ts";
import { accounts, trades } from "./tables.ts";

const plain = { server: "0.9", lake: "none" } as const;
const iceberg = { server: "0.9", lake: "iceberg" } as const;
const newer = { server: "1.0", lake: "iceberg" } as const;

/** A table with many types to build faulty ones from. */
const base: TableSpec = {
    database: "d",
    name: "t",
    columns: [
        { name: "id", type: "INT" },
        { name: "dt", type: "STRING" },
        { name: "day", type: "DATE" },
        { name: "flag", type: "BOOLEAN" },
        { name: "price", type: "DECIMAL(5, 1)" },
        { name: "tags", type: "MAP<STRING, INT>" },
        { name: "n", type: "BIGINT" },
    ],
    options: {},
};
const option = (options: Record<string, string>, more: Partial<TableSpec> = {}) => ({
    ...base,
    ...more,
    options,
});
const keyed = { primaryKey: ["id"] };

test.each([plain, iceberg, newer])("the quickstart's tables are without fault for %o", (capabilities) => {
    expect(validateTable(accounts, capabilities)).toEqual([]);
    if (capabilities.lake === "iceberg") expect(validateTable(trades, capabilities)).toEqual([]);
});

describe("each rule names the path and the server's reason", () => {
    test.each<[string, TableSpec, typeof plain | typeof iceberg | typeof newer, string, RegExp]>([
        [
            "database name",
            { ...base, database: "dot.ted" },
            plain,
            "table.database",
            /other than ASCII letters, digits/,
        ],
        ["internal name", { ...base, name: "__t" }, plain, "table.name", /starts with '__'.*internal tables/],
        ["long name", { ...base, name: "x".repeat(201) }, plain, "table.name", /200/],
        ["virtual name", { ...base, name: "t$lake" }, plain, "table.name", /ASCII/],
        [
            "reserved column",
            { ...base, columns: [{ name: "__offset", type: "INT" }] },
            plain,
            "table.columns[0].name",
            /reserved system column/,
        ],
        [
            "line break in a name",
            { ...base, columns: [{ name: "a\nb", type: "INT" }] },
            plain,
            "table.columns[0].name",
            /holds a line break/,
        ],
        [
            "same column twice",
            { ...base, columns: [...base.columns, { name: "id", type: "INT" }] },
            plain,
            "table.columns[7].name",
            /earlier column/,
        ],
        [
            "type",
            { ...base, columns: [{ name: "a", type: "VARCHAR(255)" }] },
            plain,
            "table.columns[0].type",
            /VARCHAR\(255\) is unsupported/,
        ],
        [
            "NOT NULL in the type",
            { ...base, columns: [{ name: "a", type: "INT NOT NULL" }] },
            plain,
            "table.columns[0].type",
            /not part of the type/,
        ],
        [
            "secret in a comment",
            { ...base, comment: "${secret_values.fluss-password}" },
            plain,
            "table.comment",
            /refers to a secret value/,
        ],
        [
            "key column missing",
            { ...base, primaryKey: ["idd"] },
            plain,
            "table.primaryKey[0]",
            /does not exist/,
        ],
        ["key column twice", { ...base, primaryKey: ["id", "id"] }, plain, "table.primaryKey[1]", /twice/],
        [
            "nested key",
            { ...base, primaryKey: ["tags"] },
            plain,
            "table.primaryKey[0]",
            /unsupported data type MAP/,
        ],
        [
            "nested bucket key",
            { ...base, bucketKey: ["tags"] },
            plain,
            "table.bucketKey[0]",
            /unsupported data type MAP/,
        ],
        [
            "nullable key",
            { ...base, ...keyed, columns: [{ name: "id", type: "INT", nullable: true }] },
            plain,
            "table.columns[0].nullable",
            /NOT NULL/,
        ],
        [
            "partition key outside the primary key",
            { ...base, ...keyed, partitionKeys: ["dt"] },
            plain,
            "table.partitionKeys[0]",
            /partition key dt is part of the primary key \[id\]/,
        ],
        [
            "partition type",
            { ...base, partitionKeys: ["price"] },
            plain,
            "table.partitionKeys[0]",
            /has type DECIMAL/,
        ],
        [
            "primary key is the partition key",
            { ...base, primaryKey: ["dt"], partitionKeys: ["dt"] },
            plain,
            "table.primaryKey",
            /same as the partition keys/,
        ],
        [
            "bucket key is a partition key",
            { ...base, partitionKeys: ["dt"], bucketKey: ["dt"] },
            plain,
            "table.bucketKey",
            /shouldn't include any column of the partition keys/,
        ],
        [
            "bucket key outside the primary key",
            { ...base, ...keyed, bucketKey: ["n"] },
            plain,
            "table.bucketKey",
            /subset of the primary key.*\[id\]/,
        ],
        ["no bucket", { ...base, bucketCount: 0 }, plain, "table.bucketCount", /larger than 0/],
        [
            "too many buckets, 0.9",
            { ...base, bucketCount: 128_001 },
            plain,
            "table.bucketCount",
            /maximum limit 128000/,
        ],
        [
            "too many buckets, 1.0",
            { ...base, bucketCount: 4097 },
            newer,
            "table.bucketCount",
            /maximum limit 4096/,
        ],
        [
            "unknown option",
            option({ "table.log.tll": "1d" }),
            plain,
            'table.options["table.log.tll"]',
            /not a recognized/,
        ],
        [
            "newer option",
            option({ "table.log.local-ttl": "1d" }),
            plain,
            'table.options["table.log.local-ttl"]',
            /1\.0/,
        ],
        [
            "value",
            option({ "table.log.ttl": "notadur" }),
            plain,
            'table.options["table.log.ttl"]',
            /takes a duration/,
        ],
        [
            "choice",
            option({ "table.log.format": "avro" }),
            plain,
            'table.options["table.log.format"]',
            /no such value/,
        ],
        [
            "no table.",
            option({ "datalake.enabled": "true" }),
            plain,
            'table.options["datalake.enabled"]',
            /no effect/,
        ],
        [
            "bucket.num",
            option({ "bucket.num": "3" }),
            plain,
            'table.options["bucket.num"]',
            /field of its own/,
        ],
        [
            "password",
            option({ "client.security.sasl.password": "x" }),
            plain,
            'table.options["client.security.sasl.password"]',
            /option of the catalog/,
        ],
        [
            "level",
            option({ "table.log.arrow.compression.zstd.level": "23" }),
            plain,
            'table.options["table.log.arrow.compression.zstd.level"]',
            /between 1 and 22/,
        ],
        [
            "segments",
            option({ "table.log.tiered.local-segments": "0" }),
            plain,
            'table.options["table.log.tiered.local-segments"]',
            /greater than 0/,
        ],
        [
            "local ttl",
            option({ "table.log.local-ttl": "8d" }),
            newer,
            'table.options["table.log.local-ttl"]',
            /less than or equal to table\.log\.ttl/,
        ],
        [
            "log format of a primary key table",
            option({ "table.log.format": "INDEXED" }, keyed),
            plain,
            'table.options["table.log.format"]',
            /ARROW and COMPACTED/,
        ],
        [
            "auto partition without partitions",
            option({ "table.auto-partition.enabled": "true" }),
            plain,
            'table.options["table.auto-partition.enabled"]',
            /only supported for a partitioned table/,
        ],
        [
            "auto partition, two keys",
            option(
                { "table.auto-partition.enabled": "true", "table.auto-partition.num-retention": "7" },
                { partitionKeys: ["dt", "day"] },
            ),
            plain,
            'table.options["table.auto-partition.key"]',
            /must set one auto partition key/,
        ],
        [
            "auto partition, retention not said",
            option({ "table.auto-partition.enabled": "true" }, { partitionKeys: ["dt"] }),
            plain,
            'table.options["table.auto-partition.num-retention"]',
            /drops all partitions but the last 7/,
        ],
        [
            "auto partition, other key",
            option(
                {
                    "table.auto-partition.enabled": "true",
                    "table.auto-partition.num-retention": "7",
                    "table.auto-partition.key": "n",
                },
                { partitionKeys: ["dt"] },
            ),
            plain,
            'table.options["table.auto-partition.key"]',
            /is not a partition key \[dt\]/,
        ],
        [
            "auto partition, pre-create",
            option(
                {
                    "table.auto-partition.enabled": "true",
                    "table.auto-partition.num-retention": "7",
                    "table.auto-partition.key": "dt",
                    "table.auto-partition.num-precreate": "2",
                },
                { partitionKeys: ["dt", "flag"] },
            ),
            plain,
            'table.options["table.auto-partition.num-precreate"]',
            /must be set to 0/,
        ],
        [
            "auto partition by DATE",
            option(
                { "table.auto-partition.enabled": "true", "table.auto-partition.num-retention": "7" },
                { partitionKeys: ["day"] },
            ),
            newer,
            'table.options["table.auto-partition.time-format"]',
            /must be 'yyyy-MM-dd'/,
        ],
        [
            "merge engine",
            option({ "table.merge-engine": "first_row" }),
            plain,
            'table.options["table.merge-engine"]',
            /only supported in a primary key/,
        ],
        [
            "standby replica of a log",
            option({ "table.kv.standby-replica.enabled": "true" }),
            newer,
            'table.options["table.kv.standby-replica.enabled"]',
            /can only be altered on primary key tables/,
        ],
        [
            "version column missing",
            option({ "table.merge-engine": "versioned" }, keyed),
            plain,
            'table.options["table.merge-engine.versioned.ver-column"]',
            /must be set/,
        ],
        [
            "version column type",
            option(
                { "table.merge-engine": "versioned", "table.merge-engine.versioned.ver-column": "dt" },
                keyed,
            ),
            plain,
            'table.options["table.merge-engine.versioned.ver-column"]',
            /INT, BIGINT, TIMESTAMP, TIMESTAMP_LTZ, but got STRING/,
        ],
        [
            "deletes with a merge engine",
            option({ "table.merge-engine": "first_row", "table.delete.behavior": "allow" }, keyed),
            plain,
            'table.options["table.delete.behavior"]',
            /does not support delete/,
        ],
        [
            "aggregation without full changelog",
            option({ "table.merge-engine": "aggregation", "table.changelog.image": "WAL" }, keyed),
            plain,
            'table.options["table.changelog.image"]',
            /WAL/,
        ],
        [
            "auto increment, log",
            option({ "auto-increment.fields": "n" }),
            plain,
            'table.options["auto-increment.fields"]',
            /primary key table/,
        ],
        [
            "auto increment type",
            option({ "auto-increment.fields": "dt" }, keyed),
            plain,
            'table.options["auto-increment.fields"]',
            /INT or BIGINT/,
        ],
        [
            "lake on a cluster without one",
            option({ "table.datalake.enabled": "true" }),
            plain,
            'table.options["table.datalake.enabled"]',
            /cluster doesn't enable datalake/,
        ],
        [
            "composite key in the lake",
            option({ "table.datalake.enabled": "true" }, { primaryKey: ["id", "n"] }),
            iceberg,
            "table.primaryKey",
            /only one bucket key is supported for Iceberg.*cannot be created/,
        ],
        [
            "composite key beside the lake: fails late",
            { ...base, primaryKey: ["id", "n"] },
            newer,
            "table.primaryKey",
            /only one bucket key.*every write to it fails/,
        ],
        [
            "bucket key type, late",
            { ...base, primaryKey: ["flag"] },
            iceberg,
            "table.primaryKey",
            /cannot bucket by the type BOOLEAN.*every write/,
        ],
        [
            "partition type in the lake",
            option({ "table.datalake.enabled": "true" }, { partitionKeys: ["day"] }),
            iceberg,
            "table.partitionKeys[0]",
            /only support string type for Iceberg/,
        ],
        [
            "other format",
            option({ "table.datalake.enabled": "true", "table.datalake.format": "paimon" }),
            iceberg,
            'table.options["table.datalake.format"]',
            /must match the cluster's/,
        ],
    ])("%s", (_name, spec, capabilities, path, reason) => {
        const faults = validateTable(spec, capabilities);
        expect(faults.map((fault) => fault.path)).toEqual([path]);
        expect(faults[0]?.reason).toMatch(reason);
        expect(faults[0]?.fix).not.toBe("");
    });

    test("all faults come at once", () => {
        const spec = {
            ...base,
            name: "__x",
            columns: [{ name: "a", type: "VARCHAR(3)" }],
            primaryKey: ["b"],
            bucketCount: 0,
            options: { "table.bogus": "1", "table.log.ttl": "soon" },
        };
        expect(validateTable(spec, plain).map(({ path }) => path)).toEqual([
            "table.name",
            "table.columns[0].type",
            "table.primaryKey[0]",
            "table.bucketCount",
            'table.options["table.bogus"]',
            'table.options["table.log.ttl"]',
        ]);
    });
});

describe("what is allowed", () => {
    test.each<[string, TableSpec, typeof plain | typeof iceberg | typeof newer]>([
        ["composite key on a cluster without a lake", { ...base, primaryKey: ["id", "n"] }, plain],
        [
            "composite key with one bucket key",
            { ...base, primaryKey: ["id", "n"], bucketKey: ["id"] },
            iceberg,
        ],
        [
            "composite key that stays out of the lake for ever",
            option({ "table.datalake.format": "lance" }, { primaryKey: ["id", "n"] }),
            iceberg,
        ],
        ["partition key of another type than STRING", { ...base, partitionKeys: ["day"] }, plain],
        ["nested columns", base, newer],
        [
            "custom and lake properties",
            option({ "iceberg.write.format.default": "orc" }, { custom: { owner: "desk" } }),
            plain,
        ],
        ["names with a hyphen", { ...base, name: "we-ird" }, plain],
    ])("%s", (_name, spec, capabilities) => expect(validateTable(spec, capabilities)).toEqual([]));
});

test("a slip is answered with the nearest name", () => {
    const [fault] = validateTable(option({ "table.datalake.freshnes": "30s" }), iceberg);
    expect(fault?.fix).toBe("did you mean table.datalake.freshness?");
    const [column] = validateTable({ ...base, primaryKey: ["prce"] }, plain);
    expect(column?.fix).toBe("did you mean price?");
});

test("the schema refuses unknown fields and fills in the options", () => {
    expect(
        tableSpec.parse({ database: "d", name: "t", columns: [{ name: "a", type: "INT" }] }).options,
    ).toEqual({});
    expect(tableSpec.safeParse({ ...base, primarykey: ["id"] }).success).toBe(false);
    expect(tableSpec.safeParse({ ...base, columns: [] }).success).toBe(false);
});

test("the normal form says the same once", () => {
    const wordy: TableSpec = {
        ...accounts,
        columns: accounts.columns.map((column) => ({ ...column, comment: "" })),
        bucketKey: ["account_id"],
        comment: "",
        options: { "table.log.ttl": "1d", "iceberg.x": "2" },
        custom: { z: "1", a: "2" },
    };
    const normal = normalTable(wordy);
    expect(normal.bucketKey).toBeUndefined();
    expect(normal.columns[0]).toEqual({ name: "account_id", type: "INT", nullable: false });
    expect(Object.keys(normal.options)).toEqual(["iceberg.x", "table.log.ttl"]);
    expect(Object.keys(normal.custom ?? {})).toEqual(["a", "z"]);
    expect(normalTable(normal)).toEqual(normal);
});

test("what ALTER TABLE takes, as observed on 0.9.1 and as the source of 1.0 lists it", () => {
    const alterable = (server: "0.9" | "1.0") =>
        Object.keys(tableOptions).filter((key) => isAlterable(key, server));
    expect(alterable("0.9").sort()).toEqual([
        "table.datalake.enabled",
        "table.datalake.freshness",
        "table.log.tiered.local-segments",
    ]);
    expect(alterable("1.0")).toHaveLength(12);
    expect(isAlterable("bucket.num", "1.0")).toBe(false);
    expect(isAlterable("owner", "0.9")).toBe(true);
});

test.each([
    ["30s", 30_000],
    ["3 min", 180_000],
    ["7 d", 604_800_000],
    ["168h", 604_800_000],
    ["250", 250],
    ["1 fortnight", undefined],
    ["-1s", undefined],
])("the duration %s", (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

test("values are compared by what they mean", () => {
    expect(sameOptionValue("table.log.ttl", "7d", "168 hours")).toBe(true);
    expect(sameOptionValue("table.datalake.enabled", "TRUE", "true")).toBe(true);
    expect(sameOptionValue("table.log.format", "arrow", "ARROW")).toBe(true);
    expect(sameOptionValue("owner", "Desk", "desk")).toBe(false);
    expect(sameOptionValue("owner", undefined, "")).toBe(false);
});
