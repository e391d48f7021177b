import type * as pulumi from "@pulumi/pulumi";
import { resourceType } from "../resource-types.ts";
import { ThinResource } from "../thin-resource.ts";
import { type AdoptArgs, type CommonArgs, ownerMark } from "./resource-common.ts";

/** Arguments of {@link VvpDraft}. The platform has no documented way to change a draft: any change makes a new one. */
export interface VvpDraftArgs extends CommonArgs, AdoptArgs {
    /** Name in the console's editor. */
    name: pulumi.Input<string>;
    /** {@link VvpDeploymentTarget.targetId}: a draft knows its target by the id, not by the name. */
    deploymentTargetId: pulumi.Input<string>;
    /** Session cluster that Debug runs on. Default none. */
    sessionCluster?: pulumi.Input<string>;
    /** The script. */
    sqlScript: pulumi.Input<string>;
    /** Default: the platform's. */
    engineVersion?: pulumi.Input<string>;
    /** Default `STREAMING`. */
    executionMode?: pulumi.Input<"STREAMING" | "BATCH">;
    /** URIs of the JARs that the script needs, those of the lake included (quickstart). */
    additionalDependencies?: pulumi.Input<pulumi.Input<string>[]>;
    /** Flink options. Default none. */
    flinkConfiguration?: pulumi.Input<Record<string, pulumi.Input<string>>>;
    /** Lets the platform check the script first; a script with faults makes no draft. Default true. */
    validate?: pulumi.Input<boolean>;
    /** Deploys it: makes a deployment with its script and JARs, which no job runs yet. Default false. */
    deploy?: pulumi.Input<boolean>;
}

/** A SQL draft of the console's editor, with its JARs. The deployment that was made of it is deleted with it. */
export class VvpDraft extends ThinResource {
    /** The platform's id; also the resource's. */
    declare readonly draftId: pulumi.Output<string>;
    /** The deployment that was made of it, with `deploy`. */
    declare readonly deploymentId: pulumi.Output<string | undefined>;

    constructor(name: string, args: VvpDraftArgs, opts?: pulumi.CustomResourceOptions) {
        super(resourceType("vvpDraft"), name, { ...args, mark: ownerMark(name) }, opts);
    }
}
