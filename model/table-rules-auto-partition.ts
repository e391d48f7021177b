import type { ColumnType } from "./column-types.ts";
import type { Fault } from "./faults.ts";
import { at, listed } from "./table-fault.ts";
import { effectiveOption } from "./table-options.ts";
import type { TableCapabilities, TableSpec } from "./table-spec.ts";
import { timeFormatFault } from "./time-format.ts";

/** True when the server makes and drops the table's partitions by the clock. */
export function isAutoPartitioned(spec: TableSpec): boolean {
    return effectiveOption(spec.options, "table.auto-partition.enabled")?.trim().toLowerCase() === "true";
}

/** Faults of the options with which the server makes and drops partitions by the clock. */
export function autoPartitionFaults(
    spec: TableSpec,
    types: ReadonlyMap<string, ColumnType>,
    capabilities: TableCapabilities,
): Fault[] {
    if (!isAutoPartitioned(spec)) return [];
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
    return [
        ...faults,
        ...datePartitionFaults(spec, named ?? keys[0]!, types, capabilities),
        ...timeFormatFaults(spec),
    ];
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

function timeFormatFaults(spec: TableSpec): Fault[] {
    const value = spec.options["table.auto-partition.time-format"];
    const unit = effectiveOption(spec.options, "table.auto-partition.time-unit") ?? "DAY";
    const fault = value === undefined ? undefined : timeFormatFault(value, unit);
    return fault ? [{ path: at("options", "table.auto-partition.time-format"), value, ...fault }] : [];
}
