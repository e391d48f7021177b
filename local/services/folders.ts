import fs from "node:fs";
import path from "node:path";

/** The folders of one local lakehouse below its root (`.local` of the checkout unless told otherwise). */
export interface Folders {
    /** Process records, specs, generated configuration; only its owner may enter. */
    run: string;
    logs: string;
    /** What the services store. */
    data: string;
}

/** Where things are below `root` (absolute); creates nothing. */
export function foldersOf(root: string): Folders {
    return { run: path.join(root, "run"), logs: path.join(root, "logs"), data: path.join(root, "data") };
}

/** Creates the folders; `run` and `data` may be entered by their owner alone, since they hold secrets. */
export function makeFolders(root: string): Folders {
    const folders = foldersOf(root);
    for (const folder of Object.values(folders)) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folders;
}

/** Replaces `file` in one step, readable by its owner alone: a killed run leaves the old content or the new. */
export function writePrivate(file: string, content: string): void {
    const draft = `${file}.${process.pid}.new`;
    fs.writeFileSync(draft, content, { mode: 0o600 });
    fs.renameSync(draft, file);
}

/** The file's text, or undefined when there is no such file. */
export function readIfThere(file: string): string | undefined {
    try {
        return fs.readFileSync(file, "utf8");
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
    }
}
