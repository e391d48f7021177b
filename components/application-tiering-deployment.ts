import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { LakeProgress } from "../dynamic-providers/lake/resources.ts";
import {
    type ApplicationClusterObject,
    type ApplicationClusterSpec,
    applicationClusterObjects,
    applicationClusterSchema,
} from "../model/application-cluster.ts";
import {
    clusterFaults,
    type KubernetesTieringArgs,
    progressOnKubernetes,
    tieringOnKubernetes,
} from "./tiering-on-kubernetes.ts";

/** Arguments of {@link ApplicationTieringDeployment}: those of its cluster, and what tiering is derived from. */
export interface ApplicationTieringDeploymentArgs
    extends Omit<ApplicationClusterSpec, "name" | "environmentSecret" | "coreSiteSecret">,
        KubernetesTieringArgs {
    /** Name of the Flink cluster and of its Service. Default `fluss-tiering`. */
    name?: string;
    /**
     * A text that changes with the Fluss servers, such as `FlussCluster.revision` or `FlussStandalone.revision`: a new one starts the job anew, which can be
     * RUNNING and useless after the servers were replaced (apache/fluss#3921). Default: none.
     */
    clusterRevision?: pulumi.Input<string | undefined>;
}

/**
 * The tiering service in a Flink application cluster of its own on Kubernetes, without an operator (seed 002, "Application or
 * Session Cluster"): a Service, a Deployment for the JobManager that runs the job, one for the TaskManager, and the Secret of their
 * environment. One tiering job per Fluss cluster. Accepted by a real Kubernetes API server; not run there.
 */
export class ApplicationTieringDeployment extends pulumi.ComponentResource {
    /** Name of the Flink cluster. */
    readonly name: pulumi.Output<string>;
    readonly nodes: {
        service: k8s.core.v1.Service;
        jobManager: k8s.apps.v1.Deployment;
        taskManager: k8s.apps.v1.Deployment;
        environment: k8s.core.v1.Secret;
        coreSite: k8s.core.v1.Secret | undefined;
    };
    /** That rows reach the lake; undefined without `health`. */
    readonly progress: LakeProgress | undefined;

    constructor(
        name: string,
        args: ApplicationTieringDeploymentArgs,
        opts?: pulumi.ComponentResourceOptions,
    ) {
        super("fluss:index:ApplicationTieringDeployment", name, {}, opts);
        const { lake, client, coreSite: wanted, version, extraArguments, health: _, ...others } = args;
        const { clusterRevision, name: own = "fluss-tiering", ...spec } = others;
        const tiering = { lake, client, coreSite: wanted, version, extraArguments };
        const { environment, coreSite, job } = tieringOnKubernetes(this, name, tiering, {
            ...spec,
            faults: clusterFaults(applicationClusterSchema, { ...spec, name: own }),
        });
        const objects = pulumi
            .all([job, clusterRevision])
            .apply(([{ spec: derived, argumentList, secrets }, revision]) =>
                withRevision(
                    revision,
                    applicationClusterObjects({ ...spec, ...derived, name: own }, argumentList, secrets),
                ),
            );
        const parent = { parent: this };
        const deployment = (process: "jobManager" | "taskManager") =>
            new k8s.apps.v1.Deployment(
                `${name}-${process.toLowerCase()}`,
                {
                    metadata: objects.apply((all) => all[process].metadata),
                    spec: objects.apply(
                        (all) => all[process].spec as unknown as k8s.types.input.apps.v1.DeploymentSpec,
                    ),
                },
                parent,
            );
        const service = new k8s.core.v1.Service(
            `${name}-service`,
            {
                metadata: objects.apply((all) => all.service.metadata),
                spec: objects.apply((all) => all.service.spec as k8s.types.input.core.v1.ServiceSpec),
            },
            parent,
        );
        this.name = pulumi.output(own);
        this.nodes = {
            service,
            jobManager: deployment("jobManager"),
            taskManager: deployment("taskManager"),
            environment,
            coreSite,
        };
        this.progress = progressOnKubernetes(this, name, args, this.nodes.jobManager.metadata);
        this.registerOutputs({ name: this.name });
    }
}

type Objects = Record<"service" | "jobManager" | "taskManager", ApplicationClusterObject>;

/** On the pods of the JobManager, which runs the job: another text there replaces them. */
function withRevision(revision: string | undefined, objects: Objects): Objects {
    if (revision === undefined) return objects;
    const { template } = objects.jobManager.spec as { template: { metadata: object; spec: object } };
    const metadata = { ...template.metadata, annotations: { "pulumi-fluss/cluster-revision": revision } };
    const spec = { ...objects.jobManager.spec, template: { ...template, metadata } };
    return { ...objects, jobManager: { ...objects.jobManager, spec } };
}
