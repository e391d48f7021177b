import type * as pulumi from "@pulumi/pulumi";
import { resourceType } from "../resource-types.ts";
import { ThinResource } from "../thin-resource.ts";
import { type CommonArgs, ownerMark } from "./resource-common.ts";

/** Arguments of {@link VvpApiToken}. Each of them makes a new token; the old one is deleted after what uses it changed over. */
export interface VvpApiTokenArgs extends CommonArgs {
    /** Start of its name on the platform: lower-case letters, digits and inner hyphens, at most 50. */
    name: pulumi.Input<string>;
    /** `viewer`, `editor`, `owner` (VVP 3 documentation) or a custom role of the namespace. */
    role: pulumi.Input<string>;
    /** When it stops working, as `2027-01-31T00:00:00Z`. Default: never. The field's name in the API is a guess. */
    expireTime?: pulumi.Input<string>;
    /** Any text, for example a date: a new text makes a new token. */
    rotation?: pulumi.Input<string>;
}

/**
 * An API token of the namespace, for programs that call the platform. The token that Pulumi itself uses must be an
 * owner's to make one.
 */
export class VvpApiToken extends ThinResource {
    /** Its whole name on the platform. */
    declare readonly tokenName: pulumi.Output<string>;
    /** The token, a secret. The platform shows it once; it is kept encrypted in the state. */
    declare readonly secret: pulumi.Output<string>;
    /** As given. */
    declare readonly expireTime: pulumi.Output<string | undefined>;

    constructor(name: string, args: VvpApiTokenArgs, opts?: pulumi.CustomResourceOptions) {
        super(resourceType("vvpApiToken"), name, { ...args, mark: ownerMark(name) }, opts);
    }
}
