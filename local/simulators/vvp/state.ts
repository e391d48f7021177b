import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { readIfThere, writePrivate } from "../../services/folders.ts";

/** A named resource of the v1 dialect, as it is kept. */
export interface Named<Spec> {
    id: string;
    namespace: string;
    name: string;
    labels: Record<string, string>;
    annotations: Record<string, string>;
    createdAt: string;
    modifiedAt: string;
    resourceVersion: number;
    spec: Spec;
}

/** Spec of a deployment target. */
export interface TargetSpec {
    kubernetes: { namespace: string; clusterName?: string; resourceQueueName?: string };
    flinkConf?: Record<string, string>;
}

/** Spec of a session cluster; members that the simulator does not act on are kept as they came. */
export interface SessionClusterSpec {
    state: "RUNNING" | "STOPPED";
    deploymentTargetName: string;
    versionName: string;
    numberOfTaskManagers?: number;
    [other: string]: unknown;
}

/** A session cluster with what became of it. */
export interface SessionCluster extends Named<SessionClusterSpec> {
    status: {
        state: "STOPPED" | "STARTING" | "RUNNING" | "UPDATING" | "STOPPING" | "FAILED";
        failure?: { reason: string; message: string; failedAt: string; isRecoverable: boolean };
        running?: { startedAt: string; lastUpdateTime: string };
    };
    /** Reads that still see the state of transition. */
    readsLeft: number;
}

/** An uploaded file; its bytes lie in the blob folder. */
export interface ArtifactFile {
    namespace: string;
    filename: string;
    size: number;
    createTime: string;
}

/** What a client writes of a deployment (v2 dialect); members that the simulator does not act on are kept as they came. */
export interface DeploymentBody {
    name: string;
    engineVersion: string;
    executionMode: "STREAMING" | "BATCH";
    deploymentTarget: { mode: "PER_JOB" | "SESSION"; name: string };
    artifact: {
        kind: string;
        jarArtifact?: {
            jarUri: string;
            entryClass?: string | null;
            mainArgs?: string | null;
            additionalDependencies?: string[];
        };
        sqlArtifact?: { sqlScript: string; additionalDependencies?: string[] };
        pythonArtifact?: {
            pythonArtifactUri: string;
            entryModule?: string;
            mainArgs?: string;
            additionalDependencies?: string[];
            additionalPythonLibraries?: string[];
            additionalPythonArchives?: string[];
        };
    };
    flinkConf?: Record<string, string | number | boolean>;
    localVariables?: { name: string; value?: string }[];
    streamingResourceSetting?: ResourceSetting;
    batchResourceSetting?: ResourceSetting;
    [other: string]: unknown;
}

interface ResourceSetting {
    basicResourceSetting?: { parallelism?: number };
    [other: string]: unknown;
}

/** A deployment. */
export interface Deployment {
    deploymentId: string;
    namespace: string;
    createdAt: number;
    modifiedAt: number;
    body: DeploymentBody;
    /** Id of the draft that it was deployed from. */
    draftId?: string;
    /** The body at the last start, to tell whether the deployment changed since. */
    startedBody?: DeploymentBody;
}

/** Status of a job in VVP's words. */
export type JobStatus = "STARTING" | "RUNNING" | "CANCELLING" | "CANCELLED" | "FAILED" | "FINISHED";

/** One run of a deployment. */
export interface Job {
    jobId: string;
    deploymentId: string;
    namespace: string;
    status: JobStatus;
    startTime: number;
    endTime?: number;
    /** The body that was started. */
    body: DeploymentBody;
    restoreStrategy: { kind: string; [other: string]: unknown };
    /** Id of the real job; absent until Flink took it. */
    flinkJobId?: string;
    flinkStatus?: string;
    restarts: number;
    failure?: { reason: string; message: string; failedAt: number };
    /** How the job was asked to stop. */
    stopStrategy?: string;
}

/** A savepoint of a job. */
export interface Savepoint {
    savepointId: string;
    namespace: string;
    deploymentId: string;
    jobId: string;
    savepointOrigin: "USER_REQUEST" | "STOP_WITH_SAVEPOINT";
    description?: string;
    nativeFormat?: boolean;
    /** Absent until it is complete. */
    savepointLocation?: string;
    status: {
        state: "STARTED" | "COMPLETED" | "FAILED";
        failure?: { reason: string; message: string; failedAt: number };
    };
}

/** What a SQL draft holds; members that the simulator does not act on are kept as they came. */
export interface DraftSpec {
    deploymentTargetId?: string;
    sessionClusterName?: string | null;
    template: {
        spec: {
            artifact: {
                kind: string;
                sqlScript?: string;
                versionName?: string;
                additionalDependencies?: string[];
            };
            engineVersionName?: string;
            batchMode?: boolean;
            parallelism?: number;
            flinkConfiguration?: Record<string, string>;
            [other: string]: unknown;
        };
    };
    [other: string]: unknown;
}

/** A SQL draft. */
export type Draft = Named<DraftSpec>;

/** What was noted of a job or a session cluster. */
export interface Event {
    id: string;
    namespace: string;
    /** What happened, in one word. */
    name: string;
    message: string;
    createdAt: string;
    deploymentId?: string;
    jobId?: string;
    sessionClusterId?: string;
}

/** A Fluss cluster as it is registered in the Fluss Console, without its password. */
export interface FlussCluster {
    id: string;
    name: string;
    bootstrapEndpoint: string;
    externalEndpoint?: string | null;
    authProtocol: "SASL" | "PLAINTEXT";
    username?: string;
}

/** A catalog that VVP remembers, with secret references unresolved. */
export interface StoredCatalog {
    namespace: string;
    name: string;
    statement: string;
    /** URIs of the JARs that it was created with. */
    additionalDependencies: string[];
}

/** An API token without its secret. */
export interface ApiToken {
    namespace: string;
    name: string;
    role: string;
    createTime: string;
    expireTime?: string;
}

/** Everything that the simulated VVP remembers, secrets excepted. */
export interface VvpState {
    version: 1;
    targets: Named<TargetSpec>[];
    sessionClusters: SessionCluster[];
    secretValues: Named<{ kind: "PLAIN" }>[];
    apiTokens: ApiToken[];
    artifacts: ArtifactFile[];
    deployments: Deployment[];
    jobs: Job[];
    catalogs: StoredCatalog[];
    savepoints: Savepoint[];
    drafts: Draft[];
    /** Id of the drafts' folder, by namespace. */
    folders: Record<string, string>;
    flussClusters: FlussCluster[];
    /** Oldest first; the oldest are dropped when there are many. */
    events: Event[];
}

/** Secret material, kept apart from the state. Keys are `<namespace>/<name>`. */
export interface VvpSecrets {
    secretValues: Record<string, string>;
    apiTokens: Record<string, string>;
}

/**
 * The memory of the simulated VVP: `state.json`, `secrets.json` (both 0600, replaced in one step) and the folder `blobs`.
 * Without a folder of its own it lives in a temporary one that `close` removes.
 */
export class Store {
    readonly state: VvpState;
    readonly secrets: VvpSecrets;
    /** Folder of the uploaded files. */
    readonly blobs: string;
    readonly #folder: string;
    readonly #temporary: boolean;

    /** Throws when `state.json` is of another version or damaged. */
    constructor(folder: string | undefined) {
        this.#temporary = folder === undefined;
        this.#folder = folder ?? fs.mkdtempSync(path.join(os.tmpdir(), "vvp-simulated-"));
        this.blobs = path.join(this.#folder, "blobs");
        fs.mkdirSync(this.blobs, { recursive: true, mode: 0o700 });
        this.state = read(path.join(this.#folder, "state.json"), emptyState());
        this.secrets = read(path.join(this.#folder, "secrets.json"), { secretValues: {}, apiTokens: {} });
        if (this.state.version !== 1) {
            throw new Error(
                `${this.#folder}/state.json is of version ${String(this.state.version)}, this simulator reads version 1: ` +
                    "remove the folder to begin anew",
            );
        }
    }

    /** Writes everything down; called after each change. */
    save(): void {
        writePrivate(path.join(this.#folder, "secrets.json"), JSON.stringify(this.secrets, null, 2));
        writePrivate(path.join(this.#folder, "state.json"), JSON.stringify(this.state, null, 2));
    }

    /** Every secret that must not be seen in an answer or a log. */
    secretTexts(): string[] {
        return [...Object.values(this.secrets.secretValues), ...Object.values(this.secrets.apiTokens)];
    }

    close(): void {
        if (this.#temporary) fs.rmSync(this.#folder, { recursive: true, force: true });
    }
}

/** A new record of the v1 dialect. */
export function newNamed<Spec>(
    namespace: string,
    metadata: {
        name: string;
        labels?: Record<string, string> | null;
        annotations?: Record<string, string> | null;
    },
    spec: Spec,
): Named<Spec> {
    const now = new Date().toISOString();
    return {
        id: randomUUID(),
        namespace,
        name: metadata.name,
        labels: metadata.labels ?? {},
        annotations: metadata.annotations ?? {},
        createdAt: now,
        modifiedAt: now,
        resourceVersion: 1,
        spec,
    };
}

/** Notes a change of a record of the v1 dialect. */
export function touch(record: Named<unknown>): void {
    record.modifiedAt = new Date().toISOString();
    record.resourceVersion += 1;
}

function emptyState(): VvpState {
    return {
        version: 1,
        targets: [],
        sessionClusters: [],
        secretValues: [],
        apiTokens: [],
        artifacts: [],
        deployments: [],
        jobs: [],
        catalogs: [],
        savepoints: [],
        drafts: [],
        folders: {},
        flussClusters: [],
        events: [],
    };
}

function read<T>(file: string, empty: T): T {
    const text = readIfThere(file);
    if (text === undefined) return empty;
    try {
        // What a state of before does not have yet is empty.
        return { ...empty, ...(JSON.parse(text) as T) };
    } catch {
        throw new Error(`${file} is damaged: remove its folder to begin anew`);
    }
}
