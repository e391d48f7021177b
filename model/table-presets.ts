import type { ColumnSpec, TableOptions, TableSpec } from "./table-spec.ts";

/** The columns of a preset by name: a type, or a type with what else a column can say. */
export type PresetColumns = Record<string, string | Omit<ColumnSpec, "name">>;

/** What every preset takes. Everything of a spec can be said: it comes on top of what the preset says. */
export interface PresetArgs extends Partial<Omit<TableSpec, "columns" | "options">> {
    database: string;
    name: string;
    options?: TableOptions;
    /** In the order of the table: `{ id: "BIGINT", note: { type: "STRING", comment: "free text" } }`. */
    columns: PresetColumns;
}

/** A log table: every row that is written stays, in the order of its bucket. */
export function logTable({ columns, options = {}, ...rest }: PresetArgs): TableSpec {
    const listed = Object.entries(columns).map(([name, column]): ColumnSpec => {
        return typeof column === "string" ? { name, type: column } : { name, ...column };
    });
    return { ...rest, columns: listed, options: { ...options } };
}

/** A primary key table: the last row of each key stays. */
export function primaryKeyTable(args: PresetArgs & { primaryKey: string[] }): TableSpec {
    return logTable(args);
}

/**
 * A log table whose rows are tiered into the lake.
 * @param args.freshness how far the lake may be behind, as a duration; default the server's, 3 minutes
 */
export function lakeLogTable({ freshness, ...args }: PresetArgs & { freshness?: string }): TableSpec {
    return logTable({ ...args, options: { ...lakeOptions(freshness), ...args.options } });
}

/**
 * A primary key table whose rows are tiered into the lake. An Iceberg table has one bucket key at most (Fluss 0.9 and
 * 1.0), so for a primary key of more columns the first is taken, unless `bucketKey` says another.
 * @param args.freshness how far the lake may be behind, as a duration; default the server's, 3 minutes
 */
export function lakePrimaryKeyTable({
    freshness,
    ...args
}: PresetArgs & { primaryKey: string[]; freshness?: string }): TableSpec {
    const [first, ...others] = args.primaryKey.filter((column) => !args.partitionKeys?.includes(column));
    const bucketKey = args.bucketKey ?? (first !== undefined && others.length > 0 ? [first] : undefined);
    const spec = logTable({ ...args, options: { ...lakeOptions(freshness), ...args.options } });
    return { ...spec, ...(bucketKey && { bucketKey }) };
}

/**
 * Makes a table one with a partition a day, which the server makes ahead and drops by itself: the given one with these keys
 * and options on top. A primary key gets the column, too, as Fluss wants.
 * @param table a spec, of another preset for example
 * @param args.column the STRING column of the day, `20260131`
 * @param args.retention how many days are kept; -1 keeps all. There is no default, since the server's drops all but 7
 * @param args.timeZone of the day, `UTC`; default the zone of the server's machine
 */
export function dailyPartitioned(
    table: TableSpec,
    { column, retention, timeZone }: { column: string; retention: number; timeZone?: string },
): TableSpec {
    const { primaryKey } = table;
    return {
        ...table,
        ...(primaryKey && { primaryKey: primaryKey.includes(column) ? primaryKey : [...primaryKey, column] }),
        partitionKeys: [column],
        options: {
            ...table.options,
            "table.auto-partition.enabled": "true",
            "table.auto-partition.time-unit": "DAY",
            "table.auto-partition.num-retention": String(retention),
            ...(timeZone !== undefined && { "table.auto-partition.time-zone": timeZone }),
        },
    };
}

function lakeOptions(freshness: string | undefined): Record<string, string> {
    return {
        "table.datalake.enabled": "true",
        ...(freshness !== undefined && { "table.datalake.freshness": freshness }),
    };
}
