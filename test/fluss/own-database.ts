import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, inject } from "vitest";
import type { GatewayRunner } from "../../dynamic-providers/flink-sql/gateway.ts";
import { createDatabase, qualified } from "../../model/ddl.ts";
import type { ColumnSpec, TableSpec } from "../../model/table.ts";
import type { Lakehouse } from "./lakehouse.ts";
import { runnerFor } from "./tables-catalog.ts";

/** A database of a test file's own in the catalog `c`. */
export interface OwnDatabase {
    lakehouse: Lakehouse;
    runner: GatewayRunner;
    database: string;
    /** A spec in this database under a name of its own, with these columns unless `part` says other. */
    specsOf(columns: ColumnSpec[]): (part?: Partial<TableSpec>) => TableSpec;
}

/**
 * Makes the database before the tests of the calling file, and drops it with all its tables after them. Its name is another one in
 * each run, since the Iceberg tables of an earlier run stay in the lake.
 */
export function ownDatabase(name: string): OwnDatabase {
    const lakehouse = inject("lakehouse");
    const database = `${name}_${randomBytes(3).toString("hex")}`;
    const runner = runnerFor(lakehouse);
    beforeAll(async () => {
        await runner.execute(createDatabase("c", { name: database }), "create the database");
    });
    afterAll(async () => {
        await runner.execute(`DROP DATABASE ${qualified("c", database)} CASCADE`, "drop the database");
    });
    let made = 0;
    const specsOf =
        (columns: ColumnSpec[]) =>
        (part: Partial<TableSpec> = {}): TableSpec => ({
            database,
            name: `t${made++}`,
            columns,
            options: {},
            ...part,
        });
    return { lakehouse, runner, database, specsOf };
}
