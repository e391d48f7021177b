import { joinPath } from "./faults.ts";

/** The path of a part of a table's spec, as faults name it: `table.options["table.log.ttl"]`. */
export function at(...keys: PropertyKey[]): string {
    return joinPath("table", keys);
}

/** Columns as the server writes them: `[a, b]`. */
export function listed(columns: readonly string[] = []): string {
    return `[${columns.join(", ")}]`;
}
