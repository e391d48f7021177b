import type { ColumnType } from "./column-types.ts";
import type { Fault } from "./faults.ts";
import { expressionFault } from "./table-expression.ts";
import { at } from "./table-fault.ts";
import { columnNameFaults, secretFaults } from "./table-rules.ts";
import type { TableCapabilities, TableSpec } from "./table-spec.ts";

/** Faults of the columns that Flink computes. */
export function computedFaults(spec: TableSpec, capabilities: TableCapabilities): Fault[] {
    const computed = spec.computedColumns ?? [];
    return computed.flatMap(({ name, expression, comment }, index) => {
        const path = at("computedColumns", index);
        const earlier = [...spec.columns, ...computed.slice(0, index)].map((column) => column.name);
        return [
            ...columnNameFaults(`${path}.name`, name, earlier),
            ...expressionFaults(`${path}.expression`, expression),
            ...secretFaults(`${path}.comment`, comment),
            ...(comment && capabilities.server === "0.9" ? [lostComment(`${path}.comment`, comment)] : []),
        ];
    });
}

/** Fluss 0.9.1 observed: SHOW CREATE TABLE prints it no more. */
function lostComment(path: string, value: string): Fault {
    const reason = "Fluss 0.9 keeps no comments of computed columns, and drops this one silently";
    return { path, value, reason, fix: "say it in the comment of the table" };
}

/** Faults of the watermark. What its expression gives is for Flink to check. */
export function watermarkFaults(spec: TableSpec, types: ReadonlyMap<string, ColumnType>): Fault[] {
    if (!spec.watermark) return [];
    const { column, expression } = spec.watermark;
    const faults = expressionFaults(at("watermark", "expression"), expression);
    const path = at("watermark", "column");
    const isComputed = spec.computedColumns?.some(({ name }) => name === column);
    const type = types.get(column);
    if (!isComputed && !spec.columns.some(({ name }) => name === column)) {
        const reason = "does not exist in the columns";
        faults.push({ path, value: column, reason, fix: "name a column, stored or computed" });
    }
    if (type && !isComputed && !isRowtime(type)) {
        faults.push({
            path,
            value: column,
            reason: "the column of a watermark must be TIMESTAMP(p) or TIMESTAMP_LTZ(p) with p from 0 to 3",
            fix: "declare it as TIMESTAMP(3), or compute a column with CAST",
        });
    }
    return faults;
}

function isRowtime(type: ColumnType): boolean {
    return (type.root === "TIMESTAMP" || type.root === "TIMESTAMP_LTZ") && type.precision <= 3;
}

function expressionFaults(path: string, expression: string): Fault[] {
    const fault = expressionFault(expression);
    return [...(fault ? [{ path, value: expression, ...fault }] : []), ...secretFaults(path, expression)];
}
