import type { Fault } from "../../model/faults.ts";
import { type TableSpec, tableSpec, validateTable } from "../../model/table.ts";
import { type PlannedResource, types } from "../rule.ts";
import { at, holdsUnknown, text, unknown } from "../values.ts";
import { type FlussChart, flussCharts, serverOption, serverText } from "./charts.ts";
import { jobs } from "./jobs.ts";
import { sqlTables } from "./sql.ts";

/** A table of Fluss, declared or made by a script. */
export interface PlannedTable {
    resource: PlannedResource;
    /** As given; of a script as it was read. */
    spec: unknown;
    /** Why the server would refuse it, or every row of it. None when a part is not known. */
    faults: Fault[];
}

/** Every table of Fluss in the plan. */
export function tables(plan: readonly PlannedResource[]): PlannedTable[] {
    const declared = plan
        .filter(({ type }) => type === types.table)
        .map((resource) => {
            const spec = at(resource.props, "spec");
            return { resource, spec, faults: declaredFaults(resource) };
        });
    const charts = flussCharts(plan);
    const written = jobs(plan).flatMap(({ resource, runner, sql }) =>
        runner === "script" || runner === "draft"
            ? sql.flatMap(sqlTables).map((spec) => {
                  const lake = lakeOf(charts, spec) ? ("iceberg" as const) : ("none" as const);
                  // The server's line is not known; the newer one refuses less.
                  return { resource, spec, faults: validateTable(spec, { server: "1.0", lake }) };
              })
            : [],
    );
    return [...declared, ...written];
}

/** Whether the cluster has a lake, as its chart says; without one a table that asks for the lake is believed. */
function lakeOf(charts: readonly FlussChart[], spec: TableSpec): boolean {
    const told = charts.filter((chart) => serverOption(chart, "datalake.format") !== unknown);
    if (told.length === 0) return spec.options["table.datalake.enabled"]?.toLowerCase() === "true";
    return told.some((chart) => serverText(chart, "datalake.format") === "iceberg");
}

/** What stands in the table's spec, when all of it is known. */
function declaredFaults({ props }: PlannedResource): Fault[] {
    const [spec, capabilities] = [at(props, "spec"), at(props, "capabilities")];
    if (holdsUnknown(spec) || holdsUnknown(capabilities)) return [];
    const parsed = tableSpec.safeParse(spec);
    const [server, lake] = [text(at(capabilities, "server")), text(at(capabilities, "lake"))];
    if (!parsed.success) return [];
    return validateTable(parsed.data as TableSpec, {
        server: server === "0.9" ? "0.9" : "1.0",
        lake: lake === "iceberg" ? "iceberg" : "none",
    });
}
