import type { Fault } from "./faults.ts";
import { lossOf } from "./plan-columns.ts";
import type { PlanContext } from "./plan-context.ts";
import { effectiveBucketKey, type TableSpec } from "./table.ts";
import { at } from "./table-fault.ts";
import {
    allOptions,
    effectiveOption,
    isAlterable,
    optionField,
    parseDuration,
    sameOptionValue,
} from "./table-options.ts";
import { aggregateOption } from "./table-rules-aggregates.ts";
import { isLakeEnabled } from "./table-rules-lake.ts";

/** What changed about the options: those to set and reset, and a fault for each change that cannot or must not happen. */
export function optionChanges(
    from: TableSpec,
    to: TableSpec,
    context: PlanContext,
): { set: [string, string][]; reset: string[]; faults: Fault[] } {
    const [before, after] = [allOptions(from), allOptions(to)];
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    const changed = keys.filter((key) => !sameOptionValue(key, before[key], after[key]));
    return {
        set: changed.flatMap((key): [string, string][] => {
            const value = after[key];
            return value === undefined ? [] : [[key, value]];
        }),
        reset: changed.filter((key) => after[key] === undefined),
        faults: changed.flatMap((key) => changeFaults(from, to, key, context)),
    };
}

function changeFaults(from: TableSpec, to: TableSpec, key: string, context: PlanContext): Fault[] {
    if (optionField(key) === "custom") return [];
    const path = at("options", key);
    const value = to.options[key];
    const before = from.options[key] ?? "not set";
    const names = to.columns.map((column) => column.name);
    if (aggregateOption(key, names)) {
        const reason = `Fluss cannot change how a column is aggregated on a table that exists (it is ${before}): ALTER TABLE would store it without effect; ${lossOf(from)}`;
        const fix =
            from.options[key] === undefined
                ? "leave it out: the default is last_value_ignore_nulls"
                : `keep ${before}`;
        return [{ path, value, reason, fix }];
    }
    if (!isAlterable(key, context.server)) {
        const reason = `Fluss ${context.server} does not support to alter it (it is ${before}); ${lossOf(from)}`;
        return [
            { path, value, reason, fix: from.options[key] === undefined ? "leave it out" : `keep ${before}` },
        ];
    }
    if (key.startsWith("iceberg.") && context.server === "0.9" && isLakeEnabled(from)) {
        const reason = `Fluss 0.9 does not support to alter it on a table in the lake (it is ${before})`;
        return [{ path, value, reason, fix: "keep it, or change the property of the Iceberg table itself" }];
    }
    if (key === "table.datalake.enabled" && isLakeEnabled(to) && isBarredFromLake(from, context)) {
        const reason = `Fluss ${context.server} cannot put a table into the lake that was made before the cluster had one`;
        const fix = `leave it out, or declare a second table next to ${from.name} and copy the rows`;
        return [{ path, value, reason, fix }];
    }
    const loss = dataLoss(key, from, to, context);
    if (!loss || context.allowDataLoss?.includes(key)) return [];
    return [{ path, value, reason: loss, fix: `keep ${before}, or confirm with allowDataLoss: ["${key}"]` }];
}

/** What the change of an option deletes, or undefined when it deletes nothing. A removed option falls back to its default. */
function dataLoss(key: string, from: TableSpec, to: TableSpec, context: PlanContext): string | undefined {
    const [before, after] = [effectiveOption(from.options, key), effectiveOption(to.options, key)];
    switch (key) {
        case "table.log.ttl":
            return retained(parseDuration(after ?? "")) < retained(parseDuration(before ?? ""))
                ? `log data older than ${after} would be deleted (so far ${before} were kept)`
                : undefined;
        case "table.auto-partition.num-retention":
            return partitions(after) < partitions(before)
                ? `all partitions but the last ${after} would be dropped (so far ${before} were kept)`
                : undefined;
        case "table.auto-partition.enabled":
            return after?.toLowerCase() === "true"
                ? `partitions older than the last ${effectiveOption(to.options, "table.auto-partition.num-retention")} would be dropped`
                : undefined;
        case "table.datalake.enabled":
            return after?.toLowerCase() === "true" ? undefined : lakeLoss(context);
        default:
            return undefined;
    }
}

/** 1.0 makes an exception for log tables without a bucket key (its source); 0.9.1 for none (observed). */
function isBarredFromLake(from: TableSpec, { server, withoutLake }: PlanContext): boolean {
    return withoutLake === true && (server === "0.9" || effectiveBucketKey(from) !== undefined);
}

function lakeLoss(context: PlanContext): string {
    const again =
        context.server === "0.9" && context.lake === "iceberg"
            ? ", and the lake cannot be switched on again while the Iceberg table exists"
            : "";
    return `the table would leave the lake: its Iceberg table stays and goes stale${again}`;
}

/** How long log data is kept; zero switches the deletion off. */
function retained(milliseconds: number | undefined): number {
    return milliseconds === 0 || milliseconds === undefined ? Number.POSITIVE_INFINITY : milliseconds;
}

/** How many partitions are kept; a negative number keeps all. */
function partitions(count: string | undefined): number {
    const number = Number(count);
    return number < 0 ? Number.POSITIVE_INFINITY : number;
}
