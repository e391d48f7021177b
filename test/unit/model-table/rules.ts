import { expect } from "vitest";
import { type TableCapabilities, type TableSpec, validateTable } from "../../../model/table.ts";

/** Clusters of 0.9 without and with a lake, and one of 1.0. */
export const plain = { server: "0.9", lake: "none" } as const;
export const iceberg = { server: "0.9", lake: "iceberg" } as const;
export const newer = { server: "1.0", lake: "iceberg" } as const;

/** A table with many types to build faulty ones from. */
export const base: TableSpec = {
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
/** That table with options, and with whatever else. */
export const option = (options: Record<string, string>, more: Partial<TableSpec> = {}) => ({
    ...base,
    ...more,
    options,
});
export const keyed = { primaryKey: ["id"] };

/** A table at fault, and what the one rule says that it breaks. */
export type RuleCase = [
    name: string,
    spec: TableSpec,
    capabilities: TableCapabilities,
    path: string,
    reason: RegExp,
];

/** The body of a test of {@link RuleCase}s. */
export function expectFault(...[, spec, capabilities, path, reason]: RuleCase): void {
    const faults = validateTable(spec, capabilities);
    expect(faults.map((fault) => fault.path)).toEqual([path]);
    expect(faults[0]?.reason).toMatch(reason);
    expect(faults[0]?.fix).not.toBe("");
}
