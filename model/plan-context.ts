import type { TableCapabilities } from "./table.ts";

/** What the plan depends on, next to the two specs. */
export interface PlanContext extends TableCapabilities {
    /** The Flink catalog under which the statements reach the table. */
    catalog: string;
    /** Options whose change may lose data and is wanted all the same, by name: `["table.log.ttl"]`. */
    allowDataLoss?: readonly string[];
}
