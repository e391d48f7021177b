/** The resources of Ververica Platform 3. */
import { type Hosted, hosted } from "../resource.ts";
import { apiTokenResource } from "./api-token.ts";
import { artifact } from "./artifact.ts";
import { deployment } from "./deployment.ts";
import { deploymentTarget } from "./deployment-target.ts";
import { draft } from "./draft.ts";
import { flussConsoleCluster } from "./fluss-console.ts";
import { savepoint } from "./savepoint.ts";
import { secretValue } from "./secret-value.ts";
import { sessionCluster } from "./session-cluster.ts";
import { sqlScript } from "./sql-script.ts";

export type { VvpConnection } from "./connection.ts";
export { connectionSchema } from "./connection.ts";
export type { SqlTable } from "./domain.ts";
export * from "./resources.ts";
export { executeSql, type SqlExecutor, type SqlOptions } from "./sql.ts";

/** The resources' logic by the names that stand in users' states: never rename one. */
export const vvpProviders = {
    vvpDeploymentTarget: hosted(deploymentTarget),
    vvpSessionCluster: hosted(sessionCluster),
    vvpSecretValue: hosted(secretValue),
    vvpArtifact: hosted(artifact),
    vvpDeployment: hosted(deployment),
    vvpSqlScript: hosted(sqlScript),
    vvpApiToken: hosted(apiTokenResource),
    vvpSavepoint: hosted(savepoint),
    vvpDraft: hosted(draft),
    vvpFlussConsoleCluster: hosted(flussConsoleCluster),
} satisfies Record<string, Hosted>;
