import type { PlanContext } from "../../../model/plan.ts";
import type { TableSpec } from "../../../model/table.ts";
import { accounts } from "./tables.ts";

/** Clusters of both release lines, with a lake. */
export const old09: PlanContext = { server: "0.9", lake: "iceberg", catalog: "c" };
export const new10: PlanContext = { ...old09, server: "1.0" };
export const email = { name: "email", type: "STRING" };

/** The table with other options; an undefined one is taken out. */
export const withOptions = (table: TableSpec, options: Record<string, string | undefined>): TableSpec => {
    const merged = Object.entries({ ...table.options, ...options }).filter(
        ([, value]) => value !== undefined,
    );
    return { ...table, options: Object.fromEntries(merged) as Record<string, string> };
};

/** The accounts with another column of that name. */
export function changed(name: string, change: object): TableSpec {
    return { ...accounts, columns: accounts.columns.map((c) => (c.name === name ? { ...c, ...change } : c)) };
}

/** The accounts with that column of another type. */
export function retyped(name: string, type: string): TableSpec {
    return changed(name, { type });
}
