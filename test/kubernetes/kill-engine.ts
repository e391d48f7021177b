import fs from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { processes, type Running } from "../../local/processes.ts";
import type { TestStack } from "../engine/engine.ts";

/**
 * Ends the engine of this process's stack at once, and the plugins it started; with `alone` they are left to do what
 * they like until the test is over. Its lock goes, as `pulumi cancel` would do.
 */
export function killEngine(stack: TestStack, { alone = false } = {}): void {
    const running = processes();
    const engines = childrenOf(process.pid, running).filter((pid) => running.get(pid)?.name === "pulumi");
    const all = engines.flatMap((pid) => tree(pid, running));
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

/** The process and what comes from it, of those that run now. */
function tree(pid: number, all: ReadonlyMap<number, Running>): number[] {
    return [pid, ...childrenOf(pid, all).flatMap((child) => tree(child, all))];
}

function childrenOf(parent: number, all: ReadonlyMap<number, Running>): number[] {
    return [...all].flatMap(([pid, running]) => (running.parent === parent ? [pid] : []));
}
