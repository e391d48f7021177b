/** The components of a streaming lakehouse, and what their arguments are made of. */
export * from "./fluss-cluster.ts";
export * from "./fluss-tables.ts";
export * from "./lake-buckets.ts";
export * from "./lakekeeper-catalog.ts";
export * from "./streaming-lakehouse.ts";
export * from "./tiering-deployment.ts";
export * from "./vvp-workspace-setup.ts";
