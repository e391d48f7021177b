/**
 * What the domain knows: schemas, rules and what is derived from them. No I/O, no Pulumi.
 *
 * @module pulumi-fluss/model
 */

export * from "./application-cluster.ts";
export * from "./catalog-options.ts";
export * from "./column-types.ts";
export * from "./ddl.ts";
export * from "./engine-rules.ts";
export * from "./engine-version.ts";
export * from "./faults.ts";
export * from "./flink-command.ts";
export * from "./flink-deployment.ts";
export * from "./fluss-client.ts";
export * from "./fluss-config.ts";
export * from "./fluss-helm-extras.ts";
export * from "./fluss-helm-values.ts";
export * from "./fluss-options.ts";
export * from "./fluss-standalone.ts";
export * from "./jar-sources.ts";
export * from "./jars.ts";
export * from "./job-namespace.ts";
export * from "./lake.ts";
export * from "./lake-catalog.ts";
export * from "./lake-combinations.ts";
export * from "./lake-core-site.ts";
export * from "./lake-options.ts";
export * from "./lake-storage.ts";
export * from "./lake-troubles.ts";
export * from "./lakehouse-outputs.ts";
export * from "./lakekeeper-helm-parts.ts";
export * from "./lakekeeper-helm-values.ts";
export * from "./names.ts";
export * from "./network-policies.ts";
export * from "./network-reach.ts";
export * from "./plan.ts";
export * from "./reader-settings.ts";
export * from "./readers.ts";
export * from "./sample-data.ts";
export * from "./secret-ref.ts";
export * from "./sql-script.ts";
export * from "./table.ts";
export * from "./table-presets.ts";
export * from "./tiering.ts";
export * from "./vvp-deployment.ts";
