/**
 * The components of a streaming lakehouse, and what their arguments are made of.
 *
 * @module pulumi-fluss
 */

export type { SqlRunnerArgs } from "../dynamic-providers/flink-sql/resources.ts";
export type { VvpConnectionArgs } from "../dynamic-providers/vvp/resources.ts";
export type { FlussClient } from "../model/fluss-client.ts";
export type { StandaloneSoftware } from "../model/fluss-standalone.ts";
export type { Lake } from "../model/lake.ts";
export type { Storage } from "../model/lake-storage.ts";
export type { LakehouseOutputs } from "../model/lakehouse-outputs.ts";
export type { SecretRef } from "../model/secret-ref.ts";
export type { SqlJobSource, SqlJobStatements } from "../model/sql-script.ts";
export type {
    ColumnSpec,
    ComputedColumnSpec,
    TableOptions,
    TableSpec,
    TableSpecArgs,
    WatermarkSpec,
} from "../model/table.ts";
export * from "../model/table-presets.ts";
export * from "./application-tiering-deployment.ts";
export * from "./flink-tiering-deployment.ts";
export * from "./fluss-cluster.ts";
export type * from "./fluss-cluster-chart.ts";
export type { FlussUser } from "./fluss-cluster-secrets.ts";
export * from "./fluss-standalone.ts";
export * from "./fluss-tables.ts";
export type * from "./job-namespace.ts";
export * from "./lake-buckets.ts";
export type { LakekeeperRoleArgs, LakeRoles, LakeRolesArgs, WebIdentityArgs } from "./lake-roles.ts";
export * from "./lakekeeper-catalog.ts";
export type * from "./lakekeeper-catalog-chart.ts";
export type {
    LakekeeperCertificates,
    LakekeeperDatabase,
    LakekeeperIngress,
    LakekeeperOpenFga,
    LakekeeperPartArgs,
    LakekeeperSecretStore,
} from "./lakekeeper-catalog-parts.ts";
export * from "./outputs-of.ts";
export * from "./session-tiering-deployment.ts";
export * from "./sql-job.ts";
export * from "./streaming-lakehouse.ts";
export * from "./tiering-deployment.ts";
export type { TieringHealth } from "./tiering-health.ts";
export type { KubernetesTieringArgs } from "./tiering-on-kubernetes.ts";
export * from "./vvp-operator-deployment.ts";
export * from "./vvp-workspace-setup.ts";
