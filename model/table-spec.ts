import * as z from "zod";
import { normalColumnType } from "./column-types.ts";
import { strict } from "./faults.ts";
import { expandLike } from "./table-like.ts";
import { allOptions, isOptionName } from "./table-options.ts";
import type { TableOptions } from "./table-options-type.ts";

export type { TableOptions } from "./table-options-type.ts";

/** A column: its Flink SQL type without NOT NULL (that is `nullable: false`; default true) and an optional comment. */
export const columnSpec = strict({
    name: z.string().min(1),
    type: z.string().min(1),
    nullable: z.boolean().optional(),
    comment: z.string().optional(),
});
export type ColumnSpec = z.output<typeof columnSpec>;

/**
 * A column that Flink computes from others when a query reads it; Fluss stores nothing for it. The expression is Flink
 * SQL. In the table these columns stand behind the stored ones. Fluss cannot change them later.
 */
export const computedColumnSpec = strict({
    name: z.string().min(1),
    expression: z.string().min(1),
    comment: z.string().optional(),
});
export type ComputedColumnSpec = z.output<typeof computedColumnSpec>;

/**
 * The watermark: a column of TIMESTAMP or TIMESTAMP_LTZ with at most milliseconds, stored or computed, and the expression
 * that gives the time up to which all rows have come, as Flink SQL: `` `at` - INTERVAL '5' SECOND ``.
 */
export const watermarkSpec = strict({ column: z.string().min(1), expression: z.string().min(1) });
export type WatermarkSpec = z.output<typeof watermarkSpec>;

/**
 * A Fluss table. With a primary key it keeps the last row of each key; without one it is a log.
 * `bucketKey` is by default the primary key without the partition keys, `bucketCount` what the cluster has as default.
 * `partitions` are those that shall exist, each with the value of every partition key; others, which writers make by
 * themselves, are left alone. A table with auto-partitioning has none declared.
 * `options` go into WITH under their real names: `table.*`, `fields.*`, `iceberg.*`, connector options. `custom` are properties
 * of one's own, which Fluss stores and nobody reads.
 */
const tableFields = strict({
    database: z.string().min(1),
    name: z.string().min(1),
    columns: z.array(columnSpec).min(1),
    computedColumns: z.array(computedColumnSpec).optional(),
    watermark: watermarkSpec.optional(),
    primaryKey: z.array(z.string()).min(1).optional(),
    partitionKeys: z.array(z.string()).min(1).optional(),
    partitions: z.array(z.record(z.string(), z.string())).optional(),
    bucketKey: z.array(z.string()).min(1).optional(),
    bucketCount: z.number().int().optional(),
    options: z.record(z.string(), z.string()).default({}),
    custom: z.record(z.string(), z.string()).optional(),
    comment: z.string().optional(),
});
export type TableSpec = z.output<typeof tableFields>;

/** Reads a {@link TableSpecArgs}: what `like` names is filled in, and `options` are there. */
export const tableSpec = z.preprocess((declared, context) => {
    const expanded = expandLike(declared);
    if (!hasStrangeLike(expanded)) return expanded;
    const { like, ...others } = expanded;
    if (like !== undefined) {
        const fix = "give the spec of the other table itself, and not its name";
        context.issues.push({
            code: "custom",
            path: ["like"],
            input: like,
            message: "is no table that this one can be like",
            params: { fix },
        });
    }
    return others;
}, tableFields);

/** What is no table is left by `expandLike`, and so is a table that is like itself. */
function hasStrangeLike(declared: unknown): declared is { like: unknown } {
    return typeof declared === "object" && declared !== null && "like" in declared;
}

/**
 * A table as programs declare it. Those fields of {@link TableSpec} that have a default may be left out, names of options
 * are checked by the compiler, and with `like` only what differs from another table is said: a new `database` and `name`,
 * columns that stand behind the other's, options that come on top of its own; any other field takes the place of the other
 * table's, and `undefined` takes it away. Partitions and comment of the other table are not taken.
 */
export type TableSpecArgs = Omit<z.input<typeof tableFields>, "columns" | "options"> & {
    options?: TableOptions;
} & ({ columns: ColumnSpec[]; like?: TableSpecArgs } | { columns?: ColumnSpec[]; like: TableSpecArgs });

/** What the cluster can do, as far as tables depend on it: the server's line, and its lake (`datalake.format`). */
export const tableCapabilities = strict({
    server: z.enum(["0.9", "1.0"]),
    lake: z.enum(["iceberg", "none"]),
});
export type TableCapabilities = z.output<typeof tableCapabilities>;

/** The columns that the table's rows are spread by; undefined for a log table without a bucket key. */
export function effectiveBucketKey(spec: TableSpec): string[] | undefined {
    if (spec.bucketKey) return spec.bucketKey;
    return spec.primaryKey?.filter((column) => !spec.partitionKeys?.includes(column));
}

/**
 * The one form of a spec: types in their one spelling, primary key columns NOT NULL, nothing that says no more than the
 * default, options sorted by name. Two specs that mean the same table have the same form.
 * @throws ColumnTypeError when a type is not one of Fluss; `validateTable` says that in better words.
 */
export function normalTable(spec: TableSpec): TableSpec {
    const isDefault =
        String(spec.bucketKey) === String(effectiveBucketKey({ ...spec, bucketKey: undefined }));
    return {
        database: spec.database,
        name: spec.name,
        columns: spec.columns.map((column) => normalColumn(column, spec.primaryKey?.includes(column.name))),
        ...(spec.computedColumns?.length && { computedColumns: spec.computedColumns.map(normalComputed) }),
        ...(spec.watermark && {
            watermark: { column: spec.watermark.column, expression: spec.watermark.expression.trim() },
        }),
        ...(spec.primaryKey && { primaryKey: spec.primaryKey }),
        ...(spec.partitionKeys && { partitionKeys: spec.partitionKeys }),
        ...(spec.partitions?.length && { partitions: normalPartitions(spec) }),
        ...(spec.bucketKey && !isDefault && { bucketKey: spec.bucketKey }),
        ...(spec.bucketCount !== undefined && { bucketCount: spec.bucketCount }),
        ...normalOptions(spec),
        ...(spec.comment && { comment: spec.comment }),
    };
}

/** The name of a partition as SHOW PARTITIONS prints it: `dt=2024-01-01/region=eu`, in the order of the partition keys. */
export function partitionName(keys: readonly string[], partition: Record<string, string>): string {
    return keys.map((key) => `${key}=${partition[key]}`).join("/");
}

/** Each option where it belongs, which is also where SHOW CREATE TABLE is read into. */
function normalOptions(spec: TableSpec): Pick<TableSpec, "options" | "custom"> {
    const sorted = Object.entries(allOptions(spec)).sort(([one], [other]) => (one < other ? -1 : 1));
    const custom = sorted.filter(([key]) => !isOptionName(key));
    return {
        options: Object.fromEntries(sorted.filter(([key]) => isOptionName(key))),
        ...(custom.length > 0 && { custom: Object.fromEntries(custom) }),
    };
}

function normalPartitions({ partitionKeys = [], partitions = [] }: TableSpec): Record<string, string>[] {
    const named = partitions.map((partition): [string, Record<string, string>] => [
        partitionName(partitionKeys, partition),
        Object.fromEntries(
            [...partitionKeys, ...Object.keys(partition)].flatMap((key) => {
                const value = partition[key];
                return value === undefined ? [] : [[key, value]];
            }),
        ),
    ]);
    return named.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, partition]) => partition);
}

function normalComputed({ name, expression, comment }: ComputedColumnSpec): ComputedColumnSpec {
    return { name, expression: expression.trim(), ...(comment && { comment }) };
}

function normalColumn(column: ColumnSpec, inPrimaryKey = false): ColumnSpec {
    const nullable = !inPrimaryKey && column.nullable !== false;
    return {
        name: column.name,
        type: normalColumnType(column.type, nullable),
        nullable,
        ...(column.comment && { comment: column.comment }),
    };
}
