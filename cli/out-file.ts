/** The file that `--out` names. */
import fs from "node:fs";
import type { Terminal } from "./command.ts";

/**
 * To be called before anything is read, which may take long.
 * @throws when there is a file of that name: it may be somebody's work
 */
export function refuseExisting(file: string | undefined): void {
    if (file === undefined || !fs.existsSync(file)) return;
    throw new Error(`--out ${file}: the file exists already. What to do: give another name, or move it away`);
}

/** Writes to a new file and says so, or without one to the terminal. */
export function writeOut(text: string, file: string | undefined, terminal: Terminal, what = ""): void {
    if (file === undefined) {
        terminal.out(text);
        return;
    }
    fs.writeFileSync(file, text, { flag: "wx" });
    terminal.error(`${what}written to ${file}`);
}
