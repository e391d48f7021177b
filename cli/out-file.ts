/** The file that `--out` names. */
import fs from "node:fs";
import path from "node:path";
import type { Terminal } from "./command.ts";
import { reasonOf } from "./in-file.ts";

/**
 * To be called before anything is read, which may take long.
 * @throws when there is a file of that name, which may be somebody's work, or no folder for it
 */
export function refuseExisting(file: string | undefined): void {
    if (file === undefined) return;
    if (fs.existsSync(file)) {
        throw new Error(
            `--out ${file}: the file exists already. What to do: give another name, or move it away`,
        );
    }
    const folder = path.dirname(path.resolve(file));
    if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
        throw new Error(
            `--out ${file}: there is no folder ${folder}. What to do: make it, or give another name`,
        );
    }
}

/** Writes to a new file and says so, or without one to the terminal. */
export function writeOut(text: string, file: string | undefined, terminal: Terminal, what = ""): void {
    if (file === undefined) {
        terminal.out(text);
        return;
    }
    try {
        fs.writeFileSync(file, text, { flag: "wx" });
    } catch (error) {
        throw new Error(
            `--out ${file}: cannot be written: ${reasonOf(error)}. What to do: give another name`,
        );
    }
    terminal.error(`${what}written to ${file}`);
}
