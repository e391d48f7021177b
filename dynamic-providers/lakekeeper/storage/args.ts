import type * as pulumi from "@pulumi/pulumi";

/** Folders of new tables below the warehouse's location. Changing it leaves existing tables where they are. */
export type LakekeeperStorageLayout =
    | { type: "default" }
    | { type: "tabular-only"; tabular: string }
    | { type: "full-hierarchy"; namespace: string; tabular: string };

/** S3, or a store that speaks its protocol. `bucket`, `keyPrefix`, and `region` without an endpoint, are final. */
export interface LakekeeperS3StorageArgs {
    type: pulumi.Input<"s3">;
    bucket: pulumi.Input<string>;
    /** Folder in the bucket. Default: the whole bucket, in which no other warehouse can be then. */
    keyPrefix?: pulumi.Input<string>;
    region: pulumi.Input<string>;
    /** For stores other than AWS, as the Lakekeeper server reaches it: `http://minio:9000`. */
    endpoint?: pulumi.Input<string>;
    /** `s3-compat` for stores other than AWS. Default `aws`. */
    flavor?: pulumi.Input<"aws" | "s3-compat">;
    /** Bucket in the path and not in the host name, which most stores other than AWS want. */
    pathStyleAccess?: pulumi.Input<boolean>;
    /** Role that the server assumes for its own work. */
    assumeRoleArn?: pulumi.Input<string>;
    /** Gives short-lived keys to clients. Default false. With flavor `aws` it needs one of the roles. */
    stsEnabled?: pulumi.Input<boolean>;
    stsRoleArn?: pulumi.Input<string>;
    /** Where STS answers, when not at `endpoint` (0.12 and newer). */
    stsEndpoint?: pulumi.Input<string>;
    /** Default 3600. */
    stsTokenValiditySeconds?: pulumi.Input<number>;
    stsSessionTags?: pulumi.Input<Record<string, pulumi.Input<string>>>;
    /** `s3a://` and `s3n://` may stand for `s3://` in locations of tables. Default false. */
    allowAlternativeProtocols?: pulumi.Input<boolean>;
    /** The server signs requests of clients that have no key (0.11 and newer can switch it off). Default true. */
    remoteSigningEnabled?: pulumi.Input<boolean>;
    /** Default `auto`. */
    remoteSigningUrlStyle?: pulumi.Input<"path" | "virtual_host" | "auto">;
    /** Clients must not delete files by themselves. Default true. */
    pushS3DeleteDisabled?: pulumi.Input<boolean>;
    awsKmsKeyArn?: pulumi.Input<string>;
    /** Content-MD5 with multi-object deletes, which older stores want (0.11 and newer). */
    legacyMd5Behavior?: pulumi.Input<boolean>;
    /** Default: the server's (0.12 and newer). */
    storageLayout?: pulumi.Input<LakekeeperStorageLayout>;
}

/** Azure Data Lake Storage. All but the last five are final; another `accountName` too, since the tables stay behind. */
export interface LakekeeperAdlsStorageArgs {
    type: pulumi.Input<"adls">;
    /** The container. */
    filesystem: pulumi.Input<string>;
    accountName: pulumi.Input<string>;
    /** Folder in the container. Default: the whole container. */
    keyPrefix?: pulumi.Input<string>;
    /** Where tokens come from. Default `https://login.microsoftonline.com`. */
    authorityHost?: pulumi.Input<string>;
    /** Default `dfs.core.windows.net`. */
    host?: pulumi.Input<string>;
    /** Gives short-lived tokens to clients. Default true (0.11 and newer can switch it off). */
    sasEnabled?: pulumi.Input<boolean>;
    sasTokenValiditySeconds?: pulumi.Input<number>;
    /** `wasbs://` may stand for `abfss://` in locations of tables. Default false. */
    allowAlternativeProtocols?: pulumi.Input<boolean>;
    /** Default: the server's (0.12 and newer). */
    storageLayout?: pulumi.Input<LakekeeperStorageLayout>;
}

/** Google Cloud Storage. `bucket` and `keyPrefix` are final. */
export interface LakekeeperGcsStorageArgs {
    type: pulumi.Input<"gcs">;
    bucket: pulumi.Input<string>;
    keyPrefix?: pulumi.Input<string>;
    /** Gives short-lived tokens to clients. Default true (0.11 and newer can switch it off). */
    stsEnabled?: pulumi.Input<boolean>;
    /** Default: the server's (0.12 and newer). */
    storageLayout?: pulumi.Input<LakekeeperStorageLayout>;
}

/** A lakehouse of Microsoft Fabric (0.12.4 and newer). All but the last four are final. */
export interface LakekeeperOneLakeStorageArgs {
    type: pulumi.Input<"onelake">;
    workspaceId: pulumi.Input<string>;
    lakehouseId: pulumi.Input<string>;
    /** Folder below `topLevelFolder`. */
    directoryRelPath?: pulumi.Input<string>;
    /** Default `Files`. */
    topLevelFolder?: pulumi.Input<"Files" | "Tables">;
    /** Default: the global endpoint. */
    endpointMode?: pulumi.Input<
        | { type: "default" }
        | { type: "regional"; region: pulumi.Input<string> }
        | { type: "workspace-private-link" }
    >;
    authorityHost?: pulumi.Input<string>;
    /** Default true. */
    sasEnabled?: pulumi.Input<boolean>;
    /** At most 3600. */
    sasTokenValiditySeconds?: pulumi.Input<number>;
    /** Default: the server's. */
    storageLayout?: pulumi.Input<LakekeeperStorageLayout>;
}

/** Where a warehouse keeps its tables. */
export type LakekeeperStorageArgs =
    | LakekeeperS3StorageArgs
    | LakekeeperAdlsStorageArgs
    | LakekeeperGcsStorageArgs
    | LakekeeperOneLakeStorageArgs;

/** The key with which the server works on the bucket. */
export interface LakekeeperS3CredentialArgs {
    type: pulumi.Input<"s3-access-key">;
    accessKeyId: pulumi.Input<string>;
    secretAccessKey: pulumi.Input<string>;
    externalId?: pulumi.Input<string>;
}

/** With what the server works on the storage. The system identities are what its pod runs as; the server must allow them. */
export type LakekeeperCredentialArgs =
    | LakekeeperS3CredentialArgs
    | { type: pulumi.Input<"s3-system-identity">; externalId?: pulumi.Input<string> }
    | {
          type: pulumi.Input<"s3-cloudflare-r2">;
          accessKeyId: pulumi.Input<string>;
          secretAccessKey: pulumi.Input<string>;
          /** Cloudflare API token, from which the server gets short-lived keys. */
          token: pulumi.Input<string>;
          accountId: pulumi.Input<string>;
      }
    | {
          type: pulumi.Input<"az-client-credentials">;
          clientId: pulumi.Input<string>;
          clientSecret: pulumi.Input<string>;
          tenantId: pulumi.Input<string>;
      }
    | { type: pulumi.Input<"az-shared-key">; key: pulumi.Input<string> }
    | { type: pulumi.Input<"az-system-identity"> }
    /** `key` is the text of the service account's key file. */
    | { type: pulumi.Input<"gcs-service-account-key">; key: pulumi.Input<string> }
    | { type: pulumi.Input<"gcs-system-identity"> };
