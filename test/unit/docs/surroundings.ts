/** What examples of the docs use without making it: the names that the pages around them explain. */
import * as pulumi from "@pulumi/pulumi";
import type {
    FlussCluster,
    LakeBuckets,
    LakekeeperCatalog,
    StreamingLakehouse,
    StreamingLakehouseArgs,
    TableSpecArgs,
    VvpWorkspaceSetup,
} from "../../../components/index.ts";
import type { FlussClient, Lake } from "../../../model/index.ts";

export const config = new pulumi.Config();
export const connection = { url: "https://vvp.example.com" };
export const runner = { kind: "vvp" as const, connection };

export declare const buckets: LakeBuckets;
export declare const catalog: LakekeeperCatalog;
export declare const cluster: FlussCluster;
export declare const workspace: VvpWorkspaceSetup;
export declare const lakehouse: StreamingLakehouse;
export declare const lake: Lake;
export declare const client: FlussClient;
export declare const args: StreamingLakehouseArgs;
export declare const accounts: TableSpecArgs;
export declare const trades: TableSpecArgs;
export declare const tables: TableSpecArgs[];
export declare const key: LakeBuckets["key"];
export declare const bootstrapServers: string;
export declare const clientUsername: string;
export declare const clientPassword: pulumi.Output<string>;
export declare const internalUrl: string;
export declare const kubeconfig: string;
export declare const bucket: string;
export declare const remoteBucket: string;
export declare const accessKeyId: pulumi.Output<string>;
export declare const secretAccessKey: pulumi.Output<string>;
export declare const mainArgs: string;
export declare const sqlScript: string;
export declare const additionalDependencies: string[];
