import { expect, test } from "vitest";
import { normalTable, type TableSpec, tableSpec } from "../../../model/table.ts";
import { isAlterable, parseDuration, sameOptionValue, tableOptions } from "../../../model/table-options.ts";
import { base } from "./rules.ts";
import { accounts } from "./tables.ts";

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
