import * as pulumi from "@pulumi/pulumi";
import type { Lake } from "../../model/lake.ts";
import type { Catalog } from "../../model/lake-catalog.ts";
import type { LakekeeperPortForwardArgs } from "../lakekeeper/connection-args.ts";
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

/** Arguments of {@link LakeProgress}. */
export interface LakeProgressArgs {
    /**
     * The catalog of the lake, its part `catalog`, as whoever runs Pulumi reaches it; its secret needs its `value`. A REST catalog: one
     * of Hadoop or JDBC tells no snapshots, and is refused. Kept as a secret.
     */
    catalog: pulumi.Input<Catalog>;
    /** `database.table`, a table into which rows are written all the time. Another one is another check. */
    table: pulumi.Input<string>;
    /**
     * A new text waits for a snapshot again, for example the id of the tiering job or the revision of the servers. Default: only
     * another warehouse does.
     */
    trigger?: pulumi.Input<string | undefined>;
    /**
     * So long a new snapshot is waited for, in seconds, a day at most. Default: `table.datalake.freshness` of the table (3 minutes
     * where it has none) and four minutes: Fluss gives a table whose job was stopped in the middle of a round to the next one only
     * after two, and the round itself takes its time.
     */
    withinSeconds?: pulumi.Input<number | undefined>;
    /** The way to a catalog whose address is known inside of a Kubernetes cluster only. Default: none. */
    portForward?: pulumi.Input<LakekeeperPortForwardArgs>;
    /** For each call, in seconds. Default 10. */
    timeoutSeconds?: pulumi.Input<number>;
}

/**
 * A table of the lake that grows: there once the tiering service has committed a snapshot of it that was not there when the wait
 * began, read from the Iceberg REST catalog. A tiering job can be RUNNING and useless (apache/fluss#3921; a token that the catalog does
 * not take), and only this tells. It is an error if none comes in time. It makes nothing; a refresh warns when the newest
 * snapshot is older than the wait would be.
 *
 * Only for a table into which rows arrive all the time: without new rows there is nothing to commit. The tiering components make
 * one with `health`.
 */
export class LakeProgress extends ThinResource {
    /**
     * When the tiering service committed last, as last seen, by the job's clock: `2026-01-31T12:00:00.000Z`. Undefined only when a
     * refresh found no snapshot of it any more.
     */
    declare readonly committedAt: pulumi.Output<string | undefined>;

    constructor(name: string, args: LakeProgressArgs, opts?: pulumi.CustomResourceOptions) {
        const { portForward } = args;
        super(
            resourceType("lakeProgress"),
            name,
            {
                ...args,
                catalog: pulumi.secret(args.catalog),
                ...(portForward ? { portForward: pulumi.secret(portForward) } : {}),
            },
            opts,
        );
    }
}
