import * as pulumi from "@pulumi/pulumi";
import { resourceType } from "../resource-types.ts";
import { ThinResource } from "../thin-resource.ts";
import { ownerMark } from "../vvp/resource-common.ts";
import type { JobState } from "./job-state.ts";

/** The REST endpoint of a Flink session cluster. */
export interface FlinkClusterArgs {
    /** Base URL of the JobManager's REST endpoint, `http://localhost:8081`. Another one makes another job. */
    url: pulumi.Input<string>;
    /** Certificate of the authority that signed the endpoint's, as PEM text; trusted besides the well-known ones. */
    caCertificate?: pulumi.Input<string>;
}

/** What every job of a session cluster takes. */
export interface FlinkJobArgs {
    /** The session cluster that the job runs in. */
    cluster: pulumi.Input<FlinkClusterArgs>;
    /** Name of the job, one line of at most 200 characters. A new name is a new job. */
    name: pulumi.Input<string>;
    /** Default `STREAMING`. A `BATCH` job is there when it has finished; its state is not kept. */
    executionMode?: pulumi.Input<"STREAMING" | "BATCH">;
    /** Default: the cluster's. */
    parallelism?: pulumi.Input<number>;
    /** Flink options of this job. Default none. */
    flinkConfiguration?: pulumi.Input<Record<string, pulumi.Input<string>>>;
    /** Whether it shall run; brought about by each create and update. Default `RUNNING`. A job that finished by itself has done its work. */
    state?: pulumi.Input<"RUNNING" | "CANCELLED">;
    /**
     * What a change does to the running job. `WITH_STATE` (default): stop with a savepoint, start from it. `WITHOUT_STATE`:
     * cancel and start afresh. `NEVER`: nothing; `restartPending` says so. A job that its cluster has lost starts afresh.
     */
    restart?: pulumi.Input<"WITH_STATE" | "WITHOUT_STATE" | "NEVER">;
    /** A new text restarts the running job as `restart` says, without any other change. Default none. */
    restartTrigger?: pulumi.Input<string>;
    /** Folder for savepoints, as the cluster's processes see it: `s3://bucket/savepoints`. Default: the cluster's own. */
    savepointDirectory?: pulumi.Input<string>;
    /** So long a job must run without a failure before it counts as started, in seconds. Default 10. */
    healthySeconds?: pulumi.Input<number>;
    /** Longest wait for a start, for the end of a batch job, and for a stop, each in seconds. Default 900. */
    timeoutSeconds?: pulumi.Input<number>;
}

/** What {@link FlinkJarJob} and {@link FlinkSqlJob} tell. */
abstract class FlinkJob extends ThinResource {
    /** As given. */
    declare readonly name: pulumi.Output<string>;
    /** Flink's id of the newest job; chosen before it is submitted. */
    declare readonly jobId: pulumi.Output<string>;
    /**
     * STARTING, RUNNING, RESTARTING, CANCELLING, CANCELLED, FAILED, FINISHED, NOT_STARTED, or GONE when the cluster does not
     * know the job any more; as last seen.
     */
    declare readonly jobStatus: pulumi.Output<JobState>;
    /** Failures in Flink's history of the job, 16 at most by default. */
    declare readonly restarts: pulumi.Output<number>;
    /** The newest failure, by its innermost cause. */
    declare readonly failure: pulumi.Output<string | undefined>;
    /** Where the job left its state when it was stopped, until one has started from it. */
    declare readonly savepoint: pulumi.Output<string | undefined>;
    /** True while the running job is not the current definition. */
    declare readonly restartPending: pulumi.Output<boolean>;
}

/** Arguments of {@link FlinkJarJob}. */
export interface FlinkJarJobArgs extends FlinkJobArgs {
    /** Path of the JAR on the machine that runs Pulumi, absolute or relative to the folder of Pulumi.yaml. New content restarts the job. */
    jar: pulumi.Input<string>;
    /** Main class. Default: the one that the JAR's manifest names. */
    entryClass?: pulumi.Input<string>;
    /** Arguments of its main method; kept as a secret. Default none. */
    args?: pulumi.Input<pulumi.Input<string>[]>;
}

/**
 * A JAR in a session cluster: uploaded and run over Flink's REST API. It is there when its job runs; one that fails ends the
 * wait with Flink's reason, and the next run tries again. The JAR of the tiering service is refused beside another tiering
 * job of the same Fluss cluster.
 */
export class FlinkJarJob extends FlinkJob {
    constructor(name: string, args: FlinkJarJobArgs, opts?: pulumi.CustomResourceOptions) {
        const secret = args.args === undefined ? {} : { args: pulumi.secret(args.args) };
        super(resourceType("flinkJarJob"), name, { ...args, ...secret, mark: ownerMark(name) }, opts);
    }
}

/** Arguments of {@link FlinkSqlJob}. */
export interface FlinkSqlJobArgs extends FlinkJobArgs {
    /** The SQL gateway that submits it; it must submit to `cluster`. */
    gateway: pulumi.Input<{
        /** Base URL of its REST endpoint, `http://localhost:8083`. */
        url: pulumi.Input<string>;
        /** Longest run of one statement, in seconds, a day at most. Default 120. */
        deadlineSeconds?: pulumi.Input<number>;
    }>;
    /** Catalogs that the script uses; the gateway makes them for the job's session. Their options are kept as a secret. Default none. */
    catalogs?: pulumi.Input<
        pulumi.Input<{
            name: pulumi.Input<string>;
            options: pulumi.Input<Record<string, pulumi.Input<string>>>;
        }>[]
    >;
    /** Temporary DDL, and one INSERT or one statement set; see `sqlJobText` of the model. */
    sql: pulumi.Input<string>;
}

/** A job of Flink SQL in a session cluster, submitted through a SQL gateway. */
export class FlinkSqlJob extends FlinkJob {
    constructor(name: string, args: FlinkSqlJobArgs, opts?: pulumi.CustomResourceOptions) {
        const secret = args.catalogs === undefined ? {} : { catalogs: pulumi.secret(args.catalogs) };
        super(resourceType("flinkSqlJob"), name, { ...args, ...secret, mark: ownerMark(name) }, opts);
    }
}
