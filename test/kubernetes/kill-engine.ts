import fs from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { TestStack } from "../engine/engine.ts";

/**
 * Ends the engine of this process's stack at once, and the plugins it started; with `alone` they are left to do what
 * they like until the test is over. Its lock goes, as `pulumi cancel` would do.
 */
export function killEngine(stack: TestStack, { alone = false } = {}): void {
    const engines = childrenOf(process.pid).filter((pid) => nameOf(String(pid)) === "pulumi");
    const all = engines.flatMap(tree);
    for (const pid of alone ? engines : all) end(pid);
    if (alone) onTestFinished(() => all.forEach(end));
    fs.rmSync(path.join(stack.folder, "state/.pulumi/locks"), { recursive: true, force: true });
}

function end(pid: number): void {
    try {
        process.kill(pid, "SIGKILL");
    } catch {
        // It ended by itself.
    }
}

function tree(pid: number): number[] {
    return [pid, ...childrenOf(pid).flatMap(tree)];
}

function childrenOf(parent: number): number[] {
    return fs
        .readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
        .map(Number);
}

function parentOf(pid: string): number {
    const stat = readProc(pid);
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

function nameOf(pid: string): string {
    return /\((.*)\)/.exec(readProc(pid))?.[1] ?? "";
}

function readProc(pid: string): string {
    try {
        return fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    } catch {
        return "";
    }
}
