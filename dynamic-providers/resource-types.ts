/** What a resource is to the engine, beside its arguments. */
export interface ResourceType {
    /** Key of `providers`. */
    provider: string;
    /** Part of the type token after `pulumi-nodejs:dynamic/` or `fluss:`, for example `lakekeeper:Warehouse`. */
    type: string;
    /** What the API adds to the inputs. */
    outputs: readonly string[];
    /** Inputs and outputs that are kept encrypted in the state. */
    secretOutputs?: readonly string[];
}

const connection = ["connection"];
const job = ["jobId", "jobStatus", "restarts", "failure"];
const flinkJob = [...job, "savepoint", "restartPending", "startedFor"];
const releaseGuard = ["drift", "repairs", "mark", "interrupted"];

/** By provider. The keys and the types stand in users' states: they are never renamed. */
const types = {
    lakekeeperServer: {
        type: "lakekeeper:Server",
        outputs: ["version", "defaultProjectId", "authzBackend", "adopted", "catalogUri"],
        secretOutputs: connection,
    },
    lakekeeperProject: { type: "lakekeeper:Project", outputs: ["adopted"], secretOutputs: connection },
    lakekeeperWarehouse: {
        type: "lakekeeper:Warehouse",
        outputs: ["project", "catalogUri", "catalogWarehouse", "credentialType", "adopted"],
        secretOutputs: ["connection", "credential"],
    },
    lakekeeperNamespace: {
        type: "lakekeeper:Namespace",
        outputs: ["namespaceId", "project", "adopted"],
        secretOutputs: connection,
    },
    lakekeeperTaskQueue: {
        type: "lakekeeper:TaskQueue",
        outputs: ["queueName", "project"],
        secretOutputs: connection,
    },
    lakekeeperUser: { type: "lakekeeper:User", outputs: ["adopted"], secretOutputs: connection },
    lakekeeperRole: { type: "lakekeeper:Role", outputs: ["project", "adopted"], secretOutputs: connection },
    lakekeeperRoleMembers: { type: "lakekeeper:RoleMembers", outputs: [], secretOutputs: connection },
    lakekeeperGrants: { type: "lakekeeper:Grants", outputs: [], secretOutputs: connection },
    vvpApiToken: {
        type: "vvp:ApiToken",
        outputs: ["tokenName", "secret", "createTime"],
        secretOutputs: ["secret"],
    },
    vvpDeploymentTarget: { type: "vvp:DeploymentTarget", outputs: ["targetId", "status"] },
    vvpSessionCluster: { type: "vvp:SessionCluster", outputs: ["clusterId", "status", "failure"] },
    vvpSecretValue: {
        type: "vvp:SecretValue",
        outputs: ["version", "changedOutside", "restartPending"],
        secretOutputs: ["value"],
    },
    vvpArtifact: { type: "vvp:Artifact", outputs: ["sha256", "fileName", "uri", "size", "createTime"] },
    vvpDeployment: {
        type: "vvp:Deployment",
        outputs: ["deploymentId", ...job, "everRan", "restartPending", "startedFor", "restartOwed"],
    },
    vvpSqlScript: { type: "vvp:SqlScript", outputs: ["executed", "result", "probed", "changedOutside"] },
    vvpSavepoint: { type: "vvp:Savepoint", outputs: ["savepointId", "jobId", "location", "status"] },
    vvpDraft: { type: "vvp:Draft", outputs: ["draftId", "deploymentId"] },
    vvpFlussConsoleCluster: {
        type: "vvp:FlussConsoleCluster",
        outputs: ["registered", "reason", "health", "finding", "clusterId"],
        secretOutputs: ["password"],
    },
    flussCatalog: { type: "fluss:Catalog", outputs: ["plan"], secretOutputs: ["options"] },
    flussDatabase: { type: "fluss:Database", outputs: ["path", "plan"] },
    flussTable: { type: "fluss:Table", outputs: ["path", "plan"] },
    flinkJarJob: { type: "flink:JarJob", outputs: flinkJob, secretOutputs: ["args"] },
    flinkSqlJob: { type: "flink:SqlJob", outputs: flinkJob, secretOutputs: ["catalogs"] },
    flussEndpoint: {
        type: "fluss:Endpoint",
        outputs: ["server", "checked"],
        secretOutputs: ["password", "portForward"],
    },
    lakeEndpoint: { type: "fluss:LakeEndpoint", outputs: ["checked"], secretOutputs: ["lake"] },
    lakeProgress: {
        type: "fluss:LakeProgress",
        outputs: ["committedAt"],
        secretOutputs: ["catalog", "portForward"],
    },
    flussReleaseGuard: { type: "kubernetes:FlussReleaseGuard", outputs: releaseGuard },
    flussTieringCheck: { type: "kubernetes:FlussTieringCheck", outputs: ["tiering"] },
    lakekeeperReleaseGuard: { type: "kubernetes:LakekeeperReleaseGuard", outputs: releaseGuard },
    releaseRecord: { type: "kubernetes:ReleaseRecord", outputs: [] },
    keptSecret: { type: "kubernetes:KeptSecret", outputs: ["adopted"] },
    jobNamespaceCheck: { type: "kubernetes:JobNamespaceCheck", outputs: ["ready", "findings"] },
} satisfies Record<string, Omit<ResourceType, "provider">>;

/** Of one of this library's resources: what its class for TypeScript registers, and what the plugin says of it. */
export function resourceType(provider: keyof typeof types): ResourceType {
    return { provider, ...types[provider] };
}

/** All of them. */
export function resourceTypes(): ResourceType[] {
    return Object.entries(types).map(([provider, type]) => ({ provider, ...type }));
}
