import path from "node:path";
import { z } from "zod";
import { foldersOf, readIfThere, writePrivate } from "./services/folders.ts";

const file = (root: string) => path.join(foldersOf(root).run, "added-columns.json");

/** Columns that `--add-column` gave to the table `accounts` in this lakehouse, oldest first. */
export function addedColumns(root: string): string[] {
    return z.array(z.string()).parse(JSON.parse(readIfThere(file(root)) ?? "[]"));
}

/** Remembers one more column, so that the next start does not take it for a dropped one. */
export function addColumn(root: string, column: string): void {
    writePrivate(file(root), JSON.stringify([...new Set([...addedColumns(root), column])]));
}
