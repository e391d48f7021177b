import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { isAlive, startOf, withLock } from "./lock.ts";
import type { Report } from "./types.ts";

/** The folder of all downloaded and built tools: `PULUMI_FLUSS_CACHE`, else `pulumi-fluss` in the user's cache folder. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
    const chosen = env["PULUMI_FLUSS_CACHE"];
    if (chosen) return path.resolve(chosen);
    return path.join(env["XDG_CACHE_HOME"] || path.join(os.homedir(), ".cache"), "pulumi-fluss");
}

/** Twelve hexadecimal digits that change with the name or content of any of the files and with any of the extra words. */
export function contentHash(files: string[], ...words: string[]): string {
    const hash = createHash("sha256");
    for (const file of files)
        hash.update(path.basename(file)).update("\0").update(fs.readFileSync(file)).update("\0");
    for (const word of words) hash.update(word).update("\0");
    return hash.digest("hex").slice(0, 12);
}

/** One step that fills folders of the cache. */
export interface Filling {
    /** Names the lock and the messages: `jars of Fluss, Flink and Iceberg`. */
    name: string;
    /** How long it may take, for a person: `2 to 5 minutes`. */
    takes: string;
    /** The folders to fill, absolute, each named by version or content. */
    folders: string[];
    /** False for a folder that exists but must be made anew. By default a folder that exists is complete. */
    isComplete?(folder: string): boolean;
    /** Makes the missing folders below `draft`, each as the folder of that name in the returned record. */
    make(draft: string, missing: string[]): Promise<Record<string, string>>;
}

/**
 * Fills the folders that are missing. The work is done in a temporary folder and moved into place in one step, so a
 * killed run leaves nothing half-made; of two runs at once, one works and the other waits for it.
 */
export async function fill(cacheDir: string, filling: Filling, report: Report): Promise<void> {
    if (isFilled(filling)) return;
    const locks = path.join(cacheDir, "locks");
    fs.mkdirSync(locks, { recursive: true });
    const lock = path.join(locks, filling.name.replaceAll(/[^A-Za-z0-9.]+/g, "-"));
    const onWait = (pid: number) =>
        report(`${filling.name}: waiting for process ${pid}, which prepares the same`);
    await withLock(lock, onWait, async () => {
        const missing = missingOf(filling);
        if (missing.length === 0) return;
        report(`${filling.name}: preparing, takes ${filling.takes} once on this machine`);
        const begin = Date.now();
        const draft = temporaryFolder(cacheDir);
        try {
            const made = await filling.make(draft, missing);
            for (const folder of missing) place(made[folder], folder);
        } finally {
            fs.rmSync(draft, { recursive: true, force: true });
        }
        report(`${filling.name}: done in ${Math.round((Date.now() - begin) / 1000)} s`);
    });
}

/** True when nothing is left to do. */
export function isFilled(filling: Filling): boolean {
    return missingOf(filling).length === 0;
}

function missingOf(filling: Filling): string[] {
    const isComplete = filling.isComplete ?? (() => true);
    return filling.folders.filter((folder) => !fs.existsSync(folder) || !isComplete(folder));
}

function place(made: string | undefined, folder: string): void {
    if (made === undefined || !fs.existsSync(made)) throw new Error(`Nothing was made for ${folder}.`);
    fs.mkdirSync(path.dirname(folder), { recursive: true });
    fs.rmSync(folder, { recursive: true, force: true });
    fs.renameSync(made, folder);
}

/** A new folder of this process; those of killed runs are removed on the way. */
function temporaryFolder(cacheDir: string): string {
    const all = path.join(cacheDir, "tmp");
    fs.mkdirSync(all, { recursive: true });
    for (const name of fs.readdirSync(all)) {
        const [pid, started = ""] = name.split("-");
        if (!isAlive({ pid: Number(pid), started }))
            fs.rmSync(path.join(all, name), { recursive: true, force: true });
    }
    return fs.mkdtempSync(path.join(all, `${process.pid}-${startOf(process.pid)}-`));
}
