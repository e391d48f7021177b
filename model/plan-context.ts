import type { TableCapabilities } from "./table.ts";

/** What the plan depends on, next to the two specs. */
export interface PlanContext extends TableCapabilities {
    /** The Flink catalog under which the statements reach the table. */
    catalog: string;
    /**
     * What may lose data and is wanted all the same, by name: options that change (`table.log.ttl`), and partitions to drop
     * as SHOW PARTITIONS prints them (`dt=2024-01-01`).
     */
    allowDataLoss?: readonly string[];
    /** True when the table was made before the cluster had its lake, as far as that is known. Default false. */
    withoutLake?: boolean;
}
