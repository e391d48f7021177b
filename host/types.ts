import { providers } from "../dynamic-providers/index.ts";
import type { Hosted } from "../dynamic-providers/resource.ts";

/** A resource type of the provider `fluss`. */
export interface HostedType {
    /** `fluss:lakekeeper:Warehouse`. */
    token: string;
    hosted: Hosted;
    /** What the API adds to the inputs. */
    outputs: readonly string[];
    /** Inputs and outputs that are secret whatever the program says, also when only a part of the value is. */
    secrets: readonly string[];
}

/** The types by their tokens. */
export function hostedTypes(): ReadonlyMap<string, HostedType> {
    return new Map(
        described.map(([provider, type, outputs, secrets = []]) => {
            const token = tokenOf(type);
            return [token, { token, hosted: providers[provider]!, outputs, secrets }];
        }),
    );
}

/** `lakekeeper:Warehouse`, as the dynamic resource is named, to the type of the provider. */
export function tokenOf(type: string): string {
    return `fluss:${type}`;
}

/** What every job of a session cluster tells. */
const sessionJob = ["jobId", "jobStatus", "restarts", "failure", "savepoint", "restartPending", "startedFor"];

/**
 * Name of the logic, type, outputs, secrets: what the resources' classes for TypeScript say of themselves, for programs
 * without them. `test/unit/host/types.test.ts` holds both together.
 */
const described: [provider: string, type: string, outputs: string[], secrets?: string[]][] = [
    [
        "lakekeeperServer",
        "lakekeeper:Server",
        ["version", "defaultProjectId", "authzBackend", "adopted", "catalogUri"],
        ["connection"],
    ],
    ["lakekeeperProject", "lakekeeper:Project", ["adopted"], ["connection"]],
    [
        "lakekeeperWarehouse",
        "lakekeeper:Warehouse",
        ["project", "catalogUri", "catalogWarehouse", "credentialType", "adopted"],
        ["connection", "credential"],
    ],
    ["lakekeeperNamespace", "lakekeeper:Namespace", ["namespaceId", "project", "adopted"], ["connection"]],
    ["lakekeeperTaskQueue", "lakekeeper:TaskQueue", ["queueName", "project"], ["connection"]],
    ["lakekeeperUser", "lakekeeper:User", ["adopted"], ["connection"]],
    ["lakekeeperRole", "lakekeeper:Role", ["project", "adopted"], ["connection"]],
    ["lakekeeperRoleMembers", "lakekeeper:RoleMembers", [], ["connection"]],
    ["lakekeeperGrants", "lakekeeper:Grants", [], ["connection"]],
    ["vvpApiToken", "vvp:ApiToken", ["tokenName", "secret", "createTime"], ["secret"]],
    ["vvpDeploymentTarget", "vvp:DeploymentTarget", ["targetId", "status"]],
    ["vvpSessionCluster", "vvp:SessionCluster", ["clusterId", "status", "failure"]],
    ["vvpSecretValue", "vvp:SecretValue", ["version", "changedOutside", "restartPending"], ["value"]],
    ["vvpArtifact", "vvp:Artifact", ["sha256", "fileName", "uri", "size", "createTime"]],
    [
        "vvpDeployment",
        "vvp:Deployment",
        [
            "deploymentId",
            "jobId",
            "jobStatus",
            "restarts",
            "failure",
            "everRan",
            "restartPending",
            "startedFor",
            "restartOwed",
        ],
    ],
    ["vvpSqlScript", "vvp:SqlScript", ["executed", "result", "probed", "changedOutside"]],
    ["vvpSavepoint", "vvp:Savepoint", ["savepointId", "jobId", "location", "status"]],
    ["vvpDraft", "vvp:Draft", ["draftId", "deploymentId"]],
    [
        "vvpFlussConsoleCluster",
        "vvp:FlussConsoleCluster",
        ["registered", "reason", "health", "finding", "clusterId"],
        ["password"],
    ],
    ["flussCatalog", "fluss:Catalog", ["plan"], ["options"]],
    ["flussDatabase", "fluss:Database", ["path", "plan"]],
    ["flussTable", "fluss:Table", ["path", "plan"]],
    ["flinkJarJob", "flink:JarJob", sessionJob, ["args"]],
    ["flinkSqlJob", "flink:SqlJob", sessionJob, ["catalogs"]],
    ["flussEndpoint", "fluss:Endpoint", ["server", "checked"], ["password", "portForward"]],
    [
        "flussReleaseGuard",
        "kubernetes:FlussReleaseGuard",
        ["drift", "repairs", "mark", "interrupted"],
        ["access"],
    ],
    ["flussTieringCheck", "kubernetes:FlussTieringCheck", ["tiering"], ["access"]],
    ["keptSecret", "kubernetes:KeptSecret", ["adopted"], ["access"]],
    ["jobNamespaceCheck", "kubernetes:JobNamespaceCheck", ["ready", "findings"], ["access"]],
    [
        "lakekeeperReleaseGuard",
        "kubernetes:LakekeeperReleaseGuard",
        ["drift", "repairs", "mark", "interrupted"],
        ["access"],
    ],
    ["releaseRecord", "kubernetes:ReleaseRecord", [], ["access"]],
    ["lakeEndpoint", "fluss:LakeEndpoint", ["checked"], ["lake"]],
];
