import type * as pulumi from "@pulumi/pulumi";
import { resourceType } from "../resource-types.ts";
import { ThinResource } from "../thin-resource.ts";
import { type CommonArgs, sealed } from "./connection-args.ts";

/** Arguments of {@link LakekeeperUser}. */
export interface LakekeeperUserArgs extends CommonArgs {
    /** As the server calls the subject of a token: `oidc~<subject>`, `kubernetes~<uid of the service account>`. Final. */
    userId: pulumi.Input<string>;
    name: pulumi.Input<string>;
    email?: pulumi.Input<string>;
    /** Default `human`. */
    userType?: pulumi.Input<"human" | "application">;
    /** Takes over a user that the server knows already, since who logs in becomes known. Default false. */
    adopt?: pulumi.Input<boolean>;
}

/**
 * A user whom the server knows before their first login, so that roles and grants can name them.
 * Its `id` is the user's id.
 */
export class LakekeeperUser extends ThinResource {
    declare readonly userId: pulumi.Output<string>;
    /** True when the server knew the user before. */
    declare readonly adopted: pulumi.Output<boolean>;

    constructor(name: string, args: LakekeeperUserArgs, opts?: pulumi.CustomResourceOptions) {
        super(resourceType("lakekeeperUser"), name, sealed(args), opts);
    }
}

/** Arguments of {@link LakekeeperRole}. */
export interface LakekeeperRoleArgs extends CommonArgs {
    /** Default: the server's default project. Another project is another role. */
    projectId?: pulumi.Input<string>;
    /** Unique in the project, whatever its case. Renamed in place. */
    name: pulumi.Input<string>;
    description?: pulumi.Input<string>;
    /** The system that the role comes from, with `sourceId` (0.12 and newer). Default: Lakekeeper itself. */
    providerId?: pulumi.Input<string>;
    /** Id of the role in that system. */
    sourceId?: pulumi.Input<string>;
    /** Takes over a role of this name. Default false. */
    adopt?: pulumi.Input<boolean>;
}

/** A role of a project. Its `id` is the server's own id, which members and grants name. */
export class LakekeeperRole extends ThinResource {
    declare readonly name: pulumi.Output<string>;
    /** Id of the project that it is in. */
    declare readonly project: pulumi.Output<string>;
    /** True when the role was there before. */
    declare readonly adopted: pulumi.Output<boolean>;

    constructor(name: string, args: LakekeeperRoleArgs, opts?: pulumi.CustomResourceOptions) {
        super(resourceType("lakekeeperRole"), name, sealed(args), opts);
    }
}

/** Arguments of {@link LakekeeperRoleMembers}. */
export interface LakekeeperRoleMembersArgs extends CommonArgs {
    /** Project of the role. Default: the server's default project. */
    projectId?: pulumi.Input<string>;
    /** `id` of the role. */
    roleId: pulumi.Input<string>;
    /** Users must be known to the server: see {@link LakekeeperUser}. Their order does not matter. */
    members: pulumi.Input<pulumi.Input<{ type: pulumi.Input<"user" | "role">; id: pulumi.Input<string> }>[]>;
    /** Takes members away that are not listed. Default false: they stay. */
    exclusive?: pulumi.Input<boolean>;
}

/** Members of a role (0.13 and newer, with each authorizer). Several of these can add to one role. */
export class LakekeeperRoleMembers extends ThinResource {
    declare readonly roleId: pulumi.Output<string>;

    constructor(name: string, args: LakekeeperRoleMembersArgs, opts?: pulumi.CustomResourceOptions) {
        super(resourceType("lakekeeperRoleMembers"), name, sealed(args), opts);
    }
}

/** The object on which grants are given. Another object means other grants. */
export type LakekeeperGrantsOn =
    | { type: pulumi.Input<"server"> }
    | { type: pulumi.Input<"project">; projectId?: pulumi.Input<string> }
    | { type: pulumi.Input<"warehouse">; warehouseId: pulumi.Input<string> }
    | { type: pulumi.Input<"namespace">; namespaceId: pulumi.Input<string> }
    | { type: pulumi.Input<"role">; roleId: pulumi.Input<string>; projectId?: pulumi.Input<string> };

/** Arguments of {@link LakekeeperGrants}. */
export interface LakekeeperGrantsArgs extends CommonArgs {
    on: pulumi.Input<LakekeeperGrantsOn>;
    /**
     * Each names either a user or a role. Relations: server `admin`, `operator`; project `project_admin`, `security_admin`,
     * `data_admin`, `role_creator`, `describe`, `select`, `create`, `modify`; warehouse and namespace `ownership`,
     * `pass_grants`, `manage_grants`, `describe`, `select`, `create`, `modify`; role `assignee`, `ownership`.
     */
    grants: pulumi.Input<
        pulumi.Input<{
            relation: pulumi.Input<string>;
            user?: pulumi.Input<string>;
            role?: pulumi.Input<string>;
        }>[]
    >;
    /** Takes grants away that are not listed, those of the caller too. Default false: they stay. */
    exclusive?: pulumi.Input<boolean>;
}

/**
 * Who may do what on one object. Only a server with OpenFGA has grants: with another authorizer the preview is refused.
 * Several of these can add to one object.
 */
export class LakekeeperGrants extends ThinResource {
    constructor(name: string, args: LakekeeperGrantsArgs, opts?: pulumi.CustomResourceOptions) {
        super(resourceType("lakekeeperGrants"), name, sealed(args), opts);
    }
}
