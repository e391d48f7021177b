import * as pulumi from "@pulumi/pulumi";
import {
    FlussCatalog,
    FlussDatabase,
    FlussTable,
    type SqlRunnerArgs,
} from "../dynamic-providers/flink-sql/resources.ts";
import { catalogOptions } from "../model/catalog-options.ts";
import { script } from "../model/ddl.ts";
import { type Fault, FaultsError } from "../model/faults.ts";
import type { FlussClient } from "../model/fluss-client.ts";
import type { Lake } from "../model/lake.ts";
import type { TableSpecArgs } from "../model/table.ts";
import {
    checkTables,
    type DeclaredTable,
    declaredTables,
    tableName,
    unknownNames,
} from "../model/table-set.ts";

/**
 * Arguments of {@link FlussTables}. `K` are the names by which the program knows the tables: those of a record, or
 * `database.table` for a list.
 */
export interface FlussTablesArgs<K extends string = string> {
    /** Where the statements run: on Ververica Platform, or on a SQL gateway of open Flink. */
    runner: SqlRunnerArgs;
    /** Name of the Fluss catalog. */
    catalog: string;
    /**
     * Uses the catalog as it is, since another stack made it; `client` then configures nothing. Only Ververica Platform
     * keeps catalogs. Default false: this component makes it.
     */
    existingCatalog?: boolean;
    /** The cluster. Its password carries a `secretValue` for Ververica Platform, a `value` for a gateway. */
    client: pulumi.Input<FlussClient>;
    /** The cluster's lake, whose credential the catalog carries; left out when it has none. */
    lake?: pulumi.Input<Lake>;
    /** Release line of the servers, which decides what can be altered in place. Default `1.0`. */
    version?: "0.9" | "1.0";
    /** The tables, as a list or by names of the program's own; their databases are made too. */
    tables: readonly TableSpecArgs[] | Readonly<Record<K, TableSpecArgs>>;
    /**
     * Destructive changes that are wanted, by table (`database.table`) and name, that of an option or of a partition to
     * drop: `{"finance.trades": ["table.log.ttl", "dt=2024-01-01"]}`.
     */
    allowDataLoss?: Record<string, string[]>;
    /**
     * Refuses to drop tables and databases while true, in the preview. Default true. Or by name, for some:
     * `{ "finance.trades": false }`; what it does not name is protected.
     */
    deletionProtection?: boolean | Readonly<Record<string, boolean>>;
    /** Takes over catalog, databases and tables that exist and are as wanted. Default false. */
    adopt?: boolean;
}

/**
 * A Fluss catalog with databases and tables (quickstart, "Creating the Catalog and the Tables"). The preview shows the DDL
 * of each table; a change that Fluss cannot make, or that would lose data, is refused there.
 */
export class FlussTables<K extends string = string> extends pulumi.ComponentResource {
    /** Name of the catalog. */
    readonly catalog: pulumi.Output<string>;
    /** The tables, under the names of the arguments; their `path` is quoted for SQL. */
    readonly tables: Record<K, FlussTable>;
    /** The statements that would make each table anew, its partitions included, each with a semicolon. */
    readonly ddl: Record<K, string>;

    constructor(name: string, args: FlussTablesArgs<K>, opts?: pulumi.ComponentResourceOptions) {
        super("fluss:index:FlussTables", name, {}, opts);
        const { runner, adopt } = args;
        const capabilities = { server: args.version ?? "1.0", lake: args.lake ? "iceberg" : "none" } as const;
        const declared = declaredTables(args.tables);
        const { statements, faults } = checkTables(declared, { ...capabilities, catalog: args.catalog });
        faults.push(...nameFaults(args, declared));
        if (faults.length > 0) {
            throw new pulumi.ResourceError(
                new FaultsError(`the tables of ${name}`, faults).message,
                this,
                true,
            );
        }
        const isProtected = (path: string) => protectionOf(args.deletionProtection, path);
        // The provider alone would refuse no earlier than in `up`: a preview asks nobody about what is deleted.
        const protection = (path: string) => (isProtected(path) ? { protect: true } : {});
        const form = runner.kind === "vvp" ? "secretValue" : "value";
        const options = pulumi
            .all([args.client, args.lake])
            .apply(([client, lake]) => catalogOptions(args.catalog, client, lake, form));
        if (args.existingCatalog && runner.kind !== "vvp") {
            throw new pulumi.ResourceError(
                `${name}: existingCatalog needs Ververica Platform; a SQL gateway forgets its catalogs with each session`,
                this,
                true,
            );
        }
        const catalog = args.existingCatalog
            ? undefined
            : new FlussCatalog(
                  `${name}-catalog`,
                  { runner, name: args.catalog, options, adopt },
                  { parent: this },
              );
        // Ververica Platform keeps the catalog; a gateway has to be told again in each session.
        // The name stands as it is, and not as an output of the catalog: a preview can show the DDL then.
        const reference = { name: args.catalog, ...(runner.kind === "vvp" ? {} : { options }) };
        const afterCatalog = { parent: this, dependsOn: catalog ? [catalog] : [] };

        const databases = new Map(
            [...new Set(declared.map(({ spec }) => spec.database))].map((database) => [
                database,
                new FlussDatabase(
                    `${name}-${database}`,
                    {
                        runner,
                        catalog: reference,
                        name: database,
                        adopt,
                        deletionProtection: isProtected(database),
                    },
                    { ...afterCatalog, ...protection(database) },
                ),
            ]),
        );
        this.tables = Object.fromEntries(
            declared.map(({ key, spec }) => {
                const path = tableName(spec);
                const table = new FlussTable(
                    `${name}-${spec.database}-${spec.name}`,
                    {
                        runner,
                        catalog: reference,
                        spec,
                        capabilities,
                        allowDataLoss: args.allowDataLoss?.[path],
                        adopt,
                        deletionProtection: isProtected(path),
                    },
                    { parent: this, dependsOn: databases.get(spec.database) ?? [], ...protection(path) },
                );
                return [key, table];
            }),
        ) as Record<K, FlussTable>;
        this.ddl = Object.fromEntries([...statements].map(([key, made]) => [key, script(made)])) as Record<
            K,
            string
        >;
        this.catalog = pulumi.output(catalog?.name ?? args.catalog);
        // Each table has its DDL among its inputs: the state does not hold it once more.
        this.registerOutputs({ catalog: this.catalog });
    }
}

function protectionOf(given: FlussTablesArgs["deletionProtection"], path: string): boolean {
    return typeof given === "object" ? (given[path] ?? true) : (given ?? true);
}

/** Settings by name that name nothing. */
function nameFaults(
    { allowDataLoss = {}, deletionProtection }: FlussTablesArgs,
    declared: readonly DeclaredTable[],
): Fault[] {
    const tables = declared.map(({ spec }) => tableName(spec));
    const databases = declared.map(({ spec }) => spec.database);
    const protection = typeof deletionProtection === "object" ? deletionProtection : {};
    return [
        ...unknownNames("allowDataLoss", allowDataLoss, tables),
        ...unknownNames("deletionProtection", protection, [...tables, ...databases]),
    ];
}
