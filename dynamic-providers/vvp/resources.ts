import * as pulumi from "@pulumi/pulumi";
import { resourceType } from "../resource-types.ts";
import { ThinResource } from "../thin-resource.ts";
import { dialect } from "./dialect.ts";
import type { SqlTable } from "./domain.ts";
import { type AdoptArgs, type CommonArgs, ownerMark } from "./resource-common.ts";

export { VvpApiToken, type VvpApiTokenArgs } from "./resource-api-token.ts";
export type { VvpConnectionArgs } from "./resource-common.ts";
export { VvpDraft, type VvpDraftArgs } from "./resource-draft.ts";
export { VvpFlussConsoleCluster, type VvpFlussConsoleClusterArgs } from "./resource-fluss-console.ts";
export { VvpSavepoint, type VvpSavepointArgs } from "./resource-savepoint.ts";

/** What the processes of a job or a session cluster get. */
export interface VvpResourcesArgs {
    /** `cpu` in cores, `memory` like `4Gi`. Default: the platform's (session cluster: 1 core, 4Gi; quickstart). */
    jobManager?: pulumi.Input<{ cpu: pulumi.Input<number>; memory: pulumi.Input<string> }>;
    /** As above, for each task manager. Default: the platform's (session cluster: 2 cores, 8Gi; quickstart). */
    taskManager?: pulumi.Input<{ cpu: pulumi.Input<number>; memory: pulumi.Input<string> }>;
}

/** Arguments of {@link VvpDeploymentTarget}. */
export interface VvpDeploymentTargetArgs extends CommonArgs, AdoptArgs {
    /** Letters, digits, `-` and `_`, at most 250. A new name is a new target. */
    name: pulumi.Input<string>;
    /**
     * Kubernetes namespace that the pods run in (`<JOB_NAMESPACE>`). It must exist, and the platform must be allowed to
     * deploy into it (chart value `global.rbac.additionalNamespaces`). The platform cannot change it: a new target.
     */
    kubernetesNamespace: pulumi.Input<string>;
}

/** A Kubernetes namespace that deployments and session clusters run in. It cannot be deleted while one of them uses it. */
export class VvpDeploymentTarget extends ThinResource {
    /** As given. */
    declare readonly name: pulumi.Output<string>;
    /** As given. */
    declare readonly kubernetesNamespace: pulumi.Output<string>;
    /** The platform's id, which SQL drafts name the target by. */
    declare readonly targetId: pulumi.Output<string>;
    /** ONLINE or OFFLINE, when the platform says it. */
    declare readonly status: pulumi.Output<string | undefined>;

    constructor(name: string, args: VvpDeploymentTargetArgs, opts?: pulumi.CustomResourceOptions) {
        super(resourceType("vvpDeploymentTarget"), name, { ...args, mark: ownerMark(name) }, opts);
    }
}

/** Arguments of {@link VvpSessionCluster}. */
export interface VvpSessionClusterArgs extends CommonArgs, AdoptArgs {
    /** Lower-case letters, digits and inner hyphens, at most 63. A new name is a new cluster. */
    name: pulumi.Input<string>;
    /** Name of the deployment target that it runs on. */
    deploymentTarget: pulumi.Input<string>;
    /** VERA engine, e.g. `vera-4.5-jdk11-flink-1.20`. A jdk17 engine does not start one (quickstart) and is refused. */
    engineVersion: pulumi.Input<string>;
    /**
     * `RUNNING` (default): started by each create and update. `STOPPED`: kept stopped. `ON_DEMAND`: made stopped, and
     * left as people leave it.
     */
    state?: pulumi.Input<"RUNNING" | "STOPPED" | "ON_DEMAND">;
    /** With state RUNNING: start it again when a refresh finds it stopped. Default false, since the platform stops a cluster after 30 idle minutes (quickstart). */
    keepRunning?: pulumi.Input<boolean>;
    /**
     * Default 1 (quickstart). Changes while it runs; everything else stops it, changes it and starts it again, and is an
     * error while jobs of deployments run on it.
     */
    numberOfTaskManagers?: pulumi.Input<number>;
    /** Default: the platform's. */
    resources?: pulumi.Input<VvpResourcesArgs>;
    /** Flink options. Default none; a cluster for lake queries wants more metaspace and slots (quickstart). */
    flinkConfiguration?: pulumi.Input<Record<string, pulumi.Input<string>>>;
    /** Longest wait for a start or a stop, in seconds. Default 600, since an image may have to be pulled. */
    timeoutSeconds?: pulumi.Input<number>;
}

/** A Flink session cluster: what the console's Debug runs on. DDL needs none. */
export class VvpSessionCluster extends ThinResource {
    /** As given. */
    declare readonly name: pulumi.Output<string>;
    /** The platform's id. */
    declare readonly clusterId: pulumi.Output<string | undefined>;
    /** STOPPED, STARTING, RUNNING, UPDATING, STOPPING or FAILED, as last seen. */
    declare readonly status: pulumi.Output<string>;
    /** Why it failed, in short. */
    declare readonly failure: pulumi.Output<string | undefined>;

    constructor(name: string, args: VvpSessionClusterArgs, opts?: pulumi.CustomResourceOptions) {
        super(resourceType("vvpSessionCluster"), name, { ...args, mark: ownerMark(name) }, opts);
    }
}

/** Arguments of {@link VvpSecretValue}. */
export interface VvpSecretValueArgs extends CommonArgs, AdoptArgs {
    /** Letters, digits, `-` and `_`, at most 250. A new name is a new secret value. */
    name: pulumi.Input<string>;
    /** The secret. Kept encrypted in the state. A new value reaches jobs that are started after it. */
    value: pulumi.Input<string>;
    /**
     * Restarts the running jobs of all deployments of the namespace that name it, when the value changes: with a
     * savepoint and from the latest state, or afresh. Default `NEVER`.
     */
    restartJobs?: pulumi.Input<"NEVER" | "WITH_STATE" | "WITHOUT_STATE">;
    /** Longest wait for a job's stop or start, in seconds. Default 900. */
    timeoutSeconds?: pulumi.Input<number>;
}

/** A secret of the namespace, which SQL, hints and main arguments name by {@link VvpSecretValue.reference}. */
export class VvpSecretValue extends ThinResource {
    /** As given. */
    declare readonly name: pulumi.Output<string>;
    /** The platform's count of changes after the last write. */
    declare readonly version: pulumi.Output<string>;
    /** True when a refresh found that somebody else has written it; the next run writes it again. */
    declare readonly changedOutside: pulumi.Output<boolean>;

    constructor(name: string, args: VvpSecretValueArgs, opts?: pulumi.CustomResourceOptions) {
        super(
            resourceType("vvpSecretValue"),
            name,
            { ...args, value: pulumi.secret(args.value), mark: ownerMark(name) },
            opts,
        );
    }

    /** How a job names it: `${secret_values.<name>}`. What uses this waits for the secret value. */
    get reference(): pulumi.Output<string> {
        return this.name.apply(dialect.secretValue.reference);
    }
}

/** Arguments of {@link VvpArtifact}. */
export interface VvpArtifactArgs extends CommonArgs, AdoptArgs {
    /** The file, absolute or relative to the folder of Pulumi.yaml. Its content counts, not its path. */
    source: pulumi.Input<string>;
    /**
     * Name in the artifact store; a new name is a new artifact. Default: the file's name with the start of its SHA-256,
     * so that new content is a new artifact beside the old one. With a name of your own, new content replaces the old
     * under the same URI, and jobs do not notice.
     */
    fileName?: pulumi.Input<string>;
    /**
     * A `client-jars.json`, as `pulumi-fluss jars` makes it, in the folder of the file. Then the file need not be there: the
     * list says what its content is, and it is fetched from where the list says when it is uploaded. A file that is
     * there and differs from the list is refused in the preview. Default: none.
     */
    jarList?: pulumi.Input<string>;
    /** A larger file is refused in the preview. Default 200, the limit of Ververica Cloud; that of VVP 3 is not known. */
    maximumMiB?: pulumi.Input<number>;
    /**
     * Address under which the platform's artifact store is reached from here, when the one that the platform gives is
     * not: `https://minio.example.com`. Default: the platform's.
     */
    uploadEndpoint?: pulumi.Input<string>;
    /** Longest time for the upload, in seconds. Default 900. */
    timeoutSeconds?: pulumi.Input<number>;
}

/** A file in the platform's artifact store, mostly a JAR. A changed file shows in the preview as a changed `sha256`. */
export class VvpArtifact extends ThinResource {
    /** As given, or as made from the content. */
    declare readonly fileName: pulumi.Output<string>;
    /** SHA-256 of the content, hex. */
    declare readonly sha256: pulumi.Output<string>;
    /** `s3i://…`: what deployments name as `jarUri` or among `additionalDependencies`. */
    declare readonly uri: pulumi.Output<string>;
    /** Bytes. */
    declare readonly size: pulumi.Output<number>;
    /** When the platform stored it, in its own form. */
    declare readonly createTime: pulumi.Output<string>;

    constructor(name: string, args: VvpArtifactArgs, opts?: pulumi.CustomResourceOptions) {
        super(resourceType("vvpArtifact"), name, args, opts);
    }
}

/** Arguments of {@link VvpDeployment}. */
export interface VvpDeploymentArgs extends CommonArgs, AdoptArgs {
    /** Letters, digits, `-` and `_`, at most 128. A new name is a new deployment. */
    name: pulumi.Input<string>;
    /** Name of the deployment target: a cluster of its own for the job. Either this or `sessionCluster`. */
    deploymentTarget?: pulumi.Input<string>;
    /** Name of the session cluster to run in. Either this or `deploymentTarget`. */
    sessionCluster?: pulumi.Input<string>;
    /** VERA engine, e.g. `vera-4.5-jdk11-flink-1.20`. */
    engineVersion: pulumi.Input<string>;
    /** Default `STREAMING`. The platform cannot change it: a new deployment. */
    executionMode?: pulumi.Input<"STREAMING" | "BATCH">;
    /** URI of the JAR to run, mostly {@link VvpArtifact.uri}. Exactly one of this, `sqlScript` and `pythonUri`. */
    jarUri?: pulumi.Input<string>;
    /** Main class. Default: the one that the JAR's manifest names. */
    entryClass?: pulumi.Input<string>;
    /** Main arguments of a JAR or Python program, on one line; more than 1,024 characters are warned of (VVP 3 documentation). */
    mainArgs?: pulumi.Input<string>;
    /** URI of the Python program to run: a `.py` file or an archive. Field names: Ververica Cloud OpenAPI. */
    pythonUri?: pulumi.Input<string>;
    /** Python module to run, of an archive. */
    entryModule?: pulumi.Input<string>;
    /** URIs of Python libraries. */
    pythonLibraries?: pulumi.Input<pulumi.Input<string>[]>;
    /** URIs of archives with Python environments or data. */
    pythonArchives?: pulumi.Input<pulumi.Input<string>[]>;
    /** Temporary DDL and one INSERT or one STATEMENT SET. A script of which no statement starts a job is refused in the preview. */
    sqlScript?: pulumi.Input<string>;
    /** URIs of further JARs. Each job on a Fluss catalog needs the client JARs, those of the lake included (quickstart). */
    additionalDependencies?: pulumi.Input<pulumi.Input<string>[]>;
    /** Flink options. Default none. */
    flinkConf?: pulumi.Input<Record<string, pulumi.Input<string>>>;
    /** Default: the platform's. */
    parallelism?: pulumi.Input<number>;
    /** Default: the platform's. */
    resources?: pulumi.Input<VvpResourcesArgs>;
    /** Labels, for people and their filters. Default: those that the platform has; `{}` removes them. */
    labels?: pulumi.Input<Record<string, pulumi.Input<string>>>;
    /** How its job logs. Default: the platform's, also for each part that is left out. */
    logging?: pulumi.Input<{
        /** Name of a logging profile of the platform. */
        profile?: pulumi.Input<string>;
        /** Level by logger, for example `{ "org.apache.fluss": "DEBUG" }`; the empty name is the root logger. */
        loggers?: pulumi.Input<Record<string, pulumi.Input<string>>>;
        /** A whole log4j2 configuration. */
        template?: pulumi.Input<string>;
    }>;
    /** Whether its job shall run; brought about by each create and update. Default `RUNNING`. A job that finished by itself has done its work. */
    state?: pulumi.Input<"RUNNING" | "CANCELLED">;
    /**
     * What a change does to the running job, which keeps its old definition until it is restarted. `WITH_STATE`
     * (default): stop with a savepoint, start from the latest state; when the savepoint fails, the job goes on and the next run
     * tries again. `WITHOUT_STATE`: stop and start afresh. `NEVER`: nothing; `restartPending` says so. The first start is
     * always afresh.
     */
    restart?: pulumi.Input<"WITH_STATE" | "WITHOUT_STATE" | "NEVER">;
    /**
     * A new text restarts the running job as `restart` says, without any other change: for example the release of the Fluss
     * servers, since a tiering job can be RUNNING and useless after they were replaced (apache/fluss#3921). Default none.
     */
    restartTrigger?: pulumi.Input<string>;
    /** So long a job must run without a restart before it counts as started, in seconds. Default 10. */
    healthySeconds?: pulumi.Input<number>;
    /** Longest wait for a start or a stop, in seconds. Default 900. */
    timeoutSeconds?: pulumi.Input<number>;
}

/**
 * A deployment and its job: a JAR, a Python program or a SQL script. It is there when its job runs; a job that fails ends the wait with
 * the platform's reason, and the next run tries again.
 */
export class VvpDeployment extends ThinResource {
    /** As given. */
    declare readonly name: pulumi.Output<string>;
    /** The platform's id; also the resource's. */
    declare readonly deploymentId: pulumi.Output<string>;
    /** The newest job; empty when there was none. */
    declare readonly jobId: pulumi.Output<string>;
    /** NOT_STARTED, STARTING, RUNNING, CANCELLING, CANCELLED, FAILED or FINISHED, as last seen. */
    declare readonly jobStatus: pulumi.Output<string>;
    /** How often Flink restarted that job. */
    declare readonly restarts: pulumi.Output<number>;
    /** The platform's reason for the last trouble, in short. */
    declare readonly failure: pulumi.Output<string | undefined>;
    /** True when one of its jobs ran once. */
    declare readonly everRan: pulumi.Output<boolean>;
    /** True while the running job does not have the current definition. */
    declare readonly restartPending: pulumi.Output<boolean>;

    constructor(name: string, args: VvpDeploymentArgs, opts?: pulumi.CustomResourceOptions) {
        super(resourceType("vvpDeployment"), name, { ...args, mark: ownerMark(name) }, opts);
    }
}

/** Arguments of {@link VvpSqlScript}. */
export interface VvpSqlScriptArgs extends CommonArgs {
    /**
     * Executed in their order when the resource is made, and all of them again when one changes or failed: each must be
     * harmless when it runs twice (`IF NOT EXISTS`). DDL and commands; INSERT belongs into a deployment.
     */
    statements: pulumi.Input<pulumi.Input<string>[]>;
    /** Executed in their order when the resource is deleted. Default none. */
    undo?: pulumi.Input<pulumi.Input<string>[]>;
    /**
     * A statement whose rows tell whether the work still stands, e.g. `SHOW TABLES`. A refresh runs it: no rows mean
     * that the work is gone, other rows than before that somebody changed it. Default none: never looked at.
     */
    probe?: pulumi.Input<string>;
    /** Default: the platform's default engine. */
    engineVersion?: pulumi.Input<string>;
    /** Flink options of the execution. */
    flinkConfiguration?: pulumi.Input<Record<string, pulumi.Input<string>>>;
    /** URIs of JARs that the statements need. A catalog keeps those of the statement that creates it (quickstart). */
    additionalDependencies?: pulumi.Input<pulumi.Input<string>[]>;
    /** Keeps the rows of the last statement as `result`, at most 20 and 2,000 characters. Default false: they may hold secrets. */
    keepResult?: pulumi.Input<boolean>;
    /** Longest time for one statement, in seconds. Default 120. */
    timeoutSeconds?: pulumi.Input<number>;
}

/** Statements that the platform executes. No session cluster is needed (quickstart). */
export class VvpSqlScript extends ThinResource {
    /** How many statements have been executed. */
    declare readonly executed: pulumi.Output<number>;
    /** Rows of the last statement, with `keepResult`. */
    declare readonly result: pulumi.Output<SqlTable | undefined>;
    /** Fingerprint of what the probe gave. */
    declare readonly probed: pulumi.Output<string | undefined>;
    /** True when a refresh found something else. */
    declare readonly changedOutside: pulumi.Output<boolean>;

    constructor(name: string, args: VvpSqlScriptArgs, opts?: pulumi.CustomResourceOptions) {
        super(resourceType("vvpSqlScript"), name, args, opts);
    }
}
