import type { Fault } from "./faults.ts";
import type { PlanContext } from "./plan-context.ts";
import { type ColumnSpec, effectiveBucketKey, type TableSpec } from "./table.ts";
import { at } from "./table-fault.ts";
import { isLakeEnabled } from "./table-rules-lake.ts";

/** Changes of everything that is fixed when a table is created, apart from columns and options. Both specs are normal. */
export function keyChanges(from: TableSpec, to: TableSpec): Fault[] {
    const fixed: [string, string, string][] = [
        ["database", from.database, to.database],
        ["name", from.name, to.name],
        ["primaryKey", text(from.primaryKey), text(to.primaryKey)],
        ["partitionKeys", text(from.partitionKeys), text(to.partitionKeys)],
        ["bucketKey", text(effectiveBucketKey(from)), text(effectiveBucketKey(to))],
        ["bucketCount", text(from.bucketCount), text(to.bucketCount)],
        ["comment", text(from.comment), text(to.comment)],
    ];
    return fixed
        .filter(([, before, after]) => before !== after)
        .map(([field, before, after]) => ({
            path: at(field),
            value: after,
            reason: `Fluss cannot change it on a table that exists (it is ${before}); ${lossOf(from)}`,
            fix: field === "comment" ? `keep ${before}` : `keep ${before}, or ${migration(from)}`,
        }));
}

/** What changed about the columns: those to add, and a fault for each change that the server cannot make. */
export function columnChanges(
    from: TableSpec,
    to: TableSpec,
    context: PlanContext,
): { added: ColumnSpec[]; faults: Fault[] } {
    const before = new Map(from.columns.map((column) => [column.name, column]));
    const kept = to.columns.filter((column) => before.has(column.name));
    const added = to.columns.filter((column) => !before.has(column.name));
    const faults = [
        ...droppedFaults(from, to),
        ...kept.flatMap((column) => modifiedFaults(from, to, before.get(column.name)!, column)),
    ];
    if (faults.length === 0) faults.push(...orderFaults(from, to));
    faults.push(...added.flatMap((column) => addedFaults(from, to, column)));
    if (added.length > 0 && context.server === "0.9" && context.lake === "iceberg" && isLakeEnabled(from)) {
        faults.push({
            path: at("columns"),
            value: added.map((column) => column.name).join(", "),
            reason:
                "Fluss 0.9 cannot add columns to a table in an Iceberg lake (Unsupported table change: AddColumn); " +
                lossOf(from),
            fix: "upgrade the cluster to Fluss 1.0, which can",
        });
    }
    return { added, faults };
}

function droppedFaults(from: TableSpec, to: TableSpec): Fault[] {
    return from.columns
        .filter((column) => !to.columns.some((other) => other.name === column.name))
        .map((column) => ({
            path: at("columns"),
            value: column.name,
            reason:
                `Fluss cannot drop or rename a column, and ${column.name} is gone from the spec; ` +
                lossOf(from),
            fix: `keep ${column.name} (a column that nobody writes holds NULL), or ${migration(from)}`,
        }));
}

function modifiedFaults(from: TableSpec, to: TableSpec, before: ColumnSpec, after: ColumnSpec): Fault[] {
    const index = to.columns.indexOf(after);
    const fields = [
        ["type", before.type, after.type],
        ["nullable", String(before.nullable), String(after.nullable)],
        ["comment", text(before.comment), text(after.comment)],
    ] as const;
    return fields
        .filter(([, one, other]) => one !== other)
        .map(([field, one, other]) => ({
            path: at("columns", index, field),
            value: other,
            reason: `Fluss cannot modify the column ${after.name} (${field} is ${one}); ${lossOf(from)}`,
            fix:
                field === "type"
                    ? `keep ${one} and add a new nullable column at the end, or ${migration(from)}`
                    : `keep ${one}`,
        }));
}

function orderFaults(from: TableSpec, to: TableSpec): Fault[] {
    const wrong = from.columns.findIndex((column, index) => to.columns[index]?.name !== column.name);
    if (wrong < 0) return [];
    return [
        {
            path: at("columns", wrong),
            value: to.columns[wrong]?.name,
            reason: `Fluss adds columns at the end only and cannot move them; ${from.columns[wrong]?.name} is expected here`,
            fix: "keep the old columns first and in their order, and put new ones behind them",
        },
    ];
}

function addedFaults(from: TableSpec, to: TableSpec, column: ColumnSpec): Fault[] {
    if (column.nullable !== false) return [];
    return [
        {
            path: at("columns", to.columns.indexOf(column), "nullable"),
            value: "false",
            reason: `the new column ${column.name} must be nullable: the rows of ${from.name} have no value for it`,
            fix: "leave nullable out",
        },
    ];
}

/** What a replacement would lose; it is never done silently. */
export function lossOf(table: TableSpec): string {
    const lake = isLakeEnabled(table)
        ? " (its Iceberg table would stay, and block a new one of the same name)"
        : "";
    return `replacing ${table.database}.${table.name} would lose all its rows in Fluss${lake}`;
}

function migration(table: TableSpec): string {
    return `declare a second table next to ${table.name}, copy the rows with INSERT INTO … SELECT, and move its readers`;
}

function text(value: string | number | string[] | undefined): string {
    return value === undefined
        ? "not set"
        : Array.isArray(value)
          ? value.join(", ") || "not set"
          : String(value);
}
