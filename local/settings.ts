import path from "node:path";
import { z } from "zod";
import { faultLine } from "../model/faults.ts";
import { validateTable } from "../model/table.ts";
import { accounts } from "../stacks/quickstart-tables.ts";
import { foldersOf, readIfThere, writePrivate } from "./services/folders.ts";

const file = (root: string) => path.join(foldersOf(root).run, "added-columns.json");

/** Columns that `--add-column` gave to the table `accounts` in this lakehouse, oldest first. */
export function addedColumns(root: string): string[] {
    return z.array(z.string()).parse(JSON.parse(readIfThere(file(root)) ?? "[]"));
}

/**
 * Checks the name that `--add-column` gives, before anything is started or remembered.
 * @throws with the rule that it breaks
 */
export function checkColumn(root: string, name: string): void {
    if (addedColumns(root).includes(name)) return;
    const table = { ...accounts, columns: [...accounts.columns, { name, type: "STRING" }] };
    const faults = validateTable(table, { server: "0.9", lake: "iceberg" });
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
        throw new Error(
            `--add-column ${JSON.stringify(name)}: give a name of letters, digits and _, not starting with a digit.`,
        );
    }
    if (faults.length > 0) throw new Error(`--add-column ${name}: ${faults.map(faultLine).join("\n")}`);
}

/** Remembers one more column, so that the next start does not take it for a dropped one. */
export function addColumn(root: string, column: string): void {
    writePrivate(file(root), JSON.stringify([...new Set([...addedColumns(root), column])]));
}
