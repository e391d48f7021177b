import * as pulumi from "@pulumi/pulumi";
import { resourceType } from "../resource-types.ts";
import { ThinResource } from "../thin-resource.ts";
import type { CommonArgs } from "./resource-common.ts";

/** Arguments of {@link VvpFlussConsoleCluster}. */
export interface VvpFlussConsoleClusterArgs extends CommonArgs {
    /** Cluster name in the console. A new name is a new registration. */
    name: pulumi.Input<string>;
    /** `host:port` of the coordinator, several joined with commas, reachable from the platform's namespace. */
    bootstrapServers: pulumi.Input<string>;
    /** Where clients outside reach it. Default none. */
    externalEndpoint?: pulumi.Input<string>;
    /** SASL user. Default: no login. */
    username?: pulumi.Input<string>;
    /** Its password. Kept encrypted in the state. */
    password?: pulumi.Input<string>;
    /** Whether the run fails when the console cannot be told. Default false: `registered` and `reason` say it. */
    required?: pulumi.Input<boolean>;
    /** Path of the console's page, which tells whether it is there. Default `/fluss` (VVP 3 documentation). */
    pagePath?: pulumi.Input<string>;
    /** Path of the registrations. Default `/fluss/api/v1/clusters`, a guess: no API of the console is public. */
    clustersPath?: pulumi.Input<string>;
    /** So long the console may take to look at a new or changed registration, in seconds. Default 30. */
    healthSeconds?: pulumi.Input<number>;
}

/**
 * A Fluss cluster in the platform's Fluss Console (chart 3.1.4 and later, `global.flussManager.enabled`). Experimental:
 * the console's API is not public, so that paths and field names are guesses; without `required` it never fails a stack.
 */
export class VvpFlussConsoleCluster extends ThinResource {
    /** Whether the console knows it as it is given here. */
    declare readonly registered: pulumi.Output<boolean>;
    /** Why it does not. */
    declare readonly reason: pulumi.Output<string | undefined>;
    /** HEALTHY, UNHEALTHY or UNKNOWN, as last seen. */
    declare readonly health: pulumi.Output<string>;
    /** Why the console does not show it as HEALTHY, or why that cannot be known; undefined when it does. Also a warning. */
    declare readonly finding: pulumi.Output<string | undefined>;

    constructor(name: string, args: VvpFlussConsoleClusterArgs, opts?: pulumi.CustomResourceOptions) {
        const password = args.password === undefined ? {} : { password: pulumi.secret(args.password) };
        super(resourceType("vvpFlussConsoleCluster"), name, { ...args, ...password }, opts);
    }
}
