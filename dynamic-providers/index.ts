/**
 * What the dynamic provider process loads (`providers`), and the resource classes for programs.
 * The names in `providers` stand in users' states: they are never renamed or removed.
 *
 * @module pulumi-fluss/dynamic-providers
 */
import { flinkProviders } from "./flink/index.ts";
import { flinkSqlProviders } from "./flink-sql/index.ts";
import { flussProviders } from "./fluss/index.ts";
import { kubernetesProviders } from "./kubernetes/index.ts";
import { lakeProviders } from "./lake/index.ts";
import { lakekeeperProviders } from "./lakekeeper/index.ts";
import type { Hosted } from "./resource.ts";
import { vvpProviders } from "./vvp/index.ts";

export { completeClientJars } from "./client-jars/complete.ts";
export { fetchClientJars, type JarFetch, type JarSource } from "./client-jars/fetch.ts";
export * from "./flink/resources.ts";
export * from "./flink-sql/resources.ts";
export * from "./fluss/resources.ts";
export * from "./kubernetes/resources.ts";
export * from "./lake/resources.ts";
export * from "./lakekeeper/resources.ts";
export * from "./lakekeeper/resources-access.ts";
export * from "./lakekeeper/resources-content.ts";
export * from "./vvp/resources.ts";

/** The resources' logic by the name that the state knows; see `providerText`. */
export const providers: Record<string, Hosted> = {
    ...lakekeeperProviders,
    ...vvpProviders,
    ...flinkSqlProviders,
    ...flinkProviders,
    ...kubernetesProviders,
    ...flussProviders,
    ...lakeProviders,
};
