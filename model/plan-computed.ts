import type { Fault } from "./faults.ts";
import { lossOf } from "./plan-columns.ts";
import type { PlanContext } from "./plan-context.ts";
import type { ComputedColumnSpec, TableSpec } from "./table.ts";
import { sameExpression } from "./table-expression.ts";
import { at } from "./table-fault.ts";

/** What changed about computed columns, which Fluss cannot change. Both specs are normal. */
export function computedChanges(from: TableSpec, to: TableSpec): Fault[] {
    const [before, after] = [from.computedColumns ?? [], to.computedColumns ?? []];
    const gone = before.filter((column) => !after.some(({ name }) => name === column.name));
    const changed = after.flatMap((column, index): Fault[] => {
        const old = before.find(({ name }) => name === column.name);
        if (old && sameColumn(old, column)) return [];
        return [
            {
                path: at("computedColumns", index),
                value: shown(column),
                reason: old
                    ? `Fluss cannot change a computed column of a table that exists (it is ${shown(old)}); ${lossOf(from)}`
                    : `Fluss cannot add a computed column to a table that exists (0.9 would make a stored one of it); ${lossOf(from)}`,
                fix: old
                    ? `keep ${shown(old)}`
                    : "compute it in the queries, or in a view of another catalog",
            },
        ];
    });
    return [
        ...gone.map((column) => ({
            path: at("computedColumns"),
            value: column.name,
            reason: `Fluss cannot drop a computed column, and ${column.name} is gone from the spec; ${lossOf(from)}`,
            fix: `keep ${shown(column)}`,
        })),
        ...changed,
        ...(gone.length + changed.length > 0 ? [] : orderFaults(before, after)),
    ];
}

/** Whether the watermark changed, and a fault when the server cannot change it. */
export function watermarkChange(
    from: TableSpec,
    to: TableSpec,
    context: PlanContext,
): { changed: boolean; faults: Fault[] } {
    const [before, after] = [from.watermark, to.watermark];
    const same =
        before && after
            ? before.column === after.column && sameExpression(before.expression, after.expression)
            : before === after;
    if (same) return { changed: false, faults: [] };
    if (context.server === "1.0") return { changed: true, faults: [] };
    const was = before ? `${before.column} AS ${before.expression}` : "not set";
    const reason = `Fluss 0.9 cannot change the watermark of a table that exists (it is ${was}); ${lossOf(from)}`;
    const fix = `keep it ${was}, or upgrade the cluster to Fluss 1.0, which can`;
    return {
        changed: true,
        faults: [
            { path: at("watermark"), value: after && `${after.column} AS ${after.expression}`, reason, fix },
        ],
    };
}

function sameColumn(one: ComputedColumnSpec, other: ComputedColumnSpec): boolean {
    return one.comment === other.comment && sameExpression(one.expression, other.expression);
}

function orderFaults(before: ComputedColumnSpec[], after: ComputedColumnSpec[]): Fault[] {
    const wrong = before.findIndex(({ name }, index) => after[index]?.name !== name);
    if (wrong < 0) return [];
    return [
        {
            path: at("computedColumns", wrong),
            value: after[wrong]?.name,
            reason: `Fluss cannot move computed columns; ${before[wrong]?.name} is expected here`,
            fix: "keep their order",
        },
    ];
}

function shown({ name, expression, comment }: ComputedColumnSpec): string {
    return `${name} AS ${expression}${comment ? ` COMMENT ${JSON.stringify(comment)}` : ""}`;
}
