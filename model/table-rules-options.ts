import type { ColumnType } from "./column-types.ts";
import type { Fault } from "./faults.ts";
import { nearest } from "./nearest.ts";
import { optionValueFault, type ValueFault } from "./option-values.ts";
import { at, listed } from "./table-fault.ts";
import { effectiveOption, parseDuration, tableOptions } from "./table-options.ts";
import { secretFaults } from "./table-rules.ts";
import type { TableCapabilities, TableSpec } from "./table-spec.ts";

/** Faults of the WITH options: names, values, and how they fit the table and each other. */
export function optionFaults(
    spec: TableSpec,
    types: ReadonlyMap<string, ColumnType>,
    capabilities: TableCapabilities,
): Fault[] {
    const entries = Object.entries(spec.options);
    const faults = entries.flatMap(([key, value]) => oneOptionFaults(key, value, capabilities));
    // Rules between options make sense only for values that can be read.
    const unreadable = entries.some(([key, value]) => valueFault(key, value) !== undefined);
    if (unreadable) return faults;
    return [
        ...faults,
        ...autoPartitionFaults(spec, types, capabilities),
        ...formatFaults(spec),
        ...mergeEngineFaults(spec, types),
        ...autoIncrementFaults(spec, types),
    ];
}

const VERSION_TYPES: readonly string[] = ["INT", "BIGINT", "TIMESTAMP", "TIMESTAMP_LTZ"];

function oneOptionFaults(key: string, value: string, capabilities: TableCapabilities): Fault[] {
    const path = at("options", key);
    if (key === "bucket.num" || key === "bucket.key") {
        const field = key === "bucket.num" ? "bucketCount" : "bucketKey";
        return [{ path, value, reason: "has a field of its own", fix: `use ${field}` }];
    }
    if (key === "bootstrap.servers" || key.startsWith("client.security.")) {
        return [
            {
                path,
                reason: "is an option of the catalog, and everyone who may see the table reads its options",
                fix: "set it on the catalog only",
            },
        ];
    }
    if (!key.startsWith("table.")) {
        return [...customNameFaults(key), ...secretFaults(path, value)];
    }
    const option = tableOptions[key];
    if (!option) {
        const near = nearest(key, Object.keys(tableOptions));
        return [
            {
                path,
                value,
                reason: "is not a recognized Fluss table property",
                fix: near ? `did you mean ${near}?` : "custom properties have names outside of table.*",
            },
        ];
    }
    if (option.since === "1.0" && capabilities.server === "0.9") {
        const reason = "is not a recognized Fluss table property in Fluss 0.9; it came with 1.0";
        return [{ path, value, reason, fix: "leave it out or upgrade the cluster" }];
    }
    const fault = valueFault(key, value);
    return fault ? [{ path, value, ...fault }] : [];
}

function valueFault(key: string, value: string): ValueFault | undefined {
    const option = tableOptions[key];
    if (!option) return undefined;
    const reason = rangeFault(key, Number(value));
    return (
        optionValueFault(option.type, value, option.values) ??
        (reason ? { reason, fix: "correct the value" } : undefined)
    );
}

/** Any other name is stored as a custom property without a look at it, so a slip would stay unseen. */
function customNameFaults(key: string): Fault[] {
    const meant = `table.${key}`;
    if (!tableOptions[meant]) return [];
    const reason = "would be stored as a custom property that has no effect";
    return [{ path: at("options", key), reason, fix: `write ${meant}` }];
}

function rangeFault(key: string, value: number): string | undefined {
    if (key === "table.replication.factor" && value < 1) return "must be greater than 0";
    if (key === "table.log.tiered.local-segments" && value < 1) return "must be greater than 0";
    if (key === "table.kv.format-version" && value > 2) return "is above 2, the newest version of the format";
    if (key === "table.log.arrow.compression.zstd.level" && (value < 1 || value > 22)) {
        return "is an invalid ZSTD compression level; expected a value between 1 and 22";
    }
    return undefined;
}

function autoPartitionFaults(
    spec: TableSpec,
    types: ReadonlyMap<string, ColumnType>,
    capabilities: TableCapabilities,
): Fault[] {
    if (!isTrue(spec, "table.auto-partition.enabled")) return [];
    const keys = spec.partitionKeys ?? [];
    if (keys.length === 0) {
        return [
            {
                path: at("options", "table.auto-partition.enabled"),
                value: "true",
                reason: "auto partition is only supported for a partitioned table",
                fix: "set partitionKeys, or leave the option out",
            },
        ];
    }
    const faults: Fault[] = [];
    const named = spec.options["table.auto-partition.key"];
    if (keys.length > 1 && named === undefined) {
        faults.push({
            path: at("options", "table.auto-partition.key"),
            reason: "an auto partitioned table must set one auto partition key when it has multiple partition keys",
            fix: `set it to one of ${keys.join(", ")}`,
        });
    }
    if (named !== undefined && !keys.includes(named)) {
        faults.push({
            path: at("options", "table.auto-partition.key"),
            value: named,
            reason: `the specified key for an auto partitioned table is not a partition key ${listed(keys)}`,
            fix: `set it to one of ${keys.join(", ")}`,
        });
    }
    const ahead = spec.options["table.auto-partition.num-precreate"];
    if (keys.length > 1 && ahead !== undefined && Number(ahead) !== 0) {
        faults.push({
            path: at("options", "table.auto-partition.num-precreate"),
            value: ahead,
            reason: "with multiple partition keys auto pre-create is unsupported and this value must be set to 0",
            fix: "set it to 0 or leave it out",
        });
    }
    if (spec.options["table.auto-partition.num-retention"] === undefined) {
        faults.push({
            path: at("options", "table.auto-partition.num-retention"),
            reason: "is not set, and the server's default drops all partitions but the last 7",
            fix: "say how many to keep; a negative number keeps all",
        });
    }
    return [...faults, ...datePartitionFaults(spec, named ?? keys[0]!, types, capabilities)];
}

function datePartitionFaults(
    spec: TableSpec,
    key: string,
    types: ReadonlyMap<string, ColumnType>,
    capabilities: TableCapabilities,
): Fault[] {
    if (capabilities.server === "0.9" || types.get(key)?.root !== "DATE") return [];
    const required = {
        "table.auto-partition.time-unit": "DAY",
        "table.auto-partition.time-format": "yyyy-MM-dd",
    };
    return Object.entries(required).flatMap(([name, value]) => {
        const set = effectiveOption(spec.options, name);
        if (set === value || (name.endsWith("unit") && set?.toUpperCase() === value)) return [];
        const reason = `must be '${value}' when the auto partition key '${key}' has DATE type`;
        return [{ path: at("options", name), value: set, reason, fix: `set it to ${value}` }];
    });
}

function formatFaults(spec: TableSpec): Fault[] {
    const faults: Fault[] = [];
    const kv = effectiveOption(spec.options, "table.kv.format")?.toUpperCase();
    const log = effectiveOption(spec.options, "table.log.format")?.toUpperCase();
    if (spec.primaryKey && kv === "COMPACTED" && log === "INDEXED") {
        faults.push({
            path: at("options", "table.log.format"),
            value: spec.options["table.log.format"],
            reason: "a primary key table supports the log formats ARROW and COMPACTED when the kv format is COMPACTED",
            fix: "leave it out, or set table.kv.format to INDEXED",
        });
    }
    const ttl = parseDuration(effectiveOption(spec.options, "table.log.ttl") ?? "") ?? 0;
    const local = parseDuration(spec.options["table.log.local-ttl"] ?? "") ?? 0;
    if (ttl > 0 && local > ttl) {
        faults.push({
            path: at("options", "table.log.local-ttl"),
            value: spec.options["table.log.local-ttl"],
            reason: "must be less than or equal to table.log.ttl",
            fix: "lower it or raise table.log.ttl",
        });
    }
    if (spec.primaryKey && spec.options["table.statistics.columns"] !== undefined) {
        faults.push({
            path: at("options", "table.statistics.columns"),
            reason: "statistics columns are not supported for primary key tables",
            fix: "leave it out",
        });
    }
    return faults;
}

function mergeEngineFaults(spec: TableSpec, types: ReadonlyMap<string, ColumnType>): Fault[] {
    const engine = spec.options["table.merge-engine"]?.toLowerCase();
    const behavior = spec.options["table.delete.behavior"];
    const faults: Fault[] = [];
    if (!spec.primaryKey) {
        for (const key of ["table.merge-engine", "table.delete.behavior"]) {
            if (spec.options[key] === undefined) continue;
            const reason = `${key.replace("table.", "")} is only supported in a primary key table`;
            faults.push({
                path: at("options", key),
                value: spec.options[key],
                reason,
                fix: "set primaryKey or leave it out",
            });
        }
        return faults;
    }
    if (engine === "versioned") faults.push(...versionFaults(spec, types));
    if ((engine === "versioned" || engine === "first_row") && behavior?.toUpperCase() === "ALLOW") {
        faults.push({
            path: at("options", "table.delete.behavior"),
            value: behavior,
            reason: `a table with the '${engine}' merge engine does not support delete operations`,
            fix: "set it to ignore or disable, or leave it out (ignore)",
        });
    }
    if (engine === "aggregation" && spec.options["table.changelog.image"]?.toUpperCase() === "WAL") {
        faults.push({
            path: at("options", "table.changelog.image"),
            value: spec.options["table.changelog.image"],
            reason: "a table with the 'aggregation' merge engine does not support the WAL changelog image",
            fix: "set it to FULL or leave it out",
        });
    }
    return faults;
}

function versionFaults(spec: TableSpec, types: ReadonlyMap<string, ColumnType>): Fault[] {
    const path = at("options", "table.merge-engine.versioned.ver-column");
    const column = spec.options["table.merge-engine.versioned.ver-column"];
    if (column === undefined) {
        return [
            {
                path,
                reason: "must be set for the versioned merge engine",
                fix: "name the column of the version",
            },
        ];
    }
    if (!spec.columns.some((other) => other.name === column)) {
        const reason = "the version column doesn't exist in the columns";
        return [{ path, value: column, reason, fix: "name a column of the table" }];
    }
    const root = types.get(column)?.root;
    if (!root || VERSION_TYPES.includes(root)) return [];
    const reason = `the version column must be one type of ${VERSION_TYPES.join(", ")}, but got ${root}`;
    return [{ path, value: column, reason, fix: "name a column of one of these types" }];
}

function autoIncrementFaults(spec: TableSpec, types: ReadonlyMap<string, ColumnType>): Fault[] {
    const column = spec.options["auto-increment.fields"];
    if (column === undefined) return [];
    const root = types.get(column)?.root;
    const reason = !spec.primaryKey
        ? "an auto increment column can only be used in a primary key table"
        : column.includes(",")
          ? "multiple auto increment columns are not supported yet"
          : !spec.columns.some((other) => other.name === column)
            ? "the auto increment column does not exist in the columns"
            : spec.primaryKey.includes(column)
              ? "an auto increment column can not be used as the primary key"
              : root !== undefined && root !== "INT" && root !== "BIGINT"
                ? "the data type of an auto increment column must be INT or BIGINT"
                : undefined;
    return reason
        ? [
              {
                  path: at("options", "auto-increment.fields"),
                  value: column,
                  reason,
                  fix: "name one INT or BIGINT column outside of the primary key",
              },
          ]
        : [];
}

function isTrue(spec: TableSpec, key: string): boolean {
    return effectiveOption(spec.options, key)?.trim().toLowerCase() === "true";
}
