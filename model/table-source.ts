import { isSecretOption } from "./show-create.ts";
import { effectiveBucketKey, normalTable, type TableSpec } from "./table.ts";
import { allOptions } from "./table-options.ts";
import { isAutoPartitioned } from "./table-rules-auto-partition.ts";
import { isLakeEnabled } from "./table-rules-lake.ts";
import { property, typescript } from "./typescript-source.ts";

/** A table that somebody made, as a person would declare it. */
export interface PulledTable {
    spec: TableSpec;
    /** Names of options that are left out because they look like secrets; their values are nowhere here. */
    withheld: string[];
    /**
     * The lake that the server has stamped the table with. `unknown`: the table is tiered, and what was read names no lake, or
     * one for which there are no rules.
     */
    lake: "iceberg" | "none" | "unknown";
}

/**
 * The declaration of a table that a server shows. What the server stamps on every table by itself is left out, so that the
 * declaration also holds on the next server; it plans to nothing against the table that it was made of.
 */
export function pulledTable(observed: TableSpec): PulledTable {
    const all = Object.entries(allOptions(observed));
    const withheld = all.filter(([key, value]) => isSecretOption(key, value)).map(([key]) => key);
    const options = all.filter(([key, value]) => !withheld.includes(key) && !isStamped(key, value, observed));
    if (isAutoPartitioned(observed) && observed.options[RETENTION] === undefined) {
        // The server does not print its default, and a declaration must say how much it keeps.
        options.push([RETENTION, "7"]);
    }
    const { columns, bucketCount, ...rest } = normalTable({
        ...observed,
        options: Object.fromEntries(options),
        custom: undefined,
    });
    return {
        withheld,
        lake: lakeOf(observed),
        spec: {
            ...rest,
            columns: columns.map(({ nullable, ...column }) => ({
                ...column,
                ...(nullable === false && !observed.primaryKey?.includes(column.name) && { nullable }),
            })),
            ...(bucketCount !== undefined && { bucketCount }),
        },
    };
}

/**
 * A TypeScript file with the tables as one record, by name, for the `tables` of `FlussTables`.
 * @param from what the tables are of, for the comment at the top
 */
export function tableSource(from: string, tables: readonly PulledTable[]): string {
    const entries = tables.map(({ spec, withheld }) => {
        const note =
            withheld.length > 0
                ? `    // Left out, since they look like secrets: ${withheld.join(", ")}.\n`
                : "";
        return `${note.replaceAll(/[\r\n]+(?=.)/g, " ")}    ${property(spec.name)}: ${typescript(ordered(spec), 1)},\n`;
    });
    return [
        'import type { TableSpecArgs } from "pulumi-fluss";\n\n',
        `/** ${from.replaceAll("*/", "* /")} */\n`,
        `export const tables = {\n${entries.join("")}} satisfies Record<string, TableSpecArgs>;\n`,
    ].join("");
}

const RETENTION = "table.auto-partition.num-retention";

function lakeOf(observed: TableSpec): PulledTable["lake"] {
    if (observed.options["table.datalake.format"]?.toLowerCase() === "iceberg") return "iceberg";
    return isLakeEnabled(observed) ? "unknown" : "none";
}

/** Options that the server writes on tables by itself (0.9.1 observed; read in the source for 1.0). */
function isStamped(key: string, value: string, { options, partitionKeys = [] }: TableSpec): boolean {
    switch (key) {
        case "table.replication.factor":
        case "table.datalake.format":
        case "table.kv.format-version":
            return true;
        case "table.kv.standby-replica.enabled":
            return value === "true";
        case "table.delete.behavior":
            return value.toUpperCase() === "IGNORE" && options["table.merge-engine"] !== undefined;
        case "table.auto-partition.num-precreate":
            return value === "0" && partitionKeys.length > 1;
        default:
            return false;
    }
}

/** Fields in the order in which a person reads a table. */
export function ordered(spec: TableSpec): object {
    const { database, name, columns, computedColumns, watermark, primaryKey, partitionKeys, partitions } =
        spec;
    const { bucketCount, comment, options, custom } = spec;
    const bucketKey = spec.bucketKey && effectiveBucketKey(spec);
    return {
        database,
        name,
        ...(comment !== undefined && { comment }),
        columns,
        ...(computedColumns && { computedColumns }),
        ...(watermark && { watermark }),
        ...(primaryKey && { primaryKey }),
        ...(partitionKeys && { partitionKeys }),
        ...(partitions && { partitions }),
        ...(bucketKey && { bucketKey }),
        ...(bucketCount !== undefined && { bucketCount }),
        ...(Object.keys(options).length > 0 && { options }),
        ...(custom && { custom }),
    };
}
