import * as pulumi from "@pulumi/pulumi";
import { type VvpConnectionArgs, VvpDeployment } from "../dynamic-providers/vvp/resources.ts";
import { quickstartEngine } from "../model/engine-version.ts";
import { ACCOUNTS, type SampleFeed, sampleDataSql, TRADES } from "../model/sample-data.ts";
import { database } from "./quickstart-tables.ts";

/** Arguments of {@link SampleWriters}. */
export interface SampleWritersArgs {
    connection: VvpConnectionArgs;
    deploymentTarget: pulumi.Input<string>;
    engineVersion?: string;
    /** The client JARs. */
    additionalDependencies: pulumi.Input<string[]>;
    /** The Fluss catalog on the platform. */
    catalog: string;
    /** `faker` on Ververica Platform; open Flink has `datagen` only. */
    generator: "faker" | "datagen";
    /** Rows a second that each writer makes. */
    rowsPerSecond: number;
    adopt?: boolean;
}

/** The two SQL jobs that stream sample rows into accounts and trades (quickstart, "Streaming Data into Apache Fluss"). */
export class SampleWriters extends pulumi.ComponentResource {
    constructor(name: string, args: SampleWritersArgs, opts?: pulumi.ComponentResourceOptions) {
        super("fluss:stacks:SampleWriters", name, {}, opts);
        const { generator, rowsPerSecond, catalog } = args;
        const write = (feed: SampleFeed) =>
            new VvpDeployment(
                `${name}-${feed.table}`,
                {
                    connection: args.connection,
                    name: `fluss-quickstart-write-${feed.table}`,
                    deploymentTarget: args.deploymentTarget,
                    engineVersion: args.engineVersion ?? quickstartEngine,
                    sqlScript: sampleDataSql(feed, { catalog, database, generator, rowsPerSecond }),
                    additionalDependencies: args.additionalDependencies,
                    adopt: args.adopt,
                },
                { parent: this },
            );
        write(ACCOUNTS);
        write(TRADES);
        this.registerOutputs({});
    }
}
