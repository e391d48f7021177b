import type { ColumnType } from "./column-types.ts";
import type { Fault } from "./faults.ts";
import { at } from "./table-fault.ts";
import { aggregateFaults } from "./table-rules-aggregates.ts";
import type { TableCapabilities, TableSpec } from "./table-spec.ts";

/** Faults of the merge engine, of what it takes, and of what happens at deletes. */
export function mergeEngineFaults(
    spec: TableSpec,
    types: ReadonlyMap<string, ColumnType>,
    capabilities: TableCapabilities,
): Fault[] {
    const engine = spec.options["table.merge-engine"]?.toLowerCase();
    const behavior = spec.options["table.delete.behavior"];
    const faults: Fault[] = aggregateFaults(spec, types, capabilities);
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
        return [...faults, ...standbyFaults(spec, capabilities)];
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

/** A log has no replica of keys to stand by; on 0.9 the option is unknown altogether. */
function standbyFaults({ options }: TableSpec, { server }: TableCapabilities): Fault[] {
    const key = "table.kv.standby-replica.enabled";
    if (server === "0.9" || options[key] === undefined) return [];
    const reason = `'${key}' can only be altered on primary key tables, and does nothing for a log`;
    return [{ path: at("options", key), value: options[key], reason, fix: "set primaryKey or leave it out" }];
}

const VERSION_TYPES: readonly string[] = ["INT", "BIGINT", "TIMESTAMP", "TIMESTAMP_LTZ"];

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

/** Faults of the column that the server numbers. */
export function autoIncrementFaults(spec: TableSpec, types: ReadonlyMap<string, ColumnType>): Fault[] {
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
