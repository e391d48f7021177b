import * as pulumi from "@pulumi/pulumi";
import {
    FlussCatalog,
    FlussDatabase,
    FlussTable,
    type SqlRunnerArgs,
} from "../dynamic-providers/flink-sql/resources.ts";
import { catalogOptions } from "../model/catalog-options.ts";
import type { FlussClient } from "../model/fluss-client.ts";
import type { Lake } from "../model/lake.ts";
import type { TableSpec } from "../model/table.ts";

/** Arguments of {@link FlussTables}. */
export interface FlussTablesArgs {
    /** Where the statements run: on Ververica Platform, or on a SQL gateway of open Flink. */
    runner: SqlRunnerArgs;
    /** Name of the Fluss catalog. */
    catalog: string;
    /** The cluster. Its password carries a `secretValue` for Ververica Platform, a `value` for a gateway. */
    client: pulumi.Input<FlussClient>;
    /** The cluster's lake, whose credential the catalog carries; left out when it has none. */
    lake?: pulumi.Input<Lake>;
    /** Release line of the servers, which decides what can be altered in place. Default `1.0`. */
    version?: "0.9" | "1.0";
    /** The tables; their databases are made too. */
    tables: readonly TableSpec[];
    /** Destructive changes that are wanted, by table (`database.table`) and option: `{"finance.trades": ["table.log.ttl"]}`. */
    allowDataLoss?: Record<string, string[]>;
    /** Refuses to drop tables and databases while true. Default true. */
    deletionProtection?: boolean;
    /** Takes over catalog, databases and tables that exist and are as wanted. Default false. */
    adopt?: boolean;
}

/**
 * A Fluss catalog with databases and tables (quickstart, "Creating the Catalog and the Tables"). The preview shows the DDL
 * of each table; a change that Fluss cannot make, or that would lose data, is refused there.
 */
export class FlussTables extends pulumi.ComponentResource {
    /** Name of the catalog. */
    readonly catalog: pulumi.Output<string>;
    /** The tables by `database.table`; their `path` is quoted for SQL. */
    readonly tables: Record<string, FlussTable>;

    constructor(name: string, args: FlussTablesArgs, opts?: pulumi.ComponentResourceOptions) {
        super("fluss:index:FlussTables", name, {}, opts);
        const { runner, adopt, deletionProtection = true } = args;
        const form = runner.kind === "vvp" ? "secretValue" : "value";
        const options = pulumi
            .all([args.client, args.lake])
            .apply(([client, lake]) => catalogOptions(args.catalog, client, lake, form));
        const catalog = new FlussCatalog(
            `${name}-catalog`,
            { runner, name: args.catalog, options, adopt },
            { parent: this },
        );
        // Ververica Platform keeps the catalog; a gateway has to be told again in each session.
        // The name stands as it is, and not as an output of the catalog: a preview can show the DDL then.
        const reference = { name: args.catalog, ...(runner.kind === "vvp" ? {} : { options }) };
        const afterCatalog = { parent: this, dependsOn: [catalog] };

        const databases = new Map(
            [...new Set(args.tables.map((table) => table.database))].map((database) => [
                database,
                new FlussDatabase(
                    `${name}-${database}`,
                    { runner, catalog: reference, name: database, adopt, deletionProtection },
                    afterCatalog,
                ),
            ]),
        );
        this.tables = Object.fromEntries(
            args.tables.map((spec) => {
                const key = `${spec.database}.${spec.name}`;
                const table = new FlussTable(
                    `${name}-${spec.database}-${spec.name}`,
                    {
                        runner,
                        catalog: reference,
                        spec,
                        capabilities: { server: args.version ?? "1.0", lake: args.lake ? "iceberg" : "none" },
                        allowDataLoss: args.allowDataLoss?.[key],
                        adopt,
                        deletionProtection,
                    },
                    { parent: this, dependsOn: databases.get(spec.database) ?? [] },
                );
                return [key, table];
            }),
        );
        this.catalog = pulumi.output(catalog.name);
        this.registerOutputs({ catalog: this.catalog });
    }
}
