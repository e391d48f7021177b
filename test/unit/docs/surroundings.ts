/** What examples of the docs use without making it: the names that the pages around them explain. */
import * as pulumi from "@pulumi/pulumi";
import {
    FlussCluster,
    LakeBuckets,
    LakekeeperCatalog,
    StreamingLakehouse,
    type StreamingLakehouseArgs,
    type TableSpecArgs,
    VvpWorkspaceSetup,
} from "../../../components/index.ts";
import { defineLake, type FlussClient } from "../../../model/index.ts";

const region = "eu-central-1";
const password = pulumi.secret("sesame-4711");

export const config = new pulumi.Config();
export const connection = { url: "https://vvp.example.com" };
export const runner = { kind: "vvp" as const, connection };
export const bootstrapServers = "coordinator:9124";
export const clientUsername = "fluss-client";
export const clientPassword = password;
export const internalUrl = "http://fluss-lakekeeper.fluss.svc.cluster.local:8181";
export const kubeconfig = "the text of a kubeconfig";
export const bucket = "acme-lake";
export const remoteBucket = "acme-remote";
export const accessKeyId = pulumi.output("AKIAEXAMPLE");
export const secretAccessKey = password;
export const mainArgs = "--fluss.bootstrap.servers coordinator:9124";
export const sqlScript = "INSERT INTO a SELECT * FROM b";
export const additionalDependencies: string[] = [];

export const buckets = new LakeBuckets("surroundings", { region });
export const key = buckets.key;
export const catalog = new LakekeeperCatalog("surroundings", {
    existing: { url: "http://localhost:8181", internalUrl, token: password },
    storage: { bucket: buckets.lakeBucket, region, key },
});
export const cluster = new FlussCluster("surroundings", {
    existing: { bootstrapServers, clientUsername, clientPassword },
});
export const workspace = new VvpWorkspaceSetup("surroundings", {
    connection,
    jobNamespace: "vvp-jobs",
    jars: { from: "jars", setup: { release: "1.0.0-vv-3", catalog: "rest", storage: "s3" } },
});

export const client: FlussClient = {
    bootstrapServers,
    sasl: { username: clientUsername, password: { secretValue: "fluss-password", env: "FLUSS_PASSWORD" } },
};
export const lake = defineLake({
    catalog: {
        type: "rest",
        uri: `${internalUrl}/catalog`,
        warehouse: "fluss",
        auth: { type: "token", token: { secretValue: "fluss-iceberg-token", env: "ICEBERG_TOKEN" } },
    },
    storage: { type: "s3", bucket, region, prefix: "fluss-lake-storage" },
});

export const accounts: TableSpecArgs = {
    database: "finance",
    name: "accounts",
    columns: [{ name: "account_id", type: "INT" }],
    primaryKey: ["account_id"],
};
export const trades: TableSpecArgs = {
    database: "finance",
    name: "trades",
    columns: [{ name: "trade_id", type: "BIGINT" }],
};
export const tables: TableSpecArgs[] = [accounts, trades];
export const args: StreamingLakehouseArgs = {
    buckets: { region },
    lakekeeper: { url: "http://localhost:8181", internalUrl, token: password },
    fluss: { existing: { bootstrapServers, clientUsername, clientPassword } },
    flussVersion: "1.0.0-vv-3",
    vvp: { connection, jobNamespace: "vvp-jobs" },
    jars: "jars",
    tables,
};
export const lakehouse = new StreamingLakehouse("surroundings-lakehouse", args);
