import { FlinkError } from "../../flink/index.ts";
import type { SqlResult } from "./flink-backend.ts";

/**
 * As much of Flink's catalogs as the engine tests need, in memory: catalogs live in a session, databases and tables in
 * the servers behind a catalog's name. Reads CREATE, DROP and SHOW; takes every other statement as done. It does not
 * parse columns: SHOW CREATE TABLE gives back the text that made the table.
 */
export class SimulatedCatalogs {
    /** catalog -> database -> table -> CREATE statement */
    readonly #stored = new Map<string, Map<string, Map<string, string>>>();

    /** Runs a statement in a session that has these catalogs; `undefined` when it is none of CREATE, DROP, SHOW. */
    run(statement: string, session: Set<string>): SqlResult | undefined {
        const ddl = DDL.exec(statement);
        if (ddl) {
            const [, action, kind, condition, name] = ddl as unknown as string[];
            this.#change(
                `${action} ${kind}`.toUpperCase(),
                parts(name!),
                condition !== undefined,
                statement,
                session,
            );
            return { columns: [], rows: [], hasContent: false };
        }
        const shown = SHOW.exec(statement);
        if (!shown) return undefined;
        const [, what, name] = shown as unknown as string[];
        return this.#show(what!.toUpperCase().replace(/\s+/g, " "), parts(name ?? ""), session);
    }

    #change(action: string, name: string[], lenient: boolean, statement: string, session: Set<string>): void {
        const [catalog = "", database = "", table = ""] = name;
        if (action === "CREATE CATALOG") {
            if (session.has(catalog))
                complain(lenient, "CatalogException", `Catalog ${catalog} already exists.`);
            session.add(catalog);
            if (!this.#stored.has(catalog)) this.#stored.set(catalog, new Map());
        } else if (action === "DROP CATALOG") {
            const there = session.delete(catalog);
            if (!there) complain(lenient, "CatalogException", `Catalog ${catalog} does not exist.`);
        } else if (action === "CREATE DATABASE") {
            const databases = this.#databases(catalog, session);
            if (databases.has(database)) {
                const reason = `Database ${database} already exists in Catalog ${catalog}.`;
                complain(lenient, "DatabaseAlreadyExistException", reason);
            } else databases.set(database, new Map());
        } else this.#changeInDatabase(action, { catalog, database, table }, lenient, statement, session);
    }

    #changeInDatabase(
        action: string,
        { catalog, database, table }: { catalog: string; database: string; table: string },
        lenient: boolean,
        statement: string,
        session: Set<string>,
    ): void {
        const databases = this.#databases(catalog, session);
        const tables = databases.get(database);
        if (!tables) {
            const reason = `Database ${database} does not exist in Catalog ${catalog}.`;
            complain(lenient && action.startsWith("DROP"), "DatabaseNotExistException", reason);
        } else if (action === "DROP DATABASE") {
            const kept = tables.size > 0 && !/\bCASCADE\s*$/i.test(statement);
            const reason = `Database ${database} in catalog ${catalog} is not empty.`;
            complain(!kept, "DatabaseNotEmptyException", reason);
            databases.delete(database);
        } else if (action === "CREATE TABLE" && tables.has(table)) {
            const reason = `Table (or view) ${database}.${table} already exists in Catalog ${catalog}.`;
            complain(lenient, "TableAlreadyExistException", reason);
        } else if (action === "CREATE TABLE") tables.set(table, statement);
        else if (!tables.delete(table)) {
            const reason = `Table with identifier '${catalog}.${database}.${table}' does not exist.`;
            complain(lenient, "ValidationException", reason);
        }
    }

    #show(
        what: string,
        [catalog = "", database = "", table = ""]: string[],
        session: Set<string>,
    ): SqlResult {
        const list = (column: string, names: Iterable<string>) => ({
            columns: [column],
            rows: [...names].sort().map((name) => [name]),
            hasContent: true,
        });
        if (what === "CATALOGS") return list("catalog name", ["default_catalog", ...session]);
        const databases = this.#databases(catalog, session);
        if (what === "DATABASES") return list("database name", databases.keys());
        const tables = databases.get(database);
        if (!tables)
            throw failure(
                "DatabaseNotExistException",
                `Database ${database} does not exist in Catalog ${catalog}.`,
            );
        if (what === "TABLES") return list("table name", tables.keys());
        const text = tables.get(table);
        if (text === undefined) {
            const name = `${catalog}.${database}.${table}`;
            throw failure(
                "ValidationException",
                `Could not execute SHOW CREATE TABLE. Table with identifier ${name} does not exist.`,
            );
        }
        return list("result", [text]);
    }

    #databases(catalog: string, session: Set<string>): Map<string, Map<string, string>> {
        const found = session.has(catalog) ? this.#stored.get(catalog) : undefined;
        if (!found)
            throw failure("CatalogNotExistException", `A catalog with name [${catalog}] does not exist.`);
        return found;
    }
}

const NAME = "((?:`[^`]+`|[\\w$]+)(?:\\s*\\.\\s*(?:`[^`]+`|[\\w$]+))*)";
const DDL = new RegExp(
    `^(CREATE|DROP)\\s+(CATALOG|DATABASE|TABLE)\\s+(IF\\s+(?:NOT\\s+)?EXISTS\\s+)?${NAME}`,
    "i",
);
const SHOW = new RegExp(
    `^SHOW\\s+(CATALOGS|DATABASES|TABLES|CREATE\\s+TABLE)(?:\\s+(?:FROM\\s+|IN\\s+)?${NAME})?`,
    "i",
);

function parts(name: string): string[] {
    return [...name.matchAll(/`([^`]+)`|[\w$]+/g)].map(([plain, quoted]) => quoted ?? plain);
}

function complain(lenient: boolean, type: string, reason: string): void {
    if (!lenient) throw failure(type, reason);
}

function failure(type: string, reason: string): FlinkError {
    const full = `org.apache.flink.table.catalog.exceptions.${type}`;
    return new FlinkError("The simulated gateway did not run the statement", {
        status: 500,
        type: full,
        reason,
    });
}
