import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Who holds a lock. `started` tells a process from a later one with the same number; it is empty where /proc is missing. */
interface Owner {
    pid: number;
    started: string;
    token: string;
}

const POLL_MS = 100;

/**
 * Runs `work` while no other run, in this process or another one, holds the lock `file`. Waits as long as the owner
 * lives; a lock whose owner is dead is taken over. `onWait` is called once, with the owner's process id, before waiting.
 */
export async function withLock<T>(
    file: string,
    onWait: (pid: number) => void,
    work: () => Promise<T>,
): Promise<T> {
    const own: Owner = { pid: process.pid, started: startOf(process.pid), token: randomUUID() };
    let told = false;
    while (!tryCreate(file, own)) {
        const owner = readOwner(file);
        if (owner === undefined) continue;
        if (!isAlive(owner)) {
            removeLock(file, owner);
            continue;
        }
        if (!told) onWait(owner.pid);
        told = true;
        await sleep(POLL_MS);
    }
    try {
        return await work();
    } finally {
        removeLock(file, own);
    }
}

/** True while that very process runs, not merely another one that was given its number. */
export function isAlive(owner: { pid: number; started: string }): boolean {
    try {
        process.kill(owner.pid, 0);
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    }
    const started = startOf(owner.pid);
    return owner.started === "" || started === "" || owner.started === started;
}

/** Start time of a process in clock ticks since boot, field 22 of `/proc/<pid>/stat`; empty where there is no such file. */
export function startOf(pid: number): string {
    try {
        const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
        // The second field, the program's name in brackets, may itself hold spaces and brackets.
        return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
    } catch {
        return "";
    }
}

/** Creates the lock together with its content in one step, so that nobody reads a half-written owner. */
function tryCreate(file: string, owner: Owner): boolean {
    const draft = `${file}.${owner.token}`;
    fs.writeFileSync(draft, JSON.stringify(owner));
    try {
        fs.linkSync(draft, file);
        return true;
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
        throw error;
    } finally {
        fs.rmSync(draft, { force: true });
    }
}

function readOwner(file: string): Owner | undefined {
    try {
        return JSON.parse(fs.readFileSync(file, "utf8")) as Owner;
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw new Error(
            `The lock file ${file} cannot be read (${(error as Error).message}). Remove it and run again.`,
        );
    }
}

/**
 * Removes the lock if `owner` holds it. Two waiting runs may find the same dead owner at the same time: the file is moved
 * aside first, which only one of them can do, and put back when it turns out to belong to somebody else by now.
 */
function removeLock(file: string, owner: Owner): void {
    const aside = `${file}.${randomUUID()}`;
    try {
        fs.renameSync(file, aside);
    } catch {
        return;
    }
    if (readOwner(aside)?.token !== owner.token) {
        try {
            fs.linkSync(aside, file);
        } catch {
            // A third run took the lock in between. Results are put into place in one step, so it can only work twice.
        }
    }
    fs.rmSync(aside, { force: true });
}
