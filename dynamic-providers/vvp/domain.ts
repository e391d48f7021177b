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

/** What a deployment runs: exactly one of `jar` and `sqlScript`. */
export interface Definition {
    name: string;
    executionMode: "STREAMING" | "BATCH";
    engineVersion: string;
    target: { mode: "PER_JOB" | "SESSION"; name: string };
    jar?: { uri: string; entryClass?: string; mainArgs?: string };
    sqlScript?: string;
    additionalDependencies: readonly string[];
    flinkConf: Record<string, string>;
    parallelism?: number;
    resources?: Resources;
}

/** A deployment as the platform has it; `raw` is its answer, to be sent back where only a part changes. */
export interface Deployment {
    id: string;
    name: string;
    definition: Definition;
    /** True when the running job does not have the definition yet; undefined when the platform does not say. */
    changedSinceStart: boolean | undefined;
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
}

/** From what a job starts: nothing, or the latest savepoint or checkpoint. */
export type JobRestore = "NONE" | "LATEST_STATE";

/** What a job leaves behind. */
export type JobStop = "NONE" | "STOP_WITH_SAVEPOINT";

/** The rows of a statement; NULL is null, everything else its text. */
export interface SqlTable {
    headers: string[];
    rows: (string | null)[][];
}
