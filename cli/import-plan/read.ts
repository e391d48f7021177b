import * as z from "zod";
import { listCatalogs, listDatabases } from "../../dynamic-providers/flink-sql/look.ts";
import { patientRunner } from "../../dynamic-providers/flink-sql/patient-runner.ts";
import type { SqlRunner } from "../../dynamic-providers/flink-sql/runner.ts";
import { VvpRunner } from "../../dynamic-providers/flink-sql/vvp-runner.ts";
import { LakekeeperClient } from "../../dynamic-providers/lakekeeper/client.ts";
import { identify } from "../../dynamic-providers/lakekeeper/identity.ts";
import {
    listWarehouses,
    sameName,
    type WarehouseAnswer,
} from "../../dynamic-providers/lakekeeper/warehouse-api.ts";
import type { Context } from "../../dynamic-providers/resource.ts";
import { VvpClient } from "../../dynamic-providers/vvp/client.ts";
import type { VvpConnection } from "../../dynamic-providers/vvp/connection.ts";
import { DeploymentCalls } from "../../dynamic-providers/vvp/deployment-calls.ts";
import { dialect } from "../../dynamic-providers/vvp/dialect.ts";
import type { Definition, SessionSettings } from "../../dynamic-providers/vvp/domain.ts";
import { executeSql } from "../../dynamic-providers/vvp/sql.ts";
import { qualified } from "../../model/ddl.ts";
import { parseShowCreateCatalog } from "../../model/show-create.ts";
import type { TableSpec } from "../../model/table.ts";
import { pullTables } from "../tables-pull.ts";

/** What a namespace of the platform holds. */
export interface FoundWorkspace {
    connection: VvpConnection;
    targets: { name: string; kubernetesNamespace: string }[];
    sessionClusters: (Partial<SessionSettings> & { name: string; status: string })[];
    /** Names; the platform never shows values. */
    secretValues: string[];
    deployments: { definition: Definition; runs: boolean }[];
    /** JARs that jobs name. */
    jars: string[];
}

/** A catalog of the platform with what lies in the cluster behind it. */
export interface FoundCatalog {
    name: string;
    /** Options as the platform shows them; undefined when it does not. */
    options: Record<string, string> | undefined;
    databases: { name: string; tables: TableSpec[]; unknownLake?: readonly string[] }[];
    /** How its statements ran, for the program. */
    engineVersion: string | undefined;
    jars: string[];
}

/** A Lakekeeper server with its warehouses. */
export interface FoundLakekeeper {
    url: string;
    project: string | undefined;
    warehouses: WarehouseAnswer[];
}

/** Everything that was found. */
export interface Found {
    workspace?: FoundWorkspace;
    catalogs: FoundCatalog[];
    lakekeeper?: FoundLakekeeper;
    /** What a person should know. */
    warnings: string[];
}

const named = z.looseObject({ metadata: z.looseObject({ name: z.string() }) });
/** Their answer does not repeat the name. */
const namedSessionCluster = z.unknown().transform((raw, context) => {
    const [name, settings] = [named.safeParse(raw), dialect.sessionCluster.answer.safeParse(raw)];
    if (name.success && settings.success) return { name: name.data.metadata.name, ...settings.data };
    context.addIssue({ code: "custom", message: "is no session cluster" });
    return z.NEVER;
});

/** Reads a namespace of the platform; nothing is changed. */
export async function readWorkspace(connection: VvpConnection, context: Context): Promise<FoundWorkspace> {
    const client = new VvpClient(connection, context);
    const { namespace } = client;
    const calls = new DeploymentCalls(connection, context);
    const [targets, sessionClusters, secretValues, deployments] = await Promise.all([
        client.list(
            { path: dialect.deploymentTarget.collection(namespace), action: "list the deployment targets" },
            dialect.deploymentTarget.answer,
        ),
        client.list(
            { path: dialect.sessionCluster.collection(namespace), action: "list the session clusters" },
            namedSessionCluster,
        ),
        client.list(
            { path: dialect.secretValue.collection(namespace), action: "list the secret values" },
            dialect.secretValue.answer,
        ),
        calls.seen(),
    ]);
    const running = await Promise.all(
        deployments.map(async ({ id, definition }) => {
            const [newest] = await calls.jobs(id);
            return { definition, runs: newest !== undefined && !/^(CANCELL|FAILED)/.test(newest.status) };
        }),
    );
    const jars = deployments.flatMap(({ definition }) => [
        ...definition.additionalDependencies,
        ...(definition.jar ? [definition.jar.uri] : []),
    ]);
    return {
        connection,
        targets: byName(targets),
        sessionClusters: byName(sessionClusters),
        secretValues: secretValues.map(({ name }) => name).sort(),
        deployments: running.sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1)),
        jars: [...new Set(jars)].sort(),
    };
}

/** How SQL runs on the platform. */
export interface SqlSettings {
    engineVersion: string | undefined;
    jars: readonly string[];
    /** Catalogs to read. Default: those that the platform shows to be of type `fluss`. */
    catalogs: readonly string[];
}

/** Reads catalogs of the platform, and the cluster behind each. */
export async function readCatalogs(
    { connection, deployments }: FoundWorkspace,
    { engineVersion, jars, catalogs }: SqlSettings,
    context: Context,
    warnings: string[],
): Promise<FoundCatalog[]> {
    // The JARs of a job that reaches Fluss reach it here, too.
    const client = deployments.find(({ definition }) =>
        definition.additionalDependencies.some((uri) => /(^|\/)fluss-flink-\d/.test(uri)),
    )?.definition;
    const engine = {
        engineVersion: engineVersion ?? client?.engineVersion,
        additionalDependencies: jars.length > 0 ? jars : (client?.additionalDependencies ?? []),
    };
    const runner = patientRunner(new VvpRunner(executeSql(connection, context), engine));
    const shown = new Map<string, Record<string, string> | undefined>();
    for (const name of catalogs.length > 0 ? catalogs : await listCatalogs(runner)) {
        const options = await optionsOf(runner, name);
        if (catalogs.length > 0 || options?.["type"] === "fluss") shown.set(name, options);
    }
    const found: FoundCatalog[] = [];
    for (const [name, options] of shown) {
        if (!options)
            warnings.push(
                `catalog ${name}: its options are not shown, so the program refers to it and does not own it`,
            );
        const databases = await databasesOf(runner, name, warnings);
        const own = { engineVersion: engine.engineVersion, jars: [...engine.additionalDependencies] };
        found.push({ name, options, databases, ...own });
    }
    return found;
}

/** Reads the warehouses of a project. */
export async function readLakekeeper(
    given: { url: string; project: string | undefined; warehouses: readonly string[] },
    context: Context,
): Promise<FoundLakekeeper> {
    const client = new LakekeeperClient({ url: given.url, timeoutSeconds: 60 }, context);
    await identify(client);
    const all = await listWarehouses(client, given.project);
    const missing = given.warehouses.filter((name) => !all.some((one) => sameName(one.name, name)));
    if (missing.length > 0) {
        throw new Error(
            `Lakekeeper: there is no warehouse ${missing.join(", ")} at ${given.url}; there are ${all.map(({ name }) => name).join(", ") || "none"}.\n` +
                "What to do: correct --warehouse, or name its project by --project",
        );
    }
    const wanted = all.filter(
        ({ name }) => given.warehouses.length === 0 || given.warehouses.some((one) => sameName(one, name)),
    );
    return { url: client.url, project: given.project, warehouses: byName(wanted) };
}

async function databasesOf(
    runner: SqlRunner,
    catalog: string,
    warnings: string[],
): Promise<FoundCatalog["databases"]> {
    const databases: FoundCatalog["databases"] = [];
    for (const name of (await listDatabases(runner, catalog)).sort()) {
        try {
            const pulled = await pullTables(runner, { catalog, database: name });
            warnings.push(...pulled.warnings);
            databases.push({ name, tables: pulled.specs, unknownLake: pulled.unknownLake });
        } catch (error) {
            if (!/no table is visible/.test(String(error))) throw error;
            // The default database of each cluster is nobody's work.
            if (name !== "fluss") databases.push({ name, tables: [] });
        }
    }
    return databases;
}

async function optionsOf(runner: SqlRunner, name: string): Promise<Record<string, string> | undefined> {
    try {
        const shown = await runner.execute(
            `SHOW CREATE CATALOG ${qualified(name)}`,
            `read catalog '${name}'`,
        );
        const text = shown.rows[0]?.[0];
        return text ? parseShowCreateCatalog(text).options : undefined;
    } catch {
        // Built-in catalogs have no statement, and an older Flink does not know it.
        return undefined;
    }
}

function byName<T extends { name: string }>(list: readonly T[]): T[] {
    return [...list].sort((a, b) => (a.name < b.name ? -1 : 1));
}
