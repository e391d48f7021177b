/** Runs whose engine is killed, and what they say. */
import { setTimeout as sleep } from "node:timers/promises";
import { processes, type Running } from "../../local/processes.ts";

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
 * Ends the engine that this process has started, without a word to it, and the plugins that it started; with `alone` they are
 * left, and go on with what they have begun. Returns the processes of both.
 */
export function killEngine({ alone = false } = {}): number[] {
    const running = processes();
    const engines = enginesIn(running);
    const all = engines.flatMap((pid) => treeOf(pid, running));
    for (const pid of alone ? engines : all) endProcess(pid);
    return all;
}

/** Asks the engine that this process has started to end, as Ctrl-C does: what has begun comes to its end. */
export function interruptEngine(): void {
    for (const pid of enginesIn(processes())) process.kill(pid, "SIGINT");
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
    run: () => Promise<unknown>,
    when: () => boolean,
    { alone = false } = {},
): Promise<string> {
    const watch = setInterval(() => {
        if (!when()) return;
        clearInterval(watch);
        killEngine({ alone });
    }, 1);
    const said = await failureOf(run());
    clearInterval(watch);
    // Plugins outlive the engine, and end what they have begun.
    if (alone) await sleep(500);
    return said;
}

/** How {@link killAtEachCall} kills. */
export interface Killing {
    /** The engine's work. Answers of the server must come late in it, so that the engine dies before it can write them down. */
    run(): Promise<unknown>;
    /** What the server has done so far that makes or changes something: names, in order. */
    calls(): readonly string[];
    /** Told of the end of each run, for what the next one needs: the lock gone, `adopt` set. */
    ended(said: string): Promise<void>;
    /** See {@link killEngine}. */
    alone?: boolean;
    /** Runs at most, of which the last one must go through. */
    most: number;
}

/**
 * Runs the engine again and again, each time killing it after a call at which it was not killed yet, until a run has no such
 * call. A name that comes twice in one run is two calls. Returns those at which it was killed.
 */
export async function killAtEachCall({ run, calls, ended, alone = false, most }: Killing): Promise<string[]> {
    const killed: string[] = [];
    for (let attempt = 0; attempt < most; attempt++) {
        const before = calls().length;
        const when = () => {
            const fresh = numbered(calls().slice(before)).find((call) => !killed.includes(call));
            if (fresh !== undefined) killed.push(fresh);
            return fresh !== undefined;
        };
        const said = await killedRun(run, when, { alone });
        await ended(said);
        if (said === nothingFailed) break;
    }
    return killed;
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

function enginesIn(running: ReadonlyMap<number, Running>): number[] {
    return childrenOf(process.pid, running).filter((pid) => running.get(pid)?.name === "pulumi");
}

/** The process and what comes from it, of those that run now. */
function treeOf(pid: number, all: ReadonlyMap<number, Running>): number[] {
    return [pid, ...childrenOf(pid, all).flatMap((child) => treeOf(child, all))];
}

function childrenOf(parent: number, all: ReadonlyMap<number, Running>): number[] {
    return [...all].flatMap(([pid, running]) => (running.parent === parent ? [pid] : []));
}
