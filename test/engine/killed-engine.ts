/** Runs whose engine is killed, and what they say. */
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { processes, type Running, workingFolder } from "../../local/processes.ts";
import { repairState } from "../../local/state-repair.ts";
import type { TestStack } from "./engine.ts";

/** What {@link failureOf} gives for a run that went through. */
export const nothingFailed = "nothing failed";

/** Why a run failed, its cause included; {@link nothingFailed} when it did not. */
export function failureOf(run: Promise<unknown>): Promise<string> {
    return run.then(
        () => nothingFailed,
        (error: Error) => `${error.message}\n${(error.cause as Error | undefined)?.message ?? ""}`,
    );
}

/**
 * Ends the engine of a stack at once, without a word to it, and the plugins that it started; with `alone` they are left, and go
 * on with what they have begun. Returns the processes of both.
 */
export function killEngine({ folder }: TestStack, { alone = false } = {}): number[] {
    const running = processes();
    const engines = enginesOf(folder, running);
    const all = engines.flatMap((pid) => treeOf(pid, running));
    for (const pid of alone ? engines : all) endProcess(pid);
    return all;
}

/** Asks the engine of a stack to end, as Ctrl-C does: what has begun comes to its end. */
export function interruptEngine({ folder }: TestStack): void {
    for (const pid of enginesOf(folder, processes())) process.kill(pid, "SIGINT");
}

/**
 * Takes away what a killed run has left: its lock, by `pulumi cancel`, and a file of the state that it was just writing, which
 * people do by hand (docs/runbooks.md).
 */
export async function unlock(stack: TestStack): Promise<void> {
    repairState(path.join(stack.folder, "state"));
    await stack.cancel();
}

/** Ends a process at once, when it is still there. */
export function endProcess(pid: number): void {
    try {
        process.kill(pid, "SIGKILL");
    } catch {
        // It ended by itself.
    }
}

/** Runs the engine, and kills it as soon as `when` holds, which is asked each millisecond. Returns what the run says. */
export async function killedRun(
    stack: TestStack,
    run: () => Promise<unknown>,
    when: () => boolean,
    { alone = false } = {},
): Promise<string> {
    const watch = setInterval(() => {
        if (!when()) return;
        clearInterval(watch);
        killEngine(stack, { alone });
    }, 1);
    const said = await failureOf(run());
    clearInterval(watch);
    // Plugins outlive the engine, and end what they have begun.
    if (alone) await sleep(500);
    return said;
}

/** How {@link killAtEachCall} kills. */
export interface Killing {
    stack: TestStack;
    /** The engine's work. Answers of the server must come late in it, so that the engine dies before it can write them down. */
    run(): Promise<unknown>;
    /** What the server has done so far that makes or changes something: names, in order. */
    calls(): readonly string[];
    /** Told what each run that failed says, before the next one begins. */
    failed(said: string): void;
    /** See {@link killEngine}. */
    alone?: boolean;
    /** Runs at most, of which the last one must go through. */
    most: number;
}

/**
 * Runs the engine again and again, each time killing it after a call at which it was not killed yet, until a run has no such
 * call. A name that comes twice in one run is two calls. Returns those at which it was killed.
 */
export async function killAtEachCall(how: Killing): Promise<string[]> {
    const { stack, run, calls, failed, alone = false, most } = how;
    const killed: string[] = [];
    for (let attempt = 0; attempt < most; attempt++) {
        const before = calls().length;
        const when = () => {
            const fresh = numbered(calls().slice(before)).find((call) => !killed.includes(call));
            if (fresh !== undefined) killed.push(fresh);
            return fresh !== undefined;
        };
        const said = await killedRun(stack, run, when, { alone });
        if (said === nothingFailed) return killed;
        await unlock(stack);
        failed(said);
    }
    throw new Error(`no run went through; killed after ${killed.join(", ")}`);
}

/** `["a", "b", "a"]` as `["a", "b", "a #2"]`. */
function numbered(names: readonly string[]): string[] {
    const seen = new Map<string, number>();
    return names.map((name) => {
        const times = (seen.get(name) ?? 0) + 1;
        seen.set(name, times);
        return times === 1 ? name : `${name} #${times}`;
    });
}

function enginesOf(folder: string, running: ReadonlyMap<number, Running>): number[] {
    return childrenOf(process.pid, running).filter(
        (pid) => running.get(pid)?.name === "pulumi" && workingFolder(pid) === folder,
    );
}

/** The process and what comes from it, of those that run now. */
function treeOf(pid: number, all: ReadonlyMap<number, Running>): number[] {
    return [pid, ...childrenOf(pid, all).flatMap((child) => treeOf(child, all))];
}

function childrenOf(parent: number, all: ReadonlyMap<number, Running>): number[] {
    return [...all].flatMap(([pid, running]) => (running.parent === parent ? [pid] : []));
}
