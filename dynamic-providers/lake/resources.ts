import * as pulumi from "@pulumi/pulumi";
import type { Lake } from "../../model/lake.ts";
import { resourceType } from "../resource-types.ts";
import { ThinResource } from "../thin-resource.ts";

/** Arguments of {@link LakeEndpoint}. */
export interface LakeEndpointArgs {
    /** The lake as servers and jobs get it. Every secret needs its `value`; kept as a secret. */
    lake: pulumi.Input<Lake>;
    /** Where the storage account's blob service answers, if it is an emulator: `http://127.0.0.1:10000/<account>`. */
    azureEndpoint?: pulumi.Input<string>;
    /** For each call, in seconds. Default 10. */
    timeoutSeconds?: pulumi.Input<number>;
}

/**
 * A lake that exists, checked in the preview and whenever it changes, before a job is submitted: the REST catalog must take the
 * token, or give the OAuth client a token for its scope, and know the warehouse; PostgreSQL must know the database of a JDBC
 * catalog and let its user in; the bucket, or the storage account and its
 * container, must be there and let the lake's own key list and, in an update, write and delete an object in the lake's
 * folder. What is wrong stops the run with what to do. What cannot be reached from here is let through with a warning. Not
 * asked: a store whose keys the catalog holds.
 *
 * Name it in `dependsOn` of a `TieringDeployment`.
 */
export class LakeEndpoint extends ThinResource {
    /** What was found good: `catalog`, `store`. */
    declare readonly checked: pulumi.Output<string[]>;

    constructor(name: string, args: LakeEndpointArgs, opts?: pulumi.CustomResourceOptions) {
        super(resourceType("lakeEndpoint"), name, { ...args, lake: pulumi.secret(args.lake) }, opts);
    }
}
