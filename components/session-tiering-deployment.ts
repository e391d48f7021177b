import * as pulumi from "@pulumi/pulumi";
import { type FlinkClusterArgs, FlinkJarJob } from "../dynamic-providers/flink/resources.ts";
import type { LakeProgress } from "../dynamic-providers/lake/resources.ts";
import { FaultsError, withNames } from "../model/faults.ts";
import type { FlussClient } from "../model/fluss-client.ts";
import type { FlussVersion } from "../model/fluss-options.ts";
import type { Lake } from "../model/lake.ts";
import { usesHadoop } from "../model/lake-core-site.ts";
import { argumentTokens, tieringArguments, tieringFlinkConfiguration } from "../model/tiering.ts";
import { argumentNames, claimed } from "./tiering-claim.ts";
import { type TieringHealth, tieringHealth } from "./tiering-health.ts";

/** Arguments of {@link SessionTieringDeployment}. */
export interface SessionTieringDeploymentArgs {
    /** The session cluster. It needs the client JARs of the setup in its `lib` folder, the lake's among them. */
    cluster: FlinkClusterArgs;
    /** Path of the tiering service's JAR on the machine that runs Pulumi: `jars/fluss-flink-tiering-1.0.0-vv-3.jar`. */
    jar: pulumi.Input<string>;
    /** The lake, as the servers know it. Each secret needs `value`, or `env` with `secrets: "env"`. */
    lake: pulumi.Input<Lake>;
    /** The cluster. The password needs the same. */
    client: pulumi.Input<FlussClient>;
    /**
     * How the job gets its secrets. `value` (default): in its arguments, which Flink shows to nobody, but keeps in the job's
     * class path of the JobManager. `env`: from the environment of the JobManager, where they must be; Fluss 1.0 only.
     */
    secrets?: "value" | "env";
    /** Release line of the tiering JAR. Default `1.0`. */
    version?: FlussVersion;
    /** Further arguments, such as `fluss.tiering.poll.table.interval`. */
    extraArguments?: Record<string, string>;
    /** Further Flink options of the job. */
    flinkConfiguration?: Record<string, string>;
    /** Default: the cluster's. */
    parallelism?: number;
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
    /** So long the job must run without a failure before it counts as started, in seconds. Default 10. */
    healthySeconds?: number;
    /** Longest wait for a start or a stop, in seconds. Default 900. */
    timeoutSeconds?: number;
}

/**
 * The tiering service in a session cluster of open Flink (seed 002, "Application or Session Cluster"): its JAR is uploaded and
 * run over Flink's REST API. One per Fluss cluster: another tiering job in the same session cluster is refused, as is a second
 * component of the same program.
 */
export class SessionTieringDeployment extends pulumi.ComponentResource {
    /** The job behind it, with its state, its failures and Flink's id. */
    readonly job: FlinkJarJob;
    /** That rows reach the lake; undefined without `health`. */
    readonly progress: LakeProgress | undefined;

    constructor(name: string, args: SessionTieringDeploymentArgs, opts?: pulumi.ComponentResourceOptions) {
        super("fluss:index:SessionTieringDeployment", name, {}, opts);
        const { version = "1.0", secrets = "value" } = args;
        if (!["value", "env"].includes(secrets)) {
            const reason = "is no way for secrets to reach this job";
            throw new FaultsError(name, [
                { path: "secrets", value: JSON.stringify(secrets), reason, fix: "Use one of: value, env" },
            ]);
        }
        const rendered = claimed(this, name, args).apply(({ lake, client }) => {
            if (usesHadoop(lake)) {
                const text = `${name}: Hadoop touches the files of this lake: the processes of the session cluster need a core-site.xml on their class path (coreSiteXml of the model)`;
                void pulumi.log.warn(text, this);
            }
            const argumentList = withNames("the arguments of the tiering job", argumentNames, () =>
                tieringArguments(lake, client, secrets, { version, extra: args.extraArguments }),
            );
            return {
                // By it the job is known as the one that tiers this cluster.
                name: `Fluss tiering of ${client.bootstrapServers}`,
                words: argumentTokens(argumentList),
                options: { ...tieringFlinkConfiguration(lake, version), ...args.flinkConfiguration },
            };
        });
        this.job = new FlinkJarJob(
            `${name}-job`,
            {
                cluster: args.cluster,
                // The address is no secret; lake and client together count as one.
                name: pulumi.unsecret(rendered.name),
                jar: args.jar,
                args: rendered.words,
                flinkConfiguration: pulumi.unsecret(rendered.options),
                parallelism: args.parallelism,
                // What was tiered is known to the Fluss servers, not to Flink's checkpoints.
                restart: "WITHOUT_STATE",
                restartTrigger: args.clusterRevision as pulumi.Input<string> | undefined,
                healthySeconds: args.healthySeconds,
                timeoutSeconds: args.timeoutSeconds,
            },
            { parent: this },
        );
        this.progress = args.health && tieringHealth(this, name, args.health, args.lake, this.job.jobId);
        this.registerOutputs({ name: this.job.name });
    }
}
