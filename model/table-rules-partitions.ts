import { type ColumnType, printColumnType } from "./column-types.ts";
import type { Fault } from "./faults.ts";
import { partitionNotation } from "./partition-values.ts";
import { at, listed } from "./table-fault.ts";
import { nameFault } from "./table-rules.ts";
import { isAutoPartitioned } from "./table-rules-auto-partition.ts";
import { partitionName, type TableSpec } from "./table-spec.ts";

/** Faults of the partitions that shall exist. */
export function partitionFaults(spec: TableSpec, types: ReadonlyMap<string, ColumnType>): Fault[] {
    const { partitionKeys: keys, partitions } = spec;
    if (!partitions || partitions.length === 0) return [];
    if (!keys) {
        const reason = `the table ${spec.database}.${spec.name} is not partitioned`;
        return [{ path: at("partitions"), reason, fix: "set partitionKeys, or leave partitions out" }];
    }
    const faults: Fault[] = [];
    if (isAutoPartitioned(spec)) {
        faults.push({
            path: at("partitions"),
            reason: "auto-partitioning makes and drops the partitions of this table by itself",
            fix: "leave partitions out, or table.auto-partition.enabled",
        });
    }
    const names = partitions.map((partition) => partitionName(keys, partition));
    partitions.forEach((partition, index) => {
        const path = at("partitions", index);
        const given = Object.keys(partition);
        if (given.length !== keys.length || !keys.every((key) => given.includes(key))) {
            const reason = `a partition has a value for each of the partition keys ${listed(keys)}, and for nothing else`;
            faults.push({ path, value: listed(given), reason, fix: `give ${keys.join(", ")}` });
            return;
        }
        for (const key of keys) {
            faults.push(...valueFaults(at("partitions", index, key), partition[key]!, types.get(key)));
        }
        if (names.indexOf(names[index]!) < index) {
            const reason = "is listed twice";
            faults.push({ path, value: names[index], reason, fix: "list each partition once" });
        }
    });
    return faults;
}

function valueFaults(path: string, value: string, type: ColumnType | undefined): Fault[] {
    if (value === "") return [{ path, value, reason: "is empty", fix: "give a value" }];
    const faults = nameFault(path, value, "partitions");
    if (faults.length > 0) return faults.map((fault) => ({ ...fault, fix: "choose another value" }));
    const notation = type && partitionNotation(type);
    if (!notation || notation.pattern.test(value)) return [];
    const reason = `is not how Fluss names a partition of type ${printColumnType(type)}, so that no row would ever get into it`;
    return [{ path, value, reason, fix: `write it like ${notation.example}` }];
}
