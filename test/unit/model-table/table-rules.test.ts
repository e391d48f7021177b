import { describe, expect, test } from "vitest";
import { type TableCapabilities, type TableSpec, validateTable } from "../../../model/table.ts";
import { base, expectFault, iceberg, keyed, newer, option, plain, type RuleCase } from "./rules.ts";
import { accounts, trades } from "./tables.ts";

test.each([plain, iceberg, newer])("the quickstart's tables are without fault for %o", (capabilities) => {
    expect(validateTable(accounts, capabilities)).toEqual([]);
    if (capabilities.lake === "iceberg") expect(validateTable(trades, capabilities)).toEqual([]);
});

describe("each rule names the path and the server's reason", () => {
    test.each<RuleCase>([
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
    ])("%s", expectFault);

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
    test.each<[string, TableSpec, TableCapabilities]>([
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
