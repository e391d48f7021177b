import { createHash } from "node:crypto";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { type FlinkDeploymentSpec, flinkDeploymentManifest } from "../model/flink-deployment.ts";
import type { FlussClient } from "../model/fluss-client.ts";
import type { FlussVersion } from "../model/fluss-options.ts";
import type { Lake } from "../model/lake.ts";
import { tieringArguments, tieringFlinkConfiguration } from "../model/tiering.ts";
import { tieringSecrets } from "./tiering-secrets.ts";

/** Arguments of {@link FlinkTieringDeployment}: the FlinkDeployment's own, and what tiering is derived from. */
export interface FlinkTieringDeploymentArgs
    extends Omit<FlinkDeploymentSpec, "name" | "environmentSecret" | "coreSiteSecret" | "upgradeMode"> {
    /** Name of the FlinkDeployment. Default `fluss-tiering`. */
    name?: string;
    /** The lake, as the servers know it. Each secret needs `env`, a name of your choice, and `value`, its content. */
    lake: pulumi.Input<Lake>;
    /** The cluster. The password needs `env` and `value`, too. */
    client: pulumi.Input<FlussClient>;
    /**
     * Whether Hadoop touches the lake's files, so that the job needs a core-site.xml: with a Hadoop catalog, or a REST catalog
     * with `fileIo: "hadoop"`. Default false. An error if the lake says otherwise.
     */
    coreSite?: boolean;
    /** Release line of the tiering JAR. Default `1.0`. */
    version?: FlussVersion;
    /** Further arguments, such as `fluss.tiering.poll.table.interval`. */
    extraArguments?: Record<string, string>;
    /**
     * A text that changes with the Fluss servers, such as `FlussCluster.revision`: a new one restarts the job (by
     * `restartNonce`), which can be RUNNING and useless after the servers were replaced (apache/fluss#3921). Default: none.
     */
    clusterRevision?: pulumi.Input<string | undefined>;
}

/**
 * The tiering service on the Apache Flink Kubernetes Operator (seed 002, "End-to-end example"): a FlinkDeployment that
 * starts, the Secret of its environment and, where Hadoop touches the lake's files, the Secret with core-site.xml. One
 * tiering job per cluster: two would commit the same rows twice, and nothing tells them apart.
 *
 * Both Secrets are immutable and get a new name with new content, so that a changed password restarts the job.
 * Accepted by a real Kubernetes API server under a schema of the operator's fields; not run by an operator.
 */
export class FlinkTieringDeployment extends pulumi.ComponentResource {
    /** Name of the FlinkDeployment. */
    readonly name: pulumi.Output<string>;
    readonly nodes: {
        deployment: k8s.apiextensions.CustomResource;
        environment: k8s.core.v1.Secret;
        coreSite: k8s.core.v1.Secret | undefined;
    };

    constructor(name: string, args: FlinkTieringDeploymentArgs, opts?: pulumi.ComponentResourceOptions) {
        super("fluss:index:FlinkTieringDeployment", name, {}, opts);
        const { lake, client, version = "1.0", extraArguments, clusterRevision, ...others } = args;
        const { coreSite: wanted = false, ...rest } = others;
        const { name: own = "fluss-tiering", ...spec } = rest;
        const { known, environment, coreSite } = tieringSecrets(this, name, {
            namespace: spec.namespace,
            lake,
            client,
            coreSite: wanted,
        });
        const manifest = pulumi
            .all([known, environment.metadata.name, coreSite?.metadata.name, clusterRevision])
            .apply(([{ lake, client }, environmentSecret, coreSiteSecret, revision]) => {
                return flinkDeploymentManifest(
                    {
                        ...spec,
                        name: own,
                        environmentSecret,
                        coreSiteSecret,
                        restartNonce: spec.restartNonce ?? (revision ? nonceOf(revision) : undefined),
                        flinkConfiguration: {
                            // Each table of the lake loads Iceberg's classes anew.
                            "taskmanager.memory.jvm-metaspace.size": "512m",
                            ...tieringFlinkConfiguration(lake, version),
                            ...spec.flinkConfiguration,
                        },
                    },
                    // Fluss 0.9 replaces nothing in the job's arguments, so the pod's own have to do.
                    tieringArguments(lake, client, version === "0.9" ? "podEnv" : "env", {
                        version,
                        extra: extraArguments,
                    }),
                    version === "0.9" ? "environment" : "configProvider",
                );
            });
        const deployment = new k8s.apiextensions.CustomResource(
            `${name}-deployment`,
            {
                apiVersion: "flink.apache.org/v1beta1",
                kind: "FlinkDeployment",
                metadata: { name: own, namespace: spec.namespace },
                spec: manifest.apply(({ spec }) => spec),
            },
            { parent: this },
        );
        this.name = pulumi.output(own);
        this.nodes = { deployment, environment, coreSite };
        this.registerOutputs({ name: this.name });
    }
}

/** The operator wants a number, and another one restarts the job. */
function nonceOf(revision: string): number {
    return createHash("sha256").update(revision).digest().readUInt32BE() % 2 ** 31;
}
