import * as pulumi from "@pulumi/pulumi";
import { ThinResource } from "../thin-resource.ts";

/** How a Lakekeeper server is reached. */
export interface LakekeeperConnectionArgs {
    /** Base URL as Pulumi reaches it, without `/management` or `/catalog`. A new URL is the same server at a new address. */
    url: pulumi.Input<string>;
    /**
     * Bearer token; kept as a secret, and never a reason for a change. The environment variable `LAKEKEEPER_TOKEN`
     * wins over it; without both, `pulumi-fluss:lakekeeperToken` of the stack's configuration is taken.
     */
    token?: pulumi.Input<string>;
}

interface CommonArgs {
    connection: pulumi.Input<LakekeeperConnectionArgs>;
}

/** Arguments of {@link LakekeeperServer}. All but the connection are used once, for the bootstrap. */
export interface LakekeeperServerArgs extends CommonArgs {
    /** Must be true: bootstrapping means accepting Lakekeeper's terms of use. */
    acceptTermsOfUse: pulumi.Input<boolean>;
    /** With OpenFGA: the caller may do everything, also read data. Default false: manage only. */
    isOperator?: pulumi.Input<boolean>;
    /** Name of the first user. Default: from the token. */
    userName?: pulumi.Input<string>;
    /** Default `application`. */
    userType?: pulumi.Input<"human" | "application">;
    /** Seconds to wait for a server that was just installed. Default 120; a refused token is final after 30. */
    waitSeconds?: pulumi.Input<number>;
}

/**
 * A Lakekeeper server that is bootstrapped. A server that somebody else bootstrapped is taken as it is.
 * Its `id` is the server's own id. The API cannot undo it: deleting this resource leaves the server as it is.
 */
export class LakekeeperServer extends ThinResource {
    /** Version of the server, for example `0.13.3`. */
    declare readonly version: pulumi.Output<string>;
    /** Id of the default project, when the server has one. */
    declare readonly defaultProjectId: pulumi.Output<string | undefined>;
    /** `allow-all`, `openfga`, … */
    declare readonly authzBackend: pulumi.Output<string>;
    /** True when somebody else had bootstrapped the server. */
    declare readonly adopted: pulumi.Output<boolean>;
    /** What Iceberg clients take as `uri`. */
    declare readonly catalogUri: pulumi.Output<string>;

    constructor(name: string, args: LakekeeperServerArgs, opts?: pulumi.CustomResourceOptions) {
        const outputs = ["version", "defaultProjectId", "authzBackend", "adopted", "catalogUri"];
        const secretOutputs = ["connection"];
        super(
            { provider: "lakekeeperServer", type: "lakekeeper:Server", outputs, secretOutputs },
            name,
            sealed(args),
            opts,
        );
    }
}

/** Arguments of {@link LakekeeperProject}. */
export interface LakekeeperProjectArgs extends CommonArgs {
    /** 1 to 128 letters, digits, hyphens and underscores. A new id is a new project. */
    projectId: pulumi.Input<string>;
    /** Need not be unique. Renamed in place. */
    name: pulumi.Input<string>;
    /** Takes over a project with this id. Default false: it is an error when it exists. */
    adopt?: pulumi.Input<boolean>;
    /** Refuses to delete or replace it. Default true. */
    deletionProtection?: pulumi.Input<boolean>;
}

/** A project: a tenant of the server with its own warehouses. It is deleted only when it has none. */
export class LakekeeperProject extends ThinResource {
    declare readonly projectId: pulumi.Output<string>;
    declare readonly name: pulumi.Output<string>;
    /** True when the project was there before. */
    declare readonly adopted: pulumi.Output<boolean>;

    constructor(name: string, args: LakekeeperProjectArgs, opts?: pulumi.CustomResourceOptions) {
        const outputs = ["adopted"];
        const secretOutputs = ["connection"];
        super(
            { provider: "lakekeeperProject", type: "lakekeeper:Project", outputs, secretOutputs },
            name,
            sealed(args),
            opts,
        );
    }
}

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
    /** The server signs requests of clients that have no key. Default true. */
    remoteSigningEnabled?: pulumi.Input<boolean>;
    /** Default `auto`. */
    remoteSigningUrlStyle?: pulumi.Input<"path" | "virtual_host" | "auto">;
    /** Clients must not delete files by themselves. Default true. */
    pushS3DeleteDisabled?: pulumi.Input<boolean>;
    awsKmsKeyArn?: pulumi.Input<string>;
    /** Content-MD5 with multi-object deletes, which older stores want. */
    legacyMd5Behavior?: pulumi.Input<boolean>;
    /** Default: the server's. */
    storageLayout?: pulumi.Input<LakekeeperStorageLayout>;
}

/** The key with which the server works on the bucket. */
export interface LakekeeperS3CredentialArgs {
    type: pulumi.Input<"s3-access-key">;
    accessKeyId: pulumi.Input<string>;
    secretAccessKey: pulumi.Input<string>;
    externalId?: pulumi.Input<string>;
}

/** Arguments of {@link LakekeeperWarehouse}. */
export interface LakekeeperWarehouseArgs extends CommonArgs {
    /** Default: the server's default project. Another project is another warehouse. */
    projectId?: pulumi.Input<string>;
    /** Renamed in place; clients must then use the new name. */
    name: pulumi.Input<string>;
    storage: pulumi.Input<LakekeeperS3StorageArgs>;
    /** Kept as a secret. The server never shows it again; that it was taken away outside is noticed. */
    credential?: pulumi.Input<LakekeeperS3CredentialArgs>;
    /** `hard` (default): a dropped table is gone. `soft`: it can be brought back for so long. */
    deleteProfile?: pulumi.Input<
        { type: "hard" } | { type: "soft"; expirationSeconds: pulumi.Input<number> }
    >;
    /** Lakekeeper's own protection from deletion, by whomever. Default false. */
    protected?: pulumi.Input<boolean>;
    /** Default true. */
    active?: pulumi.Input<boolean>;
    /** Iceberg format versions that tables may have, of 1, 2 and 3 (0.13 and newer). Default: the server's. */
    allowedFormatVersions?: pulumi.Input<pulumi.Input<number>[]>;
    /** Format version of new tables; one of `allowedFormatVersions`. */
    defaultFormatVersion?: pulumi.Input<number>;
    /** Takes over a warehouse of this name at this place and brings it to these arguments. Default false. */
    adopt?: pulumi.Input<boolean>;
    /** Refuses to delete or replace it. Default true. */
    deletionProtection?: pulumi.Input<boolean>;
    /** How long a new warehouse may be refused for key or bucket, in seconds, since new keys take a while. Default 30. */
    storageWaitSeconds?: pulumi.Input<number>;
}

/**
 * A warehouse: a place in object storage with a name, in which the catalog keeps tables. It is deleted only when empty.
 * Its `id` is the server's own id, which stands in the paths of the catalog's API.
 */
export class LakekeeperWarehouse extends ThinResource {
    declare readonly name: pulumi.Output<string>;
    /** Id of the project that it is in. */
    declare readonly project: pulumi.Output<string>;
    /** What Iceberg clients take as `uri`, beside the name as `warehouse`. */
    declare readonly catalogUri: pulumi.Output<string>;
    /** Type of the credential that the server has, `s3/access-key`. */
    declare readonly credentialType: pulumi.Output<string | undefined>;
    /** True when the warehouse was there before. */
    declare readonly adopted: pulumi.Output<boolean>;

    constructor(name: string, args: LakekeeperWarehouseArgs, opts?: pulumi.CustomResourceOptions) {
        const outputs = ["project", "catalogUri", "credentialType", "adopted"];
        const secretOutputs = ["connection", "credential"];
        super(
            { provider: "lakekeeperWarehouse", type: "lakekeeper:Warehouse", outputs, secretOutputs },
            name,
            { ...sealed(args), ...(args.credential ? { credential: pulumi.secret(args.credential) } : {}) },
            opts,
        );
    }
}

/**
 * Makes the whole connection one secret: so the token is never stored in clear, also when the program did not say that
 * it is secret. (A secret inside of an object that is secret as an output would be encrypted twice.)
 */
function sealed<T extends CommonArgs>(args: T): T {
    return { ...args, connection: pulumi.secret(args.connection) };
}
