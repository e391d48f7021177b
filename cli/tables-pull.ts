import {
    findTable,
    isMaterialized,
    listPartitions,
    listTables,
} from "../dynamic-providers/flink-sql/look.ts";
import type { SqlRunner } from "../dynamic-providers/flink-sql/runner.ts";
import { qualified } from "../model/ddl.ts";
import { type Fault, faultLine } from "../model/faults.ts";
import type { FlussVersion } from "../model/fluss-options.ts";
import { type TableSpec, validateTable } from "../model/table.ts";
import { isAutoPartitioned } from "../model/table-rules-auto-partition.ts";
import { type PulledTable, pulledTable, tableSource } from "../model/table-source.ts";

/** What to pull. */
export interface Pull {
    catalog: string;
    database: string;
    /** Default: every table of the database. */
    tables?: readonly string[];
    /** Declare the partitions that exist, too, except those of auto-partitioned tables. Default false. */
    partitions?: boolean;
    /** The server's line, for the rules. Default `1.0`. */
    server?: FlussVersion;
}

/** What was pulled. */
export interface Pulled {
    /** A TypeScript file. */
    source: string;
    specs: TableSpec[];
    /** Names of the tables whose lake is not told. */
    unknownLake: string[];
    /** What a person should know: tables and options left out, and why a pulled table cannot be declared as it is. */
    warnings: string[];
}

/**
 * Reads the tables of a database and writes their specs, which plan to nothing against the same tables.
 * @throws when the database or a named table does not exist, or when the user sees no table at all
 */
export async function pullTables(runner: SqlRunner, pull: Pull): Promise<Pulled> {
    const names = pull.tables?.length ? pull.tables : await listTables(runner, pull.catalog, pull.database);
    if (names.length === 0) {
        throw new Error(
            `Fluss: no table is visible in database '${pull.database}' of catalog '${pull.catalog}'.\n` +
                "What to do: if there are tables, give the catalog's user the right to DESCRIBE them",
        );
    }
    const tables: PulledTable[] = [];
    const warnings: string[] = [];
    const missing: string[] = [];
    for (const name of [...names].sort()) {
        const table = await unlessMaterialized(() => pullTable(runner, pull, name));
        if (table === "missing") {
            missing.push(name);
        } else if (table) {
            tables.push(table);
            warnings.push(...warningsOf(table, pull.server ?? "1.0"));
        } else {
            warnings.push(`${pull.database}.${name}: is left out, since it is a materialized table of Flink`);
        }
    }
    if (missing.length > 0) throw await noSuchTables(runner, pull, missing);
    const specs = tables.map(({ spec }) => spec);
    return {
        source: tableSource(`The tables of the Fluss database ${pull.database}.`, tables),
        specs,
        unknownLake: tables.filter(({ lake }) => lake === "unknown").map(({ spec }) => spec.name),
        warnings,
    };
}

/** Flink keeps such a table together with its query, and cannot print it: it is none to declare. */
async function unlessMaterialized<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
        return await read();
    } catch (error) {
        if (isMaterialized(error)) return undefined;
        throw error;
    }
}

async function noSuchTables(
    runner: SqlRunner,
    { catalog, database }: Pull,
    missing: string[],
): Promise<Error> {
    const there = await listTables(runner, catalog, database);
    const [what, does] = missing.length === 1 ? ["table", "does"] : ["tables", "do"];
    return new Error(
        `Fluss: ${what} ${missing.map((name) => qualified(catalog, database, name)).join(", ")} ${does} not exist.\n` +
            `What to do: correct --table; ${there.length === 0 ? "no table is visible there" : `there are ${there.sort().join(", ")}`}`,
    );
}

async function pullTable(runner: SqlRunner, pull: Pull, name: string): Promise<PulledTable | "missing"> {
    const path = qualified(pull.catalog, pull.database, name);
    const found = await findTable(runner, pull.catalog, { database: pull.database, name });
    if (!found) return "missing";
    const { spec } = found;
    const wanted = pull.partitions && spec.partitionKeys && !isAutoPartitioned(spec);
    const partitions = wanted ? await listPartitions(runner, path, spec.partitionKeys!) : undefined;
    return pulledTable({ ...spec, partitions });
}

function warningsOf({ spec, withheld, lake }: PulledTable, server: FlussVersion): string[] {
    const path = `${spec.database}.${spec.name}`;
    return [
        ...withheld.map((key) => `${path}: the option ${key} is left out, since it looks like a secret`),
        ...(lake === "unknown"
            ? [
                  `${path}: is tiered, and its lake is not shown (table.datalake.format), so that the rules of a lake were not checked`,
              ]
            : []),
        ...faultsOf(spec, server, lake).map(
            (fault) => `${path}: cannot be declared as it is: ${faultLine(fault)}`,
        ),
    ];
}

/** Where the lake is not known nothing is said of it: that the table has one shows that the servers have one. */
function faultsOf(spec: TableSpec, server: FlussVersion, lake: PulledTable["lake"]): Fault[] {
    if (lake !== "unknown") return validateTable(spec, { server, lake });
    const options = Object.entries(spec.options).filter(([key]) => key !== "table.datalake.enabled");
    return validateTable({ ...spec, options: Object.fromEntries(options) }, { server, lake: "none" });
}
