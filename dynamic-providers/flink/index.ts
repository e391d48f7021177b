import { type Hosted, hosted } from "../resource.ts";
import { flinkJarJob } from "./jar-job.ts";
import { flinkSqlJob } from "./sql-job.ts";

/** The logic of jobs in Flink session clusters by the names that users' states hold: never rename or remove one. */
export const flinkProviders = {
    flinkJarJob: hosted(flinkJarJob),
    flinkSqlJob: hosted(flinkSqlJob),
} satisfies Record<string, Hosted>;
