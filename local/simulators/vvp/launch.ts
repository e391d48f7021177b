import { Refusal } from "../shared/index.ts";
import { artifactFile } from "./artifacts.ts";
import type { Context } from "./context.ts";
import { restoreLocation } from "./savepoints.ts";
import { substituteSecrets } from "./secret-values.ts";
import { refuseUnknownDependencies, refuseUnknownEngine, type SqlRunner } from "./sql.ts";
import { inQuotes, kindOf, splitStatements } from "./sql-text.ts";
import type { DeploymentBody, Job } from "./state.ts";

/**
 * Brings a job to Flink and gives the real job's id. Rejects with a `Refusal` when the deployment cannot run as it is
 * (unknown engine, missing JAR, missing secret value, ...) and with a `FlinkError` when Flink refuses.
 * Additional dependencies must exist but are not shipped: the local Flink has the same JARs on its class path.
 */
export async function launch(context: Context, sql: SqlRunner, job: Job): Promise<string> {
    const { body, namespace } = job;
    refuseUnknownEngine(context, body.engineVersion);
    refuseClusterDown(context, job);
    const dependencies =
        body.artifact.jarArtifact?.additionalDependencies ??
        body.artifact.sqlArtifact?.additionalDependencies ??
        body.artifact.pythonArtifact?.additionalDependencies ??
        [];
    refuseUnknownDependencies(context, dependencies);
    if (body.artifact.kind === "JAR") return launchJar(context, job);
    if (body.artifact.kind === "PYTHON") return launchPython(context, job);
    if (body.artifact.kind === "SQLSCRIPT") return launchSql(context, sql, namespace, body, dependencies);
    throw new Refusal(
        400,
        `artifacts of kind ${body.artifact.kind} are not simulated; JAR, SQLSCRIPT and PYTHON are`,
    );
}

async function launchJar(context: Context, job: Job): Promise<string> {
    const { jarUri, entryClass, mainArgs } = job.body.artifact.jarArtifact!;
    return context.flink.runJar({
        file: uploaded(context, jarUri),
        ...(entryClass ? { entryClass } : {}),
        ...programRun(context, job, mainArgs),
    });
}

async function launchPython(context: Context, job: Job): Promise<string> {
    const { pythonArtifactUri, entryModule, mainArgs, ...more } = job.body.artifact.pythonArtifact!;
    const run = {
        file: uploaded(context, pythonArtifactUri),
        ...(entryModule ? { entryModule } : {}),
        libraries: (more.additionalPythonLibraries ?? []).map((uri) => uploaded(context, uri)),
        archives: (more.additionalPythonArchives ?? []).map((uri) => uploaded(context, uri)),
        ...programRun(context, job, mainArgs),
    };
    if (context.flink.runPython) return context.flink.runPython(run);
    throw new Refusal(400, "the Flink behind this simulated platform has no Python");
}

/** What the starts of a JAR and of a Python program have in common. */
function programRun(context: Context, job: Job, mainArgs: string | null | undefined) {
    const { body, namespace } = job;
    const words = withVariables(body, mainArgs ?? "")
        .split(/\s+/)
        .filter((word) => word !== "");
    const savepointPath = restoreLocation(context, job);
    return {
        // Split first: a secret with a space in it stays one argument.
        args: words.map((word) => substituteSecrets(context.store, namespace, word)),
        parallelism: parallelismOf(body),
        options: optionsOf(body),
        ...(savepointPath === undefined ? {} : { savepointPath }),
    };
}

function uploaded(context: Context, uri: string): string {
    const file = artifactFile(context, uri);
    if (file !== undefined) return file;
    throw new Refusal(400, `no artifact was uploaded to ${uri}`);
}

/** Runs a script statement by statement; it must start exactly one job, and makes nothing permanent. */
async function launchSql(
    context: Context,
    sql: SqlRunner,
    namespace: string,
    body: DeploymentBody,
    dependencies: string[],
): Promise<string> {
    const script = withVariables(body, body.artifact.sqlArtifact!.sqlScript);
    const statements = splitStatements(script);
    refuseForeignStatements(statements);
    refuseMissingCatalogJars(context, namespace, script, dependencies);
    const resolved = statements.map((statement) =>
        substituteSecrets(context.store, namespace, statement, inQuotes),
    );
    const session = await sql.open(namespace, {
        ...optionsOf(body),
        "parallelism.default": String(parallelismOf(body)),
    });
    try {
        let jobId: string | undefined;
        for (const statement of resolved) jobId = (await session.execute(statement)).jobId ?? jobId;
        if (jobId === undefined) throw new Refusal(400, "Flink started no job for the script");
        return jobId;
    } finally {
        await session.close();
    }
}

function optionsOf(body: DeploymentBody): Record<string, string> {
    const own = Object.entries(body.flinkConf ?? {}).map(([key, value]) => [key, String(value)]);
    return {
        ...Object.fromEntries(own),
        "execution.runtime-mode": body.executionMode,
        "pipeline.name": body.name,
    };
}

function parallelismOf(body: DeploymentBody): number {
    const setting =
        body.executionMode === "BATCH" ? body.batchResourceSetting : body.streamingResourceSetting;
    return setting?.basicResourceSetting?.parallelism ?? 1;
}

/** Puts the deployment's own variables in; `${secret_values.x}` is left for later. */
function withVariables(body: DeploymentBody, text: string): string {
    return (body.localVariables ?? []).reduce(
        (rest, { name, value }) => rest.replaceAll(`\${${name}}`, () => value ?? ""),
        text,
    );
}

function refuseForeignStatements(statements: string[]): void {
    const kinds = statements.map(kindOf);
    const foreign = statements.filter((_, index) => ["ddl", "query", "read"].includes(kinds[index]!));
    if (foreign.length > 0) {
        throw new Refusal(
            400,
            `a SQL deployment holds SET, USE, temporary objects and one INSERT or STATEMENT SET, not: ${foreign
                .map((statement) => statement.split(/\s+/).slice(0, 3).join(" "))
                .join("; ")}`,
        );
    }
    const sets = kinds.filter((kind) => kind === "set-begin").length;
    const inserts = kinds.filter((kind) => kind === "insert").length;
    if (sets > 1 || (sets === 0 && inserts !== 1) || (sets === 1 && inserts === 0)) {
        throw new Refusal(
            400,
            `a SQL deployment starts exactly one job; the script has ${inserts} INSERT and ${sets} STATEMENT SET`,
        );
    }
}

/** VVP plans each query on a catalog with the JARs that the catalog was created with (quickstart). */
function refuseMissingCatalogJars(
    { store }: Context,
    namespace: string,
    script: string,
    dependencies: string[],
): void {
    for (const catalog of store.state.catalogs.filter((candidate) => candidate.namespace === namespace)) {
        const missing = catalog.additionalDependencies.filter((uri) => !dependencies.includes(uri));
        if (missing.length > 0 && new RegExp(`\\b${escaped(catalog.name)}\\b`).test(script)) {
            // What the product says when those of the lake are among them (quickstart).
            const lake = missing.some((uri) => /\/fluss-lake-/.test(uri))
                ? "No LakeStoragePlugin available: "
                : "";
            throw new Refusal(
                400,
                `${lake}the script uses catalog ${catalog.name} without its JARs: ${missing.join(", ")}`,
            );
        }
    }
}

function escaped(text: string): string {
    return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function refuseClusterDown({ store }: Context, { body, namespace }: Job): void {
    if (body.deploymentTarget.mode !== "SESSION") return;
    const { name } = body.deploymentTarget;
    const cluster = store.state.sessionClusters.find((c) => c.namespace === namespace && c.name === name);
    if (cluster?.status.state === "RUNNING") return;
    throw new Refusal(400, `session cluster ${name} is ${cluster?.status.state ?? "gone"}, not RUNNING`);
}
