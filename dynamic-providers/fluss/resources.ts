import * as pulumi from "@pulumi/pulumi";
import type { LakekeeperPortForwardArgs } from "../lakekeeper/connection-args.ts";
import { resourceType } from "../resource-types.ts";
import { ThinResource } from "../thin-resource.ts";

/** Arguments of {@link FlussEndpoint}. */
export interface FlussEndpointArgs {
    /** Client address, `host:port`, several with commas between. */
    bootstrapServers: pulumi.Input<string>;
    /** SASL PLAIN user. */
    username: pulumi.Input<string>;
    /** Its password; kept as a secret. */
    password: pulumi.Input<string>;
    /** The way to a server whose address is known inside of a Kubernetes cluster only; for the check alone. */
    portForward?: pulumi.Input<LakekeeperPortForwardArgs>;
    /** For each step of a check, in seconds. Default 10. */
    timeoutSeconds?: pulumi.Input<number>;
}

/**
 * A Fluss cluster that exists, checked when it is first named and whenever address or login change: Fluss must answer
 * there, let the user in and list its databases. What cannot be reached from here is let through with a warning.
 */
export class FlussEndpoint extends ThinResource {
    /** `coordinator` or `tablet server`; undefined while it could not be checked. */
    declare readonly server: pulumi.Output<string | undefined>;
    /** False while it cannot be reached from here. */
    declare readonly checked: pulumi.Output<boolean>;

    constructor(name: string, args: FlussEndpointArgs, opts?: pulumi.CustomResourceOptions) {
        super(
            resourceType("flussEndpoint"),
            name,
            {
                ...args,
                password: pulumi.secret(args.password),
                ...(args.portForward ? { portForward: pulumi.secret(args.portForward) } : {}),
            },
            opts,
        );
    }
}
