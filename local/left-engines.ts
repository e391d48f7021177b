import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { environment, processes, words, workingFolder } from "./processes.ts";
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
        const program = path.basename(words(pid)[0] ?? "");
        return (
            /^(java|node|python[\d.]*)$/.test(program) &&
            workingFolder(pid).startsWith(path.join(root, "run") + path.sep)
        );
    });
}

async function end(isLeft: (pid: number) => boolean): Promise<void> {
    const left = [...processes().keys()].filter((pid) => pid !== process.pid && isLeft(pid));
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        for (const pid of left.filter(isLeft)) send(pid, signal);
        for (let waited = 0; waited < 10_000 && left.some(isLeft); waited += 100) await sleep(100);
    }
}

/** A `pulumi` that the Automation API started, or the process that hosts dynamic resources. */
function isEngine(pid: number): boolean {
    const line = words(pid);
    const isCli = /(^|\/)pulumi$/.test(line[0] ?? "") && line.some((word) => word.startsWith("--exec-kind"));
    return isCli || line.some((word) => word.endsWith("@pulumi/pulumi/cmd/dynamic-provider/index.js"));
}

function belongsTo(pid: number, root: string): boolean {
    return environment(pid).includes(`${rootVariable}=${root}`);
}

function send(pid: number, signal: NodeJS.Signals): void {
    try {
        process.kill(pid, signal);
    } catch {
        // It ended between the look and the signal.
    }
}
