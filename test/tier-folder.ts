/** Each tier has a temporary folder of its own. By it is found, and ended, what a tier leaves behind that did not end by itself. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { commandLine, environment, processes, workingFolder } from "../local/processes.ts";

/** An empty folder for the tier's temporary files: its processes get it as `TMPDIR`. The name tells which run made it. */
export function makeTierFolder(tier: string): string {
    const run = `${process.pid}.${processes().get(process.pid)?.start ?? ""}`;
    const folder = fs.mkdtempSync(
        path.join(fs.realpathSync(os.tmpdir()), `pulumi-fluss-tier-${run}-${tier}-`),
    );
    // PostgreSQL runs as a user of its own and must get through; the folders inside are for whoever made them.
    fs.chmodSync(folder, 0o711);
    return folder;
}

/** Discards the folders of runs that were killed. Where there is no /proc, no run is known to have ended. */
export async function discardAbandoned(): Promise<void> {
    const all = processes();
    if (all.size === 0) return;
    const temporary = fs.realpathSync(os.tmpdir());
    for (const name of fs.readdirSync(temporary)) {
        const [, pid, start] = /^pulumi-fluss-tier-(\d+)\.(\d+)-/.exec(name) ?? [];
        if (pid === undefined || all.get(Number(pid))?.start === start) continue;
        await discardTierFolder(path.join(temporary, name));
    }
}

/**
 * Ends the processes that still have the folder as `TMPDIR` or work in it, then removes it. Servers of a tier outlive it when it
 * was cut off. Where there is no /proc, none is seen.
 * @param graceSeconds how long they may take to end before they are killed
 * @returns the command lines of those that were ended
 */
export async function discardTierFolder(folder: string, graceSeconds = 10): Promise<string[]> {
    const ended = livingIn(folder).map(commandLine);
    signalAll(folder, "SIGTERM");
    const deadline = Date.now() + graceSeconds * 1000;
    while (livingIn(folder).length > 0 && Date.now() < deadline) await sleep(50);
    // Those too that were begun meanwhile, by one that was told to end.
    for (let tries = 0; livingIn(folder).length > 0 && tries < 40; tries += 1) {
        signalAll(folder, "SIGKILL");
        await sleep(50);
    }
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
    return ended;
}

/** By their numbers. One that has ended but was not collected has neither environment nor folder. */
function livingIn(folder: string): number[] {
    const inside = (place: string) => place === folder || place.startsWith(`${folder}${path.sep}`);
    return [...processes().keys()].filter(
        (pid) =>
            pid !== process.pid &&
            (environment(pid).includes(`TMPDIR=${folder}`) || inside(workingFolder(pid))),
    );
}

function signalAll(folder: string, signal: NodeJS.Signals): void {
    for (const pid of livingIn(folder)) {
        try {
            process.kill(pid, signal);
        } catch (error) {
            // It ended between the look and the signal.
            if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
        }
    }
}
