import * as pulumi from "@pulumi/pulumi";
import { LakeProgress } from "../dynamic-providers/lake/resources.ts";
import type { LakekeeperPortForwardArgs } from "../dynamic-providers/lakekeeper/connection-args.ts";
import type { Lake } from "../model/lake.ts";
import type { Catalog } from "../model/lake-catalog.ts";

/** By which table a tiering job is known to do its work; see `LakeProgress`. */
export interface TieringHealth {
    /**
     * `database.table`, into which rows are written all the time: without new rows there is no snapshot, and the check fails. Take it
     * from the resource that makes the table, so that the check comes after it.
     */
    table: pulumi.Input<string>;
    /**
     * So long the table's next snapshot is waited for, in seconds, from the moment in which the job runs. Default: the table's
     * `table.datalake.freshness` and four minutes.
     */
    withinSeconds?: pulumi.Input<number | undefined>;
    /**
     * The lake's catalog as whoever runs Pulumi reaches it, with the `value` of its secret. A REST catalog: others are refused, since
     * they tell no snapshots. Default: that of `lake`.
     */
    catalog?: pulumi.Input<Catalog>;
    /** The way to a catalog whose address is known inside of a Kubernetes cluster only. Default: none. */
    portForward?: LakekeeperPortForwardArgs;
}

/**
 * The check that rows reach the lake after each start of a tiering job.
 * @param parent the tiering component @param name its name
 * @param job a text that is known when the job has started, and another one after each start
 */
export function tieringHealth(
    parent: pulumi.Resource,
    name: string,
    { catalog, ...health }: TieringHealth,
    lake: pulumi.Input<Lake>,
    job: pulumi.Output<string>,
): LakeProgress {
    return new LakeProgress(
        `${name}-progress`,
        {
            ...health,
            catalog: catalog ?? pulumi.output(lake).apply((known) => known.catalog),
            trigger: job,
        },
        { parent },
    );
}
