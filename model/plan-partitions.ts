import type { Fault } from "./faults.ts";
import type { PlanContext } from "./plan-context.ts";
import { partitionName, type TableSpec } from "./table.ts";
import { at } from "./table-fault.ts";

type Partition = Record<string, string>;

/**
 * What changed about the declared partitions: those to add and to drop. Dropping one deletes its rows, so each needs to be
 * named in `allowDataLoss`, as SHOW PARTITIONS prints it. Both specs are normal.
 */
export function partitionChanges(
    from: TableSpec,
    to: TableSpec,
    context: PlanContext,
): { added: Partition[]; dropped: Partition[]; faults: Fault[] } {
    const keys = to.partitionKeys ?? [];
    const nameOf = (partition: Partition) => partitionName(keys, partition);
    const missingIn = (partitions: Partition[] = [], others: Partition[] = []) => {
        const names = others.map(nameOf);
        return partitions.filter((partition) => !names.includes(nameOf(partition)));
    };
    const dropped = missingIn(from.partitions, to.partitions);
    return {
        added: missingIn(to.partitions, from.partitions),
        dropped,
        faults: dropped
            .map(nameOf)
            .filter((name) => !context.allowDataLoss?.includes(name))
            .map((name) => ({
                path: at("partitions"),
                value: name,
                reason: `the partition is gone from the spec, and dropping it would delete its rows in ${from.database}.${from.name}`,
                fix: `keep it, or confirm with allowDataLoss: ["${name}"]`,
            })),
    };
}
