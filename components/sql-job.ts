import * as pulumi from "@pulumi/pulumi";
import { FlinkSqlJob } from "../dynamic-providers/flink/resources.ts";
import { type VvpConnectionArgs, VvpDeployment } from "../dynamic-providers/vvp/resources.ts";
import { quickstartEngine } from "../model/engine-version.ts";
import { type Fault, faultLine, shownValue, throwFaults } from "../model/faults.ts";
import { readSqlJob, type SqlJobSource, sqlJobText } from "../model/sql-script.ts";
import { VvpOperatorDeployment, type VvpOperatorDeploymentArgs } from "./vvp-operator-deployment.ts";

/** Runs the job on Ververica Platform. */
export interface VvpSqlJobRunner {
    kind: "vvp";
    /** The platform, its workspace and namespace. */
    connection: VvpConnectionArgs;
    /** A cluster of its own on this deployment target. Either this or `sessionCluster`. */
    deploymentTarget?: pulumi.Input<string>;
    /** The session cluster to run in. */
    sessionCluster?: pulumi.Input<string>;
    /** VERA engine. Default `vera-4.5-jdk11-flink-1.20`. */
    engineVersion?: pulumi.Input<string>;
    /** URIs of the client JARs; every job on a Fluss catalog needs them (quickstart). */
    additionalDependencies: pulumi.Input<string[]>;
}

/** Runs the job through Ververica Platform's Kubernetes operator, as seed 002 does with reads of the lake. */
export interface VvpOperatorSqlJobRunner
    extends Pick<
        VvpOperatorDeploymentArgs,
        "kubernetesNamespace" | "namespace" | "owner" | "apikeySecretName" | "apiKey" | "waitFor"
    > {
    kind: "vvpOperator";
    /** The deployment target that the job runs on. */
    deploymentTarget: pulumi.Input<string>;
    /** VERA engine. Default `vera-4.5-jdk11-flink-1.20`. */
    engineVersion?: pulumi.Input<string>;
    /** URIs of the client JARs. */
    additionalDependencies: pulumi.Input<string[]>;
}

/** Runs the job in a session cluster of open Flink, through its SQL gateway. */
export interface GatewaySqlJobRunner {
    kind: "gateway";
    /** Base URL of the SQL gateway's REST endpoint, `http://localhost:8083`. */
    url: pulumi.Input<string>;
    /** Base URL of the REST endpoint of the cluster that it submits to, `http://localhost:8081`. */
    clusterUrl: pulumi.Input<string>;
    /** Catalogs that the statements use, with their options in clear: `catalogOptions` of the model with `"value"`. Kept as a secret. */
    catalogs?: pulumi.Input<
        { name: pulumi.Input<string>; options: pulumi.Input<Record<string, pulumi.Input<string>>> }[]
    >;
    /** Folder for savepoints, as the cluster sees it. Default: the cluster's own. */
    savepointDirectory?: pulumi.Input<string>;
}

/** Where a SQL job runs. */
export type SqlJobRunnerArgs = VvpSqlJobRunner | VvpOperatorSqlJobRunner | GatewaySqlJobRunner;

/** Arguments of {@link SqlJob}. */
export interface SqlJobArgs {
    /** Where it runs. */
    runner: SqlJobRunnerArgs;
    /** Name of the job; on Ververica Platform also of its deployment. Default: the component's own. */
    name?: string;
    /**
     * What it runs: the text of a script, temporary DDL and one INSERT or one statement set; or its statements, of which several
     * INSERTs become one statement set. On Ververica Platform a secret is written `${secret_values.<name>}`.
     */
    sql: pulumi.Input<SqlJobSource>;
    /** Default `STREAMING`. A `BATCH` job reads what is there, and finishes. */
    executionMode?: "STREAMING" | "BATCH";
    /** Default: the runner's. */
    parallelism?: number;
    /** Further Flink options of the job. */
    flinkConfiguration?: Record<string, pulumi.Input<string>>;
    /** Whether it shall run. Default `RUNNING`; a job that finished has done its work. */
    state?: "RUNNING" | "CANCELLED";
    /** What a change does to the running job. Default `WITH_STATE`: it is stopped with a savepoint and goes on from it. */
    restart?: "WITH_STATE" | "WITHOUT_STATE" | "NEVER";
    /** A new text restarts the running job without any other change. Not with `vvpOperator`. */
    restartTrigger?: pulumi.Input<string>;
    /** So long it must run without a failure before it counts as started, in seconds. Default 10. Not with `vvpOperator`. */
    healthySeconds?: number;
    /** Longest wait for a start, an end or a stop, in seconds. Default 900. */
    timeoutSeconds?: number;
    /** Takes over a deployment of that name which is as wanted. Default false. With `vvp` only. */
    adopt?: boolean;
}

/**
 * A job of Flink SQL, streaming or batch, on the runner of one's choice: the quickstart's writers and readers, and seed 002's
 * reads of the lake. The same statements run everywhere.
 */
export class SqlJob extends pulumi.ComponentResource {
    /** Name of the job. */
    readonly name: pulumi.Output<string>;
    /** The whole script, as it is submitted. */
    readonly script: pulumi.Output<string>;
    /** The runner's id of the job; with `vvpOperator` that of the deployment. Undefined until it is known. */
    readonly jobId: pulumi.Output<string | undefined>;
    /** State of the job as last seen, such as RUNNING, FINISHED or FAILED; undefined with `vvpOperator`, whose `conditions` tell. */
    readonly jobStatus: pulumi.Output<string | undefined>;
    /** What runs it. */
    readonly resource: VvpDeployment | VvpOperatorDeployment | FlinkSqlJob;

    /** A script that cannot be one job is refused with every reason, in the preview. */
    constructor(name: string, args: SqlJobArgs, opts?: pulumi.ComponentResourceOptions) {
        super("fluss:index:SqlJob", name, {}, opts);
        const { runner, name: own = name } = args;
        throwFaults(name, runnerFaults(runner));
        this.name = pulumi.output(own);
        this.script = pulumi.output(args.sql).apply((source) => checkedText(name, source, runner.kind));
        this.resource = this.#resource(name, args, own);
        if (this.resource instanceof VvpOperatorDeployment) {
            this.jobId = this.resource.deploymentId;
            this.jobStatus = pulumi.output(undefined);
        } else {
            this.jobId = this.resource.jobId;
            this.jobStatus = this.resource.jobStatus;
        }
        this.registerOutputs({ name: this.name });
    }

    #resource(name: string, args: SqlJobArgs, own: string): SqlJob["resource"] {
        const { runner, executionMode = "STREAMING", flinkConfiguration = {}, parallelism } = args;
        const { state, restart, restartTrigger, healthySeconds, timeoutSeconds } = args;
        const parent = { parent: this };
        const life = { state, restart, restartTrigger, healthySeconds, timeoutSeconds };
        if (runner.kind === "gateway") {
            return new FlinkSqlJob(
                `${name}-job`,
                {
                    gateway: { url: runner.url },
                    cluster: { url: runner.clusterUrl },
                    catalogs: runner.catalogs,
                    savepointDirectory: runner.savepointDirectory,
                    name: own,
                    sql: this.script,
                    executionMode,
                    parallelism,
                    flinkConfiguration,
                    ...life,
                },
                parent,
            );
        }
        const { deploymentTarget, engineVersion = quickstartEngine, additionalDependencies } = runner;
        const job = { name: own, sqlScript: this.script, engineVersion, additionalDependencies, parallelism };
        if (runner.kind === "vvp") {
            const { connection, sessionCluster } = runner;
            const { adopt } = args;
            return new VvpDeployment(
                `${name}-deployment`,
                {
                    connection,
                    deploymentTarget,
                    sessionCluster,
                    executionMode,
                    flinkConf: flinkConfiguration,
                    ...job,
                    ...life,
                    adopt,
                },
                parent,
            );
        }
        const { kubernetesNamespace, namespace, owner, apikeySecretName, apiKey, waitFor } = runner;
        const stateful = restart !== "WITHOUT_STATE" && executionMode === "STREAMING";
        return new VvpOperatorDeployment(
            `${name}-object`,
            {
                kubernetesNamespace,
                namespace,
                owner,
                apikeySecretName,
                apiKey,
                waitFor,
                deploymentTarget: runner.deploymentTarget,
                batchMode: executionMode === "BATCH" ? true : undefined,
                flinkConf: pulumi.output(flinkConfiguration),
                upgradeStrategy: restart === "NEVER" ? "NONE" : stateful ? "STATEFUL" : "STATELESS",
                restoreStrategy: stateful ? "LATEST_STATE" : "NONE",
                state,
                timeoutSeconds,
                ...job,
            },
            parent,
        );
    }
}

/** What a program without types may have left out, and what no runner's own resource could tell. */
function runnerFaults(runner: SqlJobRunnerArgs | undefined): Fault[] {
    const { kind } = runner ?? {};
    const needed = Object.hasOwn(neededOf, kind ?? "") ? neededOf[kind!] : undefined;
    if (!runner || !needed) {
        const reason =
            kind === undefined ? "is required and missing" : "is none of the runners that exist here";
        const fix = `Use one of: ${Object.keys(neededOf).join(", ")}`;
        return [{ path: "runner.kind", ...shownValue("runner.kind", kind), reason, fix }];
    }
    const given = runner as unknown as Record<string, unknown>;
    return Object.entries(needed).flatMap(([field, fix]): Fault[] =>
        given[field] === undefined
            ? [{ path: `runner.${field}`, reason: "is required and missing", fix }]
            : [],
    );
}

const clientJars =
    "Give the URIs of the client JARs, which every job on a Fluss catalog needs, or [] for a job that uses none";

const neededOf: Record<SqlJobRunnerArgs["kind"], Record<string, string>> = {
    vvp: { connection: "Give {} for what the environment says", additionalDependencies: clientJars },
    vvpOperator: { additionalDependencies: clientJars },
    gateway: {
        url: "Give the base URL of the SQL gateway's REST endpoint",
        clusterUrl: "Give the base URL of the REST endpoint of its Flink cluster",
    },
};

function checkedText(name: string, source: SqlJobSource, kind: SqlJobRunnerArgs["kind"]): string {
    const { faults } = readSqlJob(source, kind === "gateway" ? "gateway" : "vvp");
    if (faults.length === 0) return sqlJobText(source);
    const lines = faults.map((fault) => `- ${faultLine(fault)}`).join("\n");
    throw new Error(`the SQL of job ${name} cannot run as one job:\n${lines}`);
}
