import type { ColumnType } from "./column-types.ts";
import type { Fault } from "./faults.ts";
import { nearest } from "./nearest.ts";
import { at } from "./table-fault.ts";
import type { TableCapabilities, TableSpec } from "./table-spec.ts";

/** An option that says how the aggregation merge engine folds a column: `fields.<column>.agg` or `fields.<column>.<function>.<parameter>`. */
export interface AggregateOption {
    column: string;
    /** Undefined for `fields.<column>.agg` itself. */
    parameter?: { of: string; name: string };
}

/** Reads the name of an option; undefined when it is none of the aggregation. Columns may have dots in their names. */
export function aggregateOption(key: string, columns: readonly string[]): AggregateOption | undefined {
    for (const column of columns) {
        if (key === `fields.${column}.agg`) return { column };
        const rest = key.startsWith(`fields.${column}.`) ? key.slice(`fields.${column}.`.length) : "";
        const [, of, name] = /^([a-z0-9_]+)\.([a-z0-9-]+)$/.exec(rest) ?? [];
        if (of && name) return { column, parameter: { of, name } };
    }
    const column = /^fields\.(.+)\.agg$/.exec(key)?.[1];
    return column === undefined ? undefined : { column };
}

/** Faults of the functions with which the aggregation merge engine folds columns (Fluss' names and types). */
export function aggregateFaults(
    spec: TableSpec,
    types: ReadonlyMap<string, ColumnType>,
    capabilities: TableCapabilities,
): Fault[] {
    const names = spec.columns.map(({ name }) => name);
    const aggregation = spec.options["table.merge-engine"]?.toLowerCase() === "aggregation";
    return Object.entries(spec.options).flatMap(([key, value]): Fault[] => {
        const option = aggregateOption(key, names);
        if (!option) return [];
        const path = at("options", key);
        const { column, parameter } = option;
        if (!names.includes(column)) {
            const near = nearest(column, names);
            const fix = near ? `did you mean fields.${near}.agg?` : `name one of ${names.join(", ")}`;
            return [{ path, value, reason: `the column ${column} does not exist`, fix }];
        }
        if (!aggregation) {
            const effect = capabilities.server === "0.9" ? "; Fluss 0.9 would store it without effect" : "";
            return [
                {
                    path,
                    value,
                    reason: `aggregation function is only supported for the aggregation merge engine${effect}`,
                    fix: "set table.merge-engine to aggregation, or leave it out",
                },
            ];
        }
        if (parameter) return parameterFaults(path, value, parameter, spec.options[`fields.${column}.agg`]);
        if (spec.primaryKey?.includes(column)) {
            const reason = "cannot set an aggregation function for a primary key column";
            return [{ path, value, reason, fix: "leave it out" }];
        }
        return functionFaults(path, value, types.get(column)?.root);
    });
}

const NUMBERS = ["TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL"];
const ORDERED = ["CHAR", "STRING", ...NUMBERS, "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"];
const TEXTS = ["STRING", "CHAR"];
/** Functions and the types that they take; undefined for all. */
const FUNCTIONS: Record<string, readonly string[] | undefined> = {
    sum: NUMBERS,
    product: NUMBERS,
    max: ORDERED,
    min: ORDERED,
    first_value: undefined,
    first_value_ignore_nulls: undefined,
    last_value: undefined,
    last_value_ignore_nulls: undefined,
    listagg: TEXTS,
    string_agg: TEXTS,
    bool_and: ["BOOLEAN"],
    bool_or: ["BOOLEAN"],
    rbm32: ["BYTES"],
    rbm64: ["BYTES"],
};

function functionFaults(path: string, value: string, root: string | undefined): Fault[] {
    const name = value.trim().toLowerCase();
    if (!(name in FUNCTIONS)) {
        const near = nearest(name, Object.keys(FUNCTIONS));
        const fix = near ? `did you mean ${near}?` : `use one of ${Object.keys(FUNCTIONS).join(", ")}`;
        return [{ path, value, reason: "is an unknown aggregation function", fix }];
    }
    const types = FUNCTIONS[name];
    if (!types || !root || types.includes(root)) return [];
    const reason = `the data type of the column must be part of ${types.join(", ")} but was ${root}`;
    return [{ path, value, reason, fix: "use a function that takes it, such as last_value" }];
}

function parameterFaults(
    path: string,
    value: string,
    parameter: { of: string; name: string },
    agg: string | undefined,
): Fault[] {
    const of = parameter.of.toLowerCase();
    if (agg?.trim().toLowerCase() !== of) {
        const reason = `is a parameter of ${parameter.of}, but the column's function is ${agg ?? "not set"}`;
        return [{ path, value, reason, fix: "correct the name of the function, or leave it out" }];
    }
    if (!TEXT_FUNCTIONS.includes(of) || parameter.name !== "delimiter") {
        const reason = `the parameter '${parameter.name}' is not supported for the aggregation function '${of}'`;
        return [{ path, value, reason, fix: `only ${TEXT_FUNCTIONS.join(" and ")} have one: delimiter` }];
    }
    if (value !== "") return [];
    const reason = `the parameter 'delimiter' for the aggregation function '${of}' must not be empty`;
    return [{ path, value, reason, fix: "write a delimiter, or leave it out (,)" }];
}

const TEXT_FUNCTIONS = ["listagg", "string_agg"];
