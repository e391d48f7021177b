import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import {
    isAlive,
    processRecord,
    readIfThere,
    recordOf,
    type Seconds,
    Supervisor,
    writePrivate,
} from "../../local/services/index.ts";
import { noteForTheEnd } from "../notes.ts";

/** What ends the things that were started, in reverse order. */
export type Closing = (() => Promise<unknown>)[];

/**
 * Starts services in an empty folder below the system's temporary folder, after removing what a killed run has left
 * behind. A start that fails is undone.
 */
export async function startInOwnFolder<T extends object>(
    start: (supervisor: Supervisor, closing: Closing) => Promise<T>,
): Promise<T & { stop(): Promise<void> }> {
    await removeLeftOvers();
    const root = fs.mkdtempSync(path.join(os.tmpdir(), folderPrefix));
    writePrivate(path.join(root, ownerFile), JSON.stringify(recordOf(process.pid, "owner")));
    const supervisor = new Supervisor(root);
    const closing: Closing = [() => discard(supervisor)];
    const stop = async () => {
        tellWhatEnded(supervisor);
        for (const close of closing.toReversed()) await close();
    };
    try {
        return { ...(await start(supervisor, closing)), stop };
    } catch (error) {
        await stop();
        throw error;
    }
}

const folderPrefix = "pulumi-fluss-test-";
const ownerFile = "owner.json";

/** What a killed run has left behind: its services still run. */
async function removeLeftOvers(): Promise<void> {
    for (const name of fs.readdirSync(os.tmpdir()).filter((entry) => entry.startsWith(folderPrefix))) {
        const root = path.join(os.tmpdir(), name);
        const owner = processRecord.safeParse(JSON.parse(readIfThere(path.join(root, ownerFile)) ?? "{}"));
        if (owner.success && !isAlive(owner.data)) await discard(new Supervisor(root));
    }
}

/** A server that ended by itself before its tests did is why they failed: it is told with the last it said, beside the failures too. */
function tellWhatEnded(supervisor: Supervisor): void {
    for (const name of supervisor.endedByThemselves()) {
        const said = supervisor.lastLines(name).split("\n").slice(-15).join("\n");
        noteForTheEnd(`${name} had ended before the tests did. Its last lines:\n${said}`);
    }
}

async function discard(supervisor: Supervisor): Promise<void> {
    await supervisor.stopAll();
    fs.rmSync(supervisor.root, { recursive: true, force: true });
}

/** Waits for all, so that nothing still starts when the fault is told. */
export async function allOrFirstFault(starts: Promise<Seconds>[]): Promise<Seconds> {
    await Promise.allSettled(starts);
    return Object.assign({}, ...(await Promise.all(starts)));
}

/** Seconds and memory of each service, for the log. */
export function startTable(seconds: Seconds, supervisor: Supervisor, all: number): string {
    const memory = new Map(supervisor.status().map((service) => [service.name, service.rssMiB ?? 0]));
    const lines = Object.entries(seconds).map(
        ([name, taken]) =>
            `${name.padEnd(20)} ${taken.toFixed(1).padStart(5)} s ${String(memory.get(name)).padStart(5)} MiB`,
    );
    const sum = [...memory.values()].reduce((total, mib) => total + mib, 0);
    return [
        ...lines,
        `${"all".padEnd(20)} ${all.toFixed(1).padStart(5)} s ${String(sum).padStart(5)} MiB`,
    ].join("\n");
}
