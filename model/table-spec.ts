import * as z from "zod";
import { normalColumnType } from "./column-types.ts";
import { strict } from "./faults.ts";

/** A column: its Flink SQL type without NOT NULL (that is `nullable: false`; default true) and an optional comment. */
export const columnSpec = strict({
    name: z.string().min(1),
    type: z.string().min(1),
    nullable: z.boolean().optional(),
    comment: z.string().optional(),
});
export type ColumnSpec = z.output<typeof columnSpec>;

/**
 * A Fluss table. With a primary key it keeps the last row of each key; without one it is a log.
 * `bucketKey` is by default the primary key without the partition keys, `bucketCount` what the cluster has as default.
 * `options` go into WITH under their real names: `table.*`, connector options, `iceberg.*`, custom ones.
 */
export const tableSpec = strict({
    database: z.string().min(1),
    name: z.string().min(1),
    columns: z.array(columnSpec).min(1),
    primaryKey: z.array(z.string()).min(1).optional(),
    partitionKeys: z.array(z.string()).min(1).optional(),
    bucketKey: z.array(z.string()).min(1).optional(),
    bucketCount: z.number().int().optional(),
    options: z.record(z.string(), z.string()).default({}),
    comment: z.string().optional(),
});
export type TableSpec = z.output<typeof tableSpec>;

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
        ...(spec.primaryKey && { primaryKey: spec.primaryKey }),
        ...(spec.partitionKeys && { partitionKeys: spec.partitionKeys }),
        ...(spec.bucketKey && !isDefault && { bucketKey: spec.bucketKey }),
        ...(spec.bucketCount !== undefined && { bucketCount: spec.bucketCount }),
        options: Object.fromEntries(
            Object.entries(spec.options).sort(([one], [other]) => (one < other ? -1 : 1)),
        ),
        ...(spec.comment && { comment: spec.comment }),
    };
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
