import { type Hosted, hosted } from "../resource.ts";
import { catalog } from "./catalog.ts";
import { database } from "./database.ts";
import { table } from "./table.ts";

export type { Rows, SqlRunner } from "./runner.ts";

/** The resources' logic by the names that stand in users' states: never rename one. */
export const flinkSqlProviders = {
    flussCatalog: hosted(catalog),
    flussDatabase: hosted(database),
    flussTable: hosted(table),
} satisfies Record<string, Hosted>;
