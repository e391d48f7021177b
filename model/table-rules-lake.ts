import type { ColumnType } from "./column-types.ts";
import type { Fault } from "./faults.ts";
import { at, listed } from "./table-fault.ts";
import { effectiveOption } from "./table-options.ts";
import { effectiveBucketKey, type TableCapabilities, type TableSpec } from "./table-spec.ts";

/**
 * Faults that come from the cluster's lake. A cluster with an Iceberg lake stamps every table with the format, tables
 * with the lake off included: such a table with a bucket key of two columns is created without a word, and then every
 * write fails. Those late failures are reported here.
 */
export function lakeFaults(
    spec: TableSpec,
    types: ReadonlyMap<string, ColumnType>,
    capabilities: TableCapabilities,
): Fault[] {
    const enabled = isLakeEnabled(spec);
    if (capabilities.lake === "none") {
        if (!enabled) return [];
        return [
            {
                path: at("options", "table.datalake.enabled"),
                value: "true",
                reason: "is enabled for the table, but the Fluss cluster doesn't enable datalake tables",
                fix: "set datalake.format on the Fluss servers, or leave the option out",
            },
        ];
    }
    const format = spec.options["table.datalake.format"]?.toLowerCase() ?? capabilities.lake;
    if (format !== capabilities.lake) return formatFaults(format, enabled, capabilities.lake);
    return [...bucketKeyFaults(spec, types, enabled), ...(enabled ? partitionFaults(spec, types) : [])];
}

/** True when the table is declared to be tiered into the lake. */
export function isLakeEnabled(spec: TableSpec): boolean {
    return effectiveOption(spec.options, "table.datalake.enabled")?.trim().toLowerCase() === "true";
}

/** Types by which Iceberg can bucket and which Fluss can write for it. */
const ICEBERG_BUCKET_TYPES: readonly string[] = [
    "INT",
    "BIGINT",
    "DATE",
    "TIME",
    "TIMESTAMP",
    "DECIMAL",
    "STRING",
    "CHAR",
    "BINARY",
    "BYTES",
];

/** A table with a foreign format may exist with the lake off; 0.9 even takes it with the lake on, and tiers nothing. */
function formatFaults(format: string, enabled: boolean, lake: string): Fault[] {
    if (!enabled) return [];
    return [
        {
            path: at("options", "table.datalake.format"),
            value: format,
            reason: `must match the cluster's datalake.format (${lake}) when table.datalake.enabled is true`,
            fix: "leave table.datalake.format out",
        },
    ];
}

function bucketKeyFaults(spec: TableSpec, types: ReadonlyMap<string, ColumnType>, enabled: boolean): Fault[] {
    const key = effectiveBucketKey(spec);
    if (!key) return [];
    const path = at(spec.bucketKey ? "bucketKey" : "primaryKey");
    const when = enabled
        ? "the table cannot be created"
        : "the table is created, but every write to it fails";
    if (key.length > 1) {
        return [
            {
                path,
                value: listed(key),
                reason: `only one bucket key is supported for Iceberg, and the bucket key is ${listed(key)}: ${when}`,
                fix: spec.primaryKey
                    ? `set bucketKey to one of ${key.join(", ")}`
                    : "leave one column in bucketKey",
            },
        ];
    }
    return key.flatMap((column) => {
        const type = types.get(column);
        if (!type || NEVER_KEYS.includes(type.root) || ICEBERG_BUCKET_TYPES.includes(type.root)) return [];
        const reason = `Iceberg cannot bucket by the type ${type.root}: ${when}`;
        return [
            { path, value: column, reason, fix: `use a bucket key of ${ICEBERG_BUCKET_TYPES.join(", ")}` },
        ];
    });
}

/** Reported by the rules for keys already. */
const NEVER_KEYS: readonly string[] = ["ARRAY", "MAP", "ROW"];

function partitionFaults(spec: TableSpec, types: ReadonlyMap<string, ColumnType>): Fault[] {
    return (spec.partitionKeys ?? []).flatMap((key, index) => {
        const root = types.get(key)?.root;
        if (!root || root === "STRING" || root === "CHAR") return [];
        const reason = `partition keys only support string type for Iceberg; the column ${key} has type ${root}`;
        return [
            { path: at("partitionKeys", index), value: key, reason, fix: "partition by a STRING column" },
        ];
    });
}
