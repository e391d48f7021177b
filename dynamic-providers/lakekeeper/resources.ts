import * as pulumi from "@pulumi/pulumi";
import { resourceType } from "../resource-types.ts";
import { ThinResource } from "../thin-resource.ts";
import { type CommonArgs, sealed } from "./connection-args.ts";
import type { LakekeeperCredentialArgs, LakekeeperStorageArgs } from "./storage/args.ts";

export type {
    LakekeeperConnectionArgs,
    LakekeeperKubernetesArgs,
    LakekeeperOidcArgs,
    LakekeeperPortForwardArgs,
} from "./connection-args.ts";
export * from "./storage/args.ts";
export * from "./storage/presets.ts";

/** Arguments of {@link LakekeeperServer}. All but the connection are used once, for the bootstrap. */
export interface LakekeeperServerArgs extends CommonArgs {
    /** Must be true: bootstrapping means accepting Lakekeeper's terms of use. */
    acceptTermsOfUse: pulumi.Input<boolean>;
    /** False takes a server that others bootstrap, and refuses one that nobody has bootstrapped. Default true. */
    bootstrap?: pulumi.Input<boolean>;
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
        super(resourceType("lakekeeperServer"), name, sealed(args), opts);
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
        super(resourceType("lakekeeperProject"), name, sealed(args), opts);
    }
}

/** Arguments of {@link LakekeeperWarehouse}. */
export interface LakekeeperWarehouseArgs extends CommonArgs {
    /** Default: the server's default project. Another project is another warehouse. */
    projectId?: pulumi.Input<string>;
    /** Renamed in place; clients must then use the new name. */
    name: pulumi.Input<string>;
    /** What of it is final stands at the types; a change of that is another warehouse. */
    storage: pulumi.Input<LakekeeperStorageArgs>;
    /** Kept as a secret. The server never shows it again; that it was taken away outside is noticed. */
    credential?: pulumi.Input<LakekeeperCredentialArgs>;
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
    /** `instance-admin` locks it for everybody who is none (0.13 and newer). Default: left as it is. */
    managedBy?: pulumi.Input<"self-managed" | "instance-admin">;
    /** Takes over a warehouse of this name at this place and brings it to these arguments. Default false. */
    adopt?: pulumi.Input<boolean>;
    /** Refuses to delete or replace it. Default true. */
    deletionProtection?: pulumi.Input<boolean>;
    /** Before it is deleted, drops what is in it. Default: a warehouse that holds anything is not deleted. */
    drain?: pulumi.Input<LakekeeperDrainArgs>;
    /** How long a new warehouse may be refused for key or bucket, in seconds, since new keys take a while. Default 30. */
    storageWaitSeconds?: pulumi.Input<number>;
}

/** How a warehouse is emptied before it is deleted. */
export interface LakekeeperDrainArgs {
    /** How long it may take, in seconds. Default 600. What then still blocks is named. */
    deadlineSeconds?: pulumi.Input<number>;
    /** Deletes the files of the tables too. Default false. */
    purge?: pulumi.Input<boolean>;
    /** Also drops what is protected, or could still be brought back. Default false. */
    force?: pulumi.Input<boolean>;
}

/**
 * A warehouse: a place in object storage with a name, in which the catalog keeps tables. It is deleted only when empty.
 * Its `id` is the server's own id, which stands in the paths of the catalog's API.
 */
export class LakekeeperWarehouse extends ThinResource {
    declare readonly name: pulumi.Output<string>;
    /** Id of the project that it is in. */
    declare readonly project: pulumi.Output<string>;
    /** What Iceberg clients take as `uri`. */
    declare readonly catalogUri: pulumi.Output<string>;
    /** What they take as `warehouse`: `<project>/<name>`. In the default project the name alone does, too. */
    declare readonly catalogWarehouse: pulumi.Output<string>;
    /** Type of the credential that the server has, `s3/access-key`. */
    declare readonly credentialType: pulumi.Output<string | undefined>;
    /** True when the warehouse was there before. */
    declare readonly adopted: pulumi.Output<boolean>;

    constructor(name: string, args: LakekeeperWarehouseArgs, opts?: pulumi.CustomResourceOptions) {
        super(
            resourceType("lakekeeperWarehouse"),
            name,
            { ...sealed(args), ...(args.credential ? { credential: pulumi.secret(args.credential) } : {}) },
            opts,
        );
    }
}
