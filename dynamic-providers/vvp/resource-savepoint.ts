import type * as pulumi from "@pulumi/pulumi";
import { resourceType } from "../resource-types.ts";
import { ThinResource } from "../thin-resource.ts";
import type { CommonArgs } from "./resource-common.ts";

/** Arguments of {@link VvpSavepoint}. */
export interface VvpSavepointArgs extends CommonArgs {
    /** Id of a deployment whose job runs: {@link VvpDeployment.deploymentId}. Another deployment is another savepoint. */
    deploymentId: pulumi.Input<string>;
    /** For people. A new text is a new savepoint. */
    description?: pulumi.Input<string>;
    /** Flink's native format instead of the canonical one: faster, but tied to the state backend. Default: the platform's. */
    nativeFormat?: pulumi.Input<boolean>;
    /** Any text, for example a version: a new text takes a new savepoint, and then deletes the old one. */
    trigger?: pulumi.Input<string>;
    /** Longest wait for it, in seconds. Default 600. */
    timeoutSeconds?: pulumi.Input<number>;
}

/**
 * A savepoint of a running job, taken when the resource is made. It is deleted with the resource; the option
 * `retainOnDelete: true` keeps it.
 */
export class VvpSavepoint extends ThinResource {
    /** The platform's id; also the resource's. */
    declare readonly savepointId: pulumi.Output<string>;
    /** The job that it was taken of. */
    declare readonly jobId: pulumi.Output<string>;
    /** Where it lies; empty until it is complete. */
    declare readonly location: pulumi.Output<string>;
    /** STARTED, COMPLETED or FAILED, as last seen. */
    declare readonly status: pulumi.Output<string>;

    constructor(name: string, args: VvpSavepointArgs, opts?: pulumi.CustomResourceOptions) {
        super(resourceType("vvpSavepoint"), name, args, opts);
    }
}
