import { createHash } from "node:crypto";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { LakeProgress } from "../dynamic-providers/lake/resources.ts";
import {
    type FlinkDeploymentSpec,
    flinkDeploymentManifest,
    flinkDeploymentSchema,
} from "../model/flink-deployment.ts";
import {
    clusterFaults,
    type KubernetesTieringArgs,
    progressOnKubernetes,
    tieringOnKubernetes,
} from "./tiering-on-kubernetes.ts";

/** Arguments of {@link FlinkTieringDeployment}: the FlinkDeployment's own, and what tiering is derived from. */
export interface FlinkTieringDeploymentArgs
    extends Omit<FlinkDeploymentSpec, "name" | "environmentSecret" | "coreSiteSecret" | "upgradeMode">,
        KubernetesTieringArgs {
    /** Name of the FlinkDeployment. Default `fluss-tiering`. */
    name?: string;
    /**
     * A text that changes with the Fluss servers, such as `FlussCluster.revision` or `FlussStandalone.revision`: a new one restarts the job (by
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
    /** That rows reach the lake; undefined without `health`. */
    readonly progress: LakeProgress | undefined;

    constructor(name: string, args: FlinkTieringDeploymentArgs, opts?: pulumi.ComponentResourceOptions) {
        super("fluss:index:FlinkTieringDeployment", name, {}, opts);
        const { lake, client, coreSite: wanted, version, extraArguments, health: _, ...others } = args;
        const { clusterRevision, name: own = "fluss-tiering", ...spec } = others;
        const tiering = { lake, client, coreSite: wanted, version, extraArguments };
        const { environment, coreSite, job } = tieringOnKubernetes(this, name, tiering, {
            ...spec,
            faults: clusterFaults(flinkDeploymentSchema, { ...spec, name: own }),
        });
        const manifest = pulumi
            .all([job, clusterRevision])
            .apply(([{ spec: derived, argumentList, secrets }, revision]) => {
                const restartNonce = spec.restartNonce ?? (revision ? nonceOf(revision) : undefined);
                return flinkDeploymentManifest(
                    { ...spec, ...derived, name: own, restartNonce },
                    argumentList,
                    secrets,
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
        this.progress = progressOnKubernetes(this, name, args, deployment.metadata);
        this.registerOutputs({ name: this.name });
    }
}

/** The operator wants a number, and another one restarts the job. */
function nonceOf(revision: string): number {
    return createHash("sha256").update(revision).digest().readUInt32BE() % 2 ** 31;
}
