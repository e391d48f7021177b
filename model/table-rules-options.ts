import type { ColumnType } from "./column-types.ts";
import type { Fault } from "./faults.ts";
import { nearest } from "./nearest.ts";
import { optionValueFault, type ValueFault } from "./option-values.ts";
import { at } from "./table-fault.ts";
import { effectiveOption, isOptionName, optionNames, parseDuration, tableOptions } from "./table-options.ts";
import { secretFaults } from "./table-rules.ts";
import { autoPartitionFaults } from "./table-rules-auto-partition.ts";
import { autoIncrementFaults, mergeEngineFaults } from "./table-rules-merge.ts";
import type { TableCapabilities, TableSpec } from "./table-spec.ts";

/** Faults of the WITH options: names, values, and how they fit the table and each other. */
export function optionFaults(
    spec: TableSpec,
    types: ReadonlyMap<string, ColumnType>,
    capabilities: TableCapabilities,
): Fault[] {
    const entries = Object.entries(spec.options);
    const faults = [
        ...entries.flatMap(([key, value]) => oneOptionFaults(key, value, capabilities)),
        ...Object.entries(spec.custom ?? {}).flatMap(([key, value]) => customFaults(key, value)),
    ];
    // Rules between options make sense only for values that can be read.
    const unreadable = entries.some(([key, value]) => valueFault(key, value) !== undefined);
    if (unreadable) return faults;
    return [
        ...faults,
        ...autoPartitionFaults(spec, types, capabilities),
        ...formatFaults(spec),
        ...statisticsFaults(spec, types),
        ...mergeEngineFaults(spec, types, capabilities),
        ...autoIncrementFaults(spec, types),
    ];
}

function oneOptionFaults(key: string, value: string, capabilities: TableCapabilities): Fault[] {
    const path = at("options", key);
    const elsewhere = elsewhereFaults(path, key, value);
    if (elsewhere.length > 0) return elsewhere;
    if (!key.startsWith("table.")) return [...nameFaults(path, key), ...secretFaults(path, value)];
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

/** Faults of what is set somewhere else: in a field of its own, or in the catalog. */
function elsewhereFaults(path: string, key: string, value: string): Fault[] {
    if (key === "bucket.num" || key === "bucket.key") {
        const field = key === "bucket.num" ? "bucketCount" : "bucketKey";
        return [{ path, value, reason: "has a field of its own", fix: `use ${field}` }];
    }
    if (key === "bootstrap.servers" || key.startsWith("client.")) {
        const reason = "is an option of the catalog, and everyone who may see the table reads its options";
        return [{ path, reason, fix: "set it on the catalog, or as a hint of a query" }];
    }
    return [];
}

/** The servers store any other name without a look at it, so a slip would stay unseen. */
function nameFaults(path: string, key: string): Fault[] {
    if (isOptionName(key)) return [];
    const meant = tableOptions[`table.${key}`] ? `table.${key}` : undefined;
    const near = meant ?? nearest(key, optionNames);
    const reason = "is no option of Fluss, which would store it as a custom property that has no effect";
    return [{ path, reason, fix: near ? `write ${near}` : "put a property of your own into custom" }];
}

function customFaults(key: string, value: string): Fault[] {
    const path = at("custom", key);
    const elsewhere = elsewhereFaults(path, key, value);
    if (elsewhere.length > 0) return elsewhere;
    const meant = isOptionName(key) ? key : tableOptions[`table.${key}`] ? `table.${key}` : undefined;
    if (meant === undefined) return secretFaults(path, value);
    const reason = meant === key ? "is an option of Fluss" : "would be stored, and have no effect";
    return [{ path, reason, fix: `write ${meant} into options` }];
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
    return faults;
}

/** Types that `table.statistics.columns` cannot name (Fluss 1.0's source). */
const WITHOUT_STATISTICS: readonly string[] = ["BINARY", "BYTES", "ARRAY", "MAP", "ROW"];

function statisticsFaults(spec: TableSpec, types: ReadonlyMap<string, ColumnType>): Fault[] {
    const path = at("options", "table.statistics.columns");
    const value = spec.options["table.statistics.columns"];
    if (value === undefined) return [];
    if (spec.primaryKey) {
        const reason = "statistics columns are not supported for primary key tables";
        return [{ path, value, reason, fix: "leave it out" }];
    }
    if (value.trim() === "*") return [];
    const names = spec.columns.map(({ name }) => name);
    return value.split(",").flatMap((part): Fault[] => {
        const column = part.trim();
        if (!names.includes(column)) {
            const near = nearest(column, names);
            const fix = near ? `did you mean ${near}?` : `use * or some of ${names.join(", ")}`;
            return [{ path, value: column, reason: "does not exist in the columns", fix }];
        }
        const root = types.get(column)?.root;
        if (!root || !WITHOUT_STATISTICS.includes(root)) return [];
        const reason = `Fluss collects no statistics for the type ${root}`;
        return [{ path, value: column, reason, fix: "leave the column out; * skips it by itself" }];
    });
}
