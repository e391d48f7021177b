import { qualified } from "../../model/ddl.ts";
import { type ObservedTable, parsePartition, parseShowCreateTable } from "../../model/show-create.ts";
import type { TableSpec } from "../../model/table.ts";
import { ApiError } from "../http/api-error.ts";
import { settled } from "../vvp/settle.ts";
import { materializedTable } from "./hints.ts";
import type { SqlRunner } from "./runner.ts";

/** Names of the databases that the catalog's user may see. */
export async function listDatabases(runner: SqlRunner, catalog: string): Promise<string[]> {
    const action = `list the databases of catalog '${catalog}'`;
    return firstColumn(await runner.execute(`SHOW DATABASES IN ${qualified(catalog)}`, action));
}

/**
 * Names of the tables that the catalog's user may see: none without rights, too.
 * @throws when the database does not exist
 */
export async function listTables(runner: SqlRunner, catalog: string, database: string): Promise<string[]> {
    const path = qualified(catalog, database);
    return firstColumn(await runner.execute(`SHOW TABLES FROM ${path}`, `list the tables of ${path}`));
}

/** Names of the catalogs that the platform, or the session, has. */
export async function listCatalogs(runner: SqlRunner): Promise<string[]> {
    return firstColumn(await runner.execute("SHOW CATALOGS", "list the catalogs"));
}

/**
 * Whether the database exists.
 * @throws when none is visible at all: a user without rights sees an empty list instead of an error (Fluss 0.9.1
 * observed), and a cluster always has its default database
 */
export async function databaseExists(runner: SqlRunner, catalog: string, database: string): Promise<boolean> {
    const names = await listDatabases(runner, catalog);
    if (names.includes(database)) return true;
    if (names.length > 0) return false;
    throw new Error(
        `Fluss: no database is visible in catalog '${catalog}', so nobody can tell whether '${database}' exists.\n` +
            "What to do: give the catalog's user the right to DESCRIBE the database, or correct the catalog's options",
    );
}

/**
 * The table as the server has it, without secrets; undefined when it does not exist although its catalog can be seen.
 * Its partitions are asked for only when some are declared: that costs a second statement.
 */
export async function findTable(
    runner: SqlRunner,
    catalog: string,
    table: Pick<TableSpec, "database" | "name" | "partitions">,
): Promise<ObservedTable | undefined> {
    const path = qualified(catalog, table.database, table.name);
    try {
        const shown = await runner.execute(`SHOW CREATE TABLE ${path}`, `read table ${path}`);
        const text = shown.rows[0]?.[0];
        if (!text) throw new Error(`Flink SQL: SHOW CREATE TABLE ${path} gave no text`);
        const { spec } = parseShowCreateTable(text);
        if (!table.partitions?.length || !spec.partitionKeys) return { spec };
        return { spec: { ...spec, partitions: await listPartitions(runner, path, spec.partitionKeys) } };
    } catch (error) {
        if (!isMissing(error)) throw error;
        await databaseExists(runner, catalog, table.database);
        return undefined;
    }
}

/** Every partition of a partitioned table, those that writers and the server made among them. */
export async function listPartitions(
    runner: SqlRunner,
    path: string,
    keys: readonly string[],
): Promise<Record<string, string>[]> {
    const shown = await runner.execute(`SHOW PARTITIONS ${path}`, `list the partitions of ${path}`);
    return firstColumn(shown).map((row) => parsePartition(keys, row));
}

/**
 * Runs a statement that changes something; when its outcome is not known, `isDone` tells. One that got lost on the way, and did
 * not happen by two looks, is sent once more: should the first come through all the same, the second is refused and `isDone` holds.
 */
export async function done(change: () => Promise<unknown>, isDone: () => Promise<boolean>): Promise<void> {
    const look = async () => (await isDone()) || undefined;
    const once = async () => {
        await change();
        return true;
    };
    try {
        await settled(once, look);
    } catch (lost) {
        if (!isLost(lost)) throw lost;
        try {
            await settled(once, look);
        } catch (error) {
            if (!(await isDone())) throw error;
        }
    }
}

/** The connection broke, or the gateway was started anew: nothing that goes on for long, unlike what passed its deadline. */
function isLost(error: unknown): boolean {
    return error instanceof ApiError && error.ambiguous && error.type !== "deadline";
}

/**
 * Runs a read of something in a catalog. When the catalog itself is gone, which only refreshes can see, nobody can tell
 * about what is in it: then `unseen` is taken, so that the refresh goes on and the next `up` makes the catalog again.
 */
export async function unlessCatalogIsGone<T>(what: string, read: () => Promise<T>, unseen: T): Promise<T> {
    try {
        return await read();
    } catch (error) {
        if (!(error instanceof ApiError && /^(A )?catalog .*does not exist/i.test(error.serverMessage)))
            throw error;
        console.warn(
            `warning: ${what} cannot be seen, since its catalog does not exist; it is kept as it was`,
        );
        return unseen;
    }
}

/** True for "no such table" and "no such database". */
export function isMissing(error: unknown): boolean {
    return (
        error instanceof ApiError &&
        !error.ambiguous &&
        /\b(does not|doesn't) exist\b/.test(error.serverMessage) &&
        !/^Session /.test(error.serverMessage)
    );
}

/** True when SHOW CREATE TABLE met a materialized table, which Flink 1.20.3 cannot print (observed). */
export function isMaterialized(error: unknown): boolean {
    return error instanceof ApiError && materializedTable.test(error.serverMessage);
}

/** True when what a CREATE wanted to make is there already, in Flink's words and not in those of the lake. */
export function isExisting(error: unknown): boolean {
    return (
        error instanceof ApiError &&
        /already exists? in Catalog|^Catalog .* already exists?/i.test(error.serverMessage)
    );
}

/**
 * True when somebody makes the same thing at this moment: then a CREATE of Fluss passes its own check, and meets the other's
 * nodes in ZooKeeper (0.9.1; read in the source).
 */
export function isMadeMeanwhile(error: unknown): boolean {
    return (
        error instanceof ApiError &&
        /NodeExists for \S*\/metadata\/|Fail to register schema when creating table/.test(error.serverMessage)
    );
}

/** True when the lake has a table of that name already, whatever Fluss has (0.9.1 observed; 1.0 by its source). */
export function isTakenInLake(error: unknown): boolean {
    return (
        error instanceof ApiError &&
        /\bTable [\w-]+\.[\w-]+ already exists\.$|already exists in Iceberg catalog/.test(error.serverMessage)
    );
}

function firstColumn(answer: { rows: (string | null)[][] }): string[] {
    return answer.rows.flatMap(([name]) => (name ? [name] : []));
}
