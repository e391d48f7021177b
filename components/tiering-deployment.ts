import * as pulumi from "@pulumi/pulumi";
import type { LakeProgress } from "../dynamic-providers/lake/resources.ts";
import { type VvpConnectionArgs, VvpDeployment } from "../dynamic-providers/vvp/resources.ts";
import { quickstartEngine } from "../model/engine-version.ts";
import { throwFaults, together, withNames } from "../model/faults.ts";
import type { FlussClient } from "../model/fluss-client.ts";
import { filesFaults, type Lake } from "../model/lake.ts";
import { mainArgs, mainArgsWarnings, tieringArguments, tieringFlinkConfiguration } from "../model/tiering.ts";
import { argumentNames, claimed } from "./tiering-claim.ts";
import { type TieringHealth, tieringHealth } from "./tiering-health.ts";

/** Arguments of {@link TieringDeployment}. */
export interface TieringDeploymentArgs {
    /** The platform, its workspace and namespace. */
    connection: VvpConnectionArgs;
    /** Name of the deployment. Default `fluss-quickstart-tiering`. */
    name?: string;
    /** The deployment target that it runs on. */
    deploymentTarget: pulumi.Input<string>;
    /** VERA engine. Default `vera-4.5-jdk11-flink-1.20`. */
    engineVersion?: string;
    /** URI of the tiering service's JAR. */
    jarUri: pulumi.Input<string>;
    /** URIs of the client JARs. */
    additionalDependencies: pulumi.Input<string[]>;
    /** The lake, as the servers know it; its secrets must carry a `secretValue`. */
    lake: pulumi.Input<Lake>;
    /** The cluster; the password must carry a `secretValue`. */
    client: pulumi.Input<FlussClient>;
    /** Release line of the tiering JAR. Default `1.0`. */
    version?: "0.9" | "1.0";
    /** Further arguments, such as `fluss.tiering.poll.table.interval`. */
    extraArguments?: Record<string, string>;
    /** Further Flink options of the job. */
    flinkConfiguration?: Record<string, string>;
    /**
     * A text that changes with the Fluss servers, such as `FlussCluster.revision` or `FlussStandalone.revision`: a new one restarts the job, which can be
     * RUNNING and useless after the servers were replaced (apache/fluss#3921). Default: none.
     */
    clusterRevision?: pulumi.Input<string | undefined>;
    /**
     * Waits after each start of the job until rows of a table reach the lake, and fails when none do: a job can be RUNNING and useless.
     * Default: not looked for, since a table without new rows gets no snapshot.
     */
    health?: TieringHealth;
    /** Takes over a deployment of that name which is as wanted. Default false. */
    adopt?: boolean;
}

/**
 * The tiering service as a VVP JAR deployment: the long-running job that copies the lake-enabled tables of a cluster to
 * Iceberg (quickstart, "Running the Tiering Service"). One per cluster: two would commit the same rows twice.
 * Its `datalake.*` arguments are derived from the very value that configures the servers.
 */
export class TieringDeployment extends pulumi.ComponentResource {
    /** The deployment behind it. */
    readonly deployment: VvpDeployment;
    /** That rows reach the lake; undefined without `health`. */
    readonly progress: LakeProgress | undefined;

    constructor(name: string, args: TieringDeploymentArgs, opts?: pulumi.ComponentResourceOptions) {
        super("fluss:index:TieringDeployment", name, {}, opts);
        const version = args.version ?? "1.0";
        const rendered = claimed(this, name, args).apply(({ lake, client }) => {
            const { argumentList } = together("the arguments of the tiering job", {
                lake: () => throwFaults("lake", filesFaults(lake)),
                argumentList: () =>
                    withNames("the arguments of the tiering job", argumentNames, () =>
                        tieringArguments(lake, client, "secretValue", {
                            version,
                            extra: args.extraArguments,
                        }),
                    ),
            });
            const line = mainArgs(argumentList);
            for (const { reason, fix } of mainArgsWarnings(line))
                void pulumi.log.warn(`${reason}. ${fix}`, this);
            return {
                line,
                flinkConf: { ...tieringFlinkConfiguration(lake, version), ...args.flinkConfiguration },
            };
        });
        this.deployment = new VvpDeployment(
            `${name}-deployment`,
            {
                connection: args.connection,
                name: args.name ?? "fluss-quickstart-tiering",
                deploymentTarget: args.deploymentTarget,
                engineVersion: args.engineVersion ?? quickstartEngine,
                jarUri: args.jarUri,
                mainArgs: rendered.line,
                additionalDependencies: args.additionalDependencies,
                flinkConf: rendered.flinkConf,
                // What was tiered is known to the Fluss servers, not to Flink's checkpoints.
                restart: "WITHOUT_STATE",
                restartTrigger: args.clusterRevision as pulumi.Input<string> | undefined,
                adopt: args.adopt,
            },
            { parent: this },
        );
        this.progress =
            args.health && tieringHealth(this, name, args.health, args.lake, this.deployment.jobId);
        this.registerOutputs({ name: this.deployment.name });
    }
}
