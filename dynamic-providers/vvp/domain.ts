/** What a component of a job gets: `cpu` in cores, `memory` as `4Gi` or `512Mi` (see `canonicalMemory`). */
export interface Amount {
    cpu: number;
    memory: string;
}

/** Left out: the platform's default (session cluster: 1 core and 4Gi, 2 cores and 8Gi; quickstart). */
export interface Resources {
    jobManager?: Amount;
    taskManager?: Amount;
}

/** What can be set on a session cluster, besides whether it runs. */
export interface SessionSettings {
    deploymentTarget: string;
    engineVersion: string;
    numberOfTaskManagers: number;
    resources?: Resources;
    flinkConfiguration: Record<string, string>;
}

/** How a job logs. What is left out is the platform's choice. */
export interface Logging {
    profile?: string;
    /** Level by logger; the empty name is the root logger. */
    loggers?: Record<string, string>;
    /** A whole log4j2 configuration. */
    template?: string;
}

/** What a deployment runs: exactly one of `jar`, `python` and `sqlScript`. */
export interface Definition {
    name: string;
    executionMode: "STREAMING" | "BATCH";
    engineVersion: string;
    target: { mode: "PER_JOB" | "SESSION"; name: string };
    jar?: { uri: string; entryClass?: string; mainArgs?: string };
    python?: {
        uri: string;
        entryModule?: string;
        mainArgs?: string;
        libraries: readonly string[];
        archives: readonly string[];
    };
    sqlScript?: string;
    additionalDependencies: readonly string[];
    flinkConf: Record<string, string>;
    parallelism?: number;
    resources?: Resources;
    labels?: Record<string, string>;
    logging?: Logging;
    /** Which resource of which stack makes it; see `ownerMark`. */
    mark?: string;
}

/** What a SQL draft holds. */
export interface DraftSettings {
    name: string;
    /** The target's id, not its name. */
    deploymentTargetId: string;
    sessionCluster?: string;
    sqlScript: string;
    engineVersion?: string;
    executionMode: "STREAMING" | "BATCH";
    additionalDependencies: readonly string[];
    flinkConfiguration: Record<string, string>;
}

/** What the Fluss Console is told of a cluster; with a user name it logs in by SASL. */
export interface FlussRegistration {
    name: string;
    bootstrapServers: string;
    externalEndpoint?: string;
    username?: string;
    password?: string;
}

/** A deployment as the platform has it; `raw` is its answer, to be sent back where only a part changes. */
export interface Deployment {
    id: string;
    name: string;
    definition: Definition;
    /** True when the running job does not have the definition yet; undefined when the platform does not say. */
    changedSinceStart: boolean | undefined;
    /** The mark that it bears; see `ownerMark`. */
    mark: string | undefined;
    raw: Record<string, unknown>;
}

/** One run of a deployment. */
export interface Job {
    id: string;
    /** STARTING, RUNNING, CANCELLING, CANCELLED, FAILED or FINISHED. */
    status: string;
    /** Epoch milliseconds; 0 when the platform does not say. */
    startTime: number;
    /** How often Flink restarted it. */
    restarts: number;
    failure: string | undefined;
    /** When it failed so, in the platform's own form: tells a failure from an older one with the same words. */
    failedAt?: string | undefined;
}

/** Whose events are asked for. */
export type EventsOf = { jobId: string } | { clusterId: string };

/** From what a job starts: nothing, or the latest savepoint or checkpoint. */
export type JobRestore = "NONE" | "LATEST_STATE";

/** What a job leaves behind. */
export type JobStop = "NONE" | "STOP_WITH_SAVEPOINT";

/** The rows of a statement; NULL is null, everything else its text. */
export interface SqlTable {
    headers: string[];
    rows: (string | null)[][];
}
