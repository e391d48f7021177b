import {
    addColumns,
    addPartitions,
    changeWatermark,
    createTable,
    dropPartitions,
    resetOptions,
    setOptions,
} from "./ddl.ts";
import type { Fault } from "./faults.ts";
import { columnChanges, keyChanges } from "./plan-columns.ts";
import { computedChanges, watermarkChange } from "./plan-computed.ts";
import type { PlanContext } from "./plan-context.ts";
import { optionChanges } from "./plan-options.ts";
import { partitionChanges } from "./plan-partitions.ts";
import { normalTable, type TableSpec, validateTable } from "./table.ts";

export type { PlanContext } from "./plan-context.ts";

/** How one spec becomes the next. `refuse` comes with every reason at once; there is no silent replace. */
export type TablePlan =
    | { kind: "none" }
    | { kind: "create"; statements: string[] }
    | { kind: "alter"; statements: string[] }
    | { kind: "refuse"; faults: Fault[] };

/**
 * Plans the way from one spec to the next (undefined: the table does not exist yet). In place go: nullable columns at
 * the end, options that the server alters, a watermark on Fluss 1.0, and partitions; what loses data only when
 * `allowDataLoss` names it. Everything
 * else is refused, with what a replacement would lose and what to do. The statements run in the given order; the server
 * takes each one as a whole or not at all.
 */
export function plan(old: TableSpec | undefined, next: TableSpec, context: PlanContext): TablePlan {
    const faults = validateTable(next, context);
    if (faults.length > 0) return { kind: "refuse", faults };
    const [from, to] = [old && normalTable(old), normalTable(next)];
    if (!from) return { kind: "create", statements: createStatements(context.catalog, to) };
    const columns = columnChanges(from, to, context);
    const options = optionChanges(from, to, context);
    const watermark = watermarkChange(from, to, context);
    const partitions = partitionChanges(from, to, context);
    const refused = [
        ...keyChanges(from, to),
        ...columns.faults,
        ...computedChanges(from, to),
        ...watermark.faults,
        ...options.faults,
        ...partitions.faults,
    ];
    if (refused.length > 0) return { kind: "refuse", faults: refused };
    const statements = [
        ...(columns.added.length > 0 ? [addColumns(context.catalog, to, columns.added)] : []),
        ...(watermark.changed ? [changeWatermark(context.catalog, to, from.watermark, to.watermark)] : []),
        ...(options.set.length > 0 ? [setOptions(context.catalog, to, options.set)] : []),
        ...(options.reset.length > 0 ? [resetOptions(context.catalog, to, options.reset)] : []),
        ...(partitions.added.length > 0 ? [addPartitions(context.catalog, to, partitions.added)] : []),
        ...(partitions.dropped.length > 0 ? [dropPartitions(context.catalog, to, partitions.dropped)] : []),
    ];
    return statements.length > 0 ? { kind: "alter", statements } : { kind: "none" };
}

/** The statements that make a table with its declared partitions. Run `validateTable` first. */
export function createStatements(catalog: string, table: TableSpec): string[] {
    const { partitions } = normalTable(table);
    return [createTable(catalog, table), ...(partitions ? [addPartitions(catalog, table, partitions)] : [])];
}
