import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { rootVariable } from "./resources/environment.ts";

/**
 * Ends what a killed run has left of Pulumi's engine: the CLI, and the provider processes, which do not notice that it
 * is gone. Only processes that were started for this lakehouse are ended, which their environment tells; call it while
 * no other start or stop works on the lakehouse. Where there is no /proc, nothing is done.
 */
export async function endLeftEngines(root: string): Promise<void> {
    await end((pid) => isEngine(pid) && belongsTo(pid, root));
}

/**
 * Ends services of this lakehouse whose record is gone, because somebody has deleted its folder: they are known by the
 * folder that they run in. Call it when all services that have a record are stopped.
 */
export async function endStrays(root: string): Promise<void> {
    await end((pid) => {
        const program = path.basename(read(pid, "cmdline")[0] ?? "");
        return (
            /^(java|node|python[\d.]*)$/.test(program) &&
            workingFolder(pid).startsWith(path.join(root, "run") + path.sep)
        );
    });
}

async function end(isLeft: (pid: number) => boolean): Promise<void> {
    const left = processes().filter(isLeft);
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        for (const pid of left.filter(isLeft)) send(pid, signal);
        for (let waited = 0; waited < 10_000 && left.some(isLeft); waited += 100) await sleep(100);
    }
}

function processes(): number[] {
    if (!fs.existsSync("/proc/self/environ")) return [];
    return fs
        .readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
        .map(Number);
}

/** A `pulumi` that the Automation API started, or the process that hosts dynamic resources. */
function isEngine(pid: number): boolean {
    const words = read(pid, "cmdline");
    const isCli =
        /(^|\/)pulumi$/.test(words[0] ?? "") && words.some((word) => word.startsWith("--exec-kind"));
    return isCli || words.some((word) => word.endsWith("@pulumi/pulumi/cmd/dynamic-provider/index.js"));
}

function belongsTo(pid: number, root: string): boolean {
    return read(pid, "environ").includes(`${rootVariable}=${root}`);
}

/** The words of one of a process's files; none when the process is gone or somebody else's. */
function read(pid: number, file: "cmdline" | "environ"): string[] {
    try {
        return fs.readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0");
    } catch {
        return [];
    }
}

/** The folder that the process works in; a deleted one keeps its name, with a mark behind it. */
function workingFolder(pid: number): string {
    try {
        return fs.readlinkSync(`/proc/${pid}/cwd`);
    } catch {
        return "";
    }
}

function send(pid: number, signal: NodeJS.Signals): void {
    try {
        process.kill(pid, signal);
    } catch {
        // It ended between the look and the signal.
    }
}
