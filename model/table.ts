import { type ColumnType, parseColumnType } from "./column-types.ts";
import type { Fault } from "./faults.ts";
import { columnFaults, keyFaults, nameFaults } from "./table-rules.ts";
import { computedFaults, watermarkFaults } from "./table-rules-computed.ts";
import { lakeFaults } from "./table-rules-lake.ts";
import { optionFaults } from "./table-rules-options.ts";
import { partitionFaults } from "./table-rules-partitions.ts";
import { textFaults } from "./table-rules-text.ts";
import type { TableCapabilities, TableSpec } from "./table-spec.ts";

export * from "./table-spec.ts";

/**
 * Every reason why the server would refuse the table or never accept a row of it, all at once; empty when there is
 * none. Rules that need the server's state (does the database exist, how many tablet servers are there) are not known
 * here. Paths are relative to the spec.
 */
export function validateTable(spec: TableSpec, capabilities: TableCapabilities): Fault[] {
    const types = columnTypes(spec);
    return [
        ...nameFaults(spec),
        ...textFaults(spec),
        ...columnFaults(spec),
        ...computedFaults(spec, capabilities),
        ...watermarkFaults(spec, types),
        ...keyFaults(spec, types, capabilities),
        ...partitionFaults(spec, types),
        ...optionFaults(spec, types, capabilities),
        ...lakeFaults(spec, types, capabilities),
    ];
}

/** The types that can be read; a column whose type is at fault is left out, so that it is reported once. */
function columnTypes(spec: TableSpec): Map<string, ColumnType> {
    const types = new Map<string, ColumnType>();
    for (const column of spec.columns) {
        try {
            types.set(column.name, parseColumnType(column.type));
        } catch {
            // columnFaults reports it.
        }
    }
    return types;
}
