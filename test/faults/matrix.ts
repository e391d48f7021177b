/** Every fault at every call of every step of one resource: after the fault, one `up` must reach the goal. */

import { inOwnTime } from "./case-time.ts";
import { EngineProcess } from "./engine-process.ts";
import { type FaultProxy, faults, kills, startFaultProxy } from "./fault-proxy.ts";
import { type Bag, Ledger, type Provider } from "./ledger.ts";

/** One kind of resource against one API. */
export interface Scenario {
    name: string;
    /** Starts an API of its own with all that the resource needs. */
    start(): Promise<World>;
    provider: Provider;
    /** The stack's configuration, for what is called with a token of it. */
    config?: { get(key: string): string | undefined };
    /** The first inputs; `url` is that of the proxy. */
    first(world: World, url: string): Bag;
    /** Changed inputs, to be reached in place. Left out when there is no such change. */
    changed?(world: World, url: string): Bag;
    /** The inputs with which the user takes over what exists, where the API cannot mark an object as this stack's. */
    adopting?(inputs: Bag): Bag;
    /** What people do by hand when an error of `up` asks for it; it is counted as said, and the next `up` must reach the goal. */
    byHand?: {
        asked: RegExp;
        counts: "adopted" | "spare";
        act(world: World, ledger: Ledger, url: string): Promise<void>;
    };
    /** How many objects of the resource's name the API holds now. */
    count(world: World): Promise<number>;
    /** Objects after `up`; default 1. Objects after the delete: 0, or `remains` for what always exists. */
    remains?: number;
    /** Why the API may hold one object more after its answers were lost for good; such cases are counted as `spare`. */
    spare?: string;
    /** Why the API's object is not as wanted although the provider says so; a wiped credential for example. */
    wrong?(world: World, wanted: "first" | "changed", held: Ledger["held"]): Promise<string | undefined>;
}

export interface World {
    url: string;
    close(): Promise<void>;
    /** What a scenario keeps: ids of what it needs. */
    facts: Record<string, string>;
    outside(method: string, path: string, json?: unknown): Promise<unknown>;
}

export type StepName = "create" | "update" | "refresh" | "delete";

export interface Tally {
    cases: number;
    /** Calls beyond those of an undisturbed step. */
    retries: number;
    /** Steps that went through in spite of the fault. */
    unharmed: number;
    /** Steps in which the process ended at the call. */
    killed: number;
    /** Goals that were reached only by taking the object over. */
    adopted: number;
    /** Goals beside which an object is left that the API cannot tell from a wanted one; see `Scenario.spare`. */
    spare: number;
    failures: string[];
}

const steps: StepName[] = ["create", "update", "refresh", "delete"];
const concurrent = 24;

/** Which cases of a scenario are run. */
export interface Extent {
    until: "once" | "cleared";
    /** Faults by name. Default: all of the proxy that can be so. */
    names?: readonly string[] | undefined;
    /** Every how many-th case; the rest belongs to the longer run. Default 1. */
    every?: number;
    /** What stands before the API. Default: {@link startFaultProxy}. */
    proxy?: (target: string) => Promise<FaultProxy>;
}

/** Runs the cases of a scenario. */
export async function runMatrix(scenario: Scenario, extent: Extent): Promise<Tally> {
    const { until, every = 1, proxy: start = startFaultProxy } = extent;
    const names =
        extent.names ??
        Object.keys(faults).filter((name) => until === "once" || !(kills as string[]).includes(name));
    const tally: Tally = { cases: 0, retries: 0, unharmed: 0, killed: 0, adopted: 0, spare: 0, failures: [] };
    const cases: (() => Promise<void>)[] = [];
    for (const step of steps) {
        if (step === "update" && !scenario.changed) continue;
        const calls = await undisturbed(scenario, step, start);
        for (const [at, call] of calls.entries()) {
            for (const fault of names) {
                const one = { step, at, call, fault, until, usual: calls.length, start };
                cases.push(() => runCase(scenario, one, tally));
            }
        }
    }
    // A sample that is the same in each run, and meets each call with some fault and each fault at some call.
    const chosen = cases.filter((_, index) => index % every === 0);
    let next = 0;
    const worker = async () => {
        while (next < chosen.length) await chosen[next++]?.();
    };
    await Promise.all(Array.from({ length: concurrent }, worker));
    return tally;
}

interface Case {
    step: StepName;
    at: number;
    call: string;
    fault: string;
    until: "once" | "cleared";
    usual: number;
    start: (target: string) => Promise<FaultProxy>;
}

/** The calls of a step that nothing disturbs. */
async function undisturbed(scenario: Scenario, step: StepName, start: Case["start"]): Promise<string[]> {
    return inWorld(scenario, start, async (world, proxy) => {
        const ledger = await before(scenario, step, world, proxy);
        await take(scenario, step, ledger, world, proxy);
        return [...proxy.calls];
    });
}

async function runCase(scenario: Scenario, one: Case, tally: Tally): Promise<void> {
    const title = `${scenario.name}: ${one.step}, ${one.fault} (${one.until}) at call ${one.at}, ${one.call}`;
    tally.cases += 1;
    try {
        await inWorld(scenario, one.start, async (world, proxy) => {
            const ledger = await before(scenario, one.step, world, proxy);
            const recorded = ledger.record();
            const caller = new EngineProcess();
            proxy.arm(one.at, one.fault, one.until, caller);
            const error = await caller.run(() =>
                take(scenario, one.step, ledger, world, proxy).then(
                    () => undefined,
                    (error: unknown) => error as Error,
                ),
            );
            tally.retries += Math.max(0, proxy.calls.length - one.usual);
            if (caller.killed) {
                // Whoever is killed records nothing and remembers nothing.
                ledger.restore(recorded);
                await scenario.provider.configure({ config: scenario.config ?? { get: () => undefined } });
                tally.killed += 1;
            } else if (!error) tally.unharmed += 1;
            else if (error.message.trim().length < 20) throw new Error(`says too little: '${error.message}'`);
            await proxy.watch();
            await reachGoal(scenario, one.step, ledger, world, proxy, tally);
        });
    } catch (error) {
        tally.failures.push(`${title}: ${(error as Error).message}`);
    }
}

async function inWorld<T>(
    scenario: Scenario,
    start: Case["start"],
    work: (world: World, proxy: FaultProxy) => Promise<T>,
): Promise<T> {
    if (scenario.config) await scenario.provider.configure({ config: scenario.config });
    const world = await scenario.start();
    const proxy = await start(world.url);
    try {
        return await inOwnTime(() => work(world, proxy));
    } finally {
        await proxy.close();
        await world.close();
    }
}

async function before(scenario: Scenario, step: StepName, world: World, proxy: FaultProxy): Promise<Ledger> {
    const ledger = new Ledger(scenario.provider);
    if (step !== "create") await ledger.up(scenario.first(world, proxy.url));
    await proxy.watch();
    return ledger;
}

async function take(
    scenario: Scenario,
    step: StepName,
    ledger: Ledger,
    world: World,
    proxy: FaultProxy,
): Promise<void> {
    if (step === "create") await ledger.up(scenario.first(world, proxy.url));
    if (step === "update") await ledger.up(scenario.changed?.(world, proxy.url) ?? {});
    if (step === "refresh") await ledger.refresh();
    if (step === "delete") await ledger.destroy();
}

async function reachGoal(
    scenario: Scenario,
    step: StepName,
    ledger: Ledger,
    world: World,
    proxy: FaultProxy,
    tally: Tally,
): Promise<void> {
    if (step === "delete") {
        await ledger.destroy();
        const left = await scenario.count(world);
        if (left !== (scenario.remains ?? 0)) throw new Error(`orphaned: ${left} objects are left`);
        return;
    }
    if (step === "refresh" && !ledger.held)
        throw new Error("lost: the refresh dropped an object that is there");
    const wanted = step === "update" ? "changed" : "first";
    const inputs = scenario[wanted]?.(world, proxy.url) ?? {};
    try {
        await ledger.up(inputs);
    } catch (error) {
        const { adopting, byHand } = scenario;
        const { message } = error as Error;
        if (byHand?.asked.test(message)) {
            tally[byHand.counts] += 1;
            await byHand.act(world, ledger, proxy.url);
            await ledger.up(inputs);
        } else if (adopting && /adopt: true/.test(message)) {
            tally.adopted += 1;
            await ledger.up(adopting(inputs));
        } else throw error;
    }
    const made = await scenario.count(world);
    if (made === 2 && scenario.spare) tally.spare += 1;
    else if (made !== 1) throw new Error(`${made === 0 ? "lost" : "doubled"}: there are ${made} objects`);
    const wrong = await scenario.wrong?.(world, wanted, ledger.held);
    if (wrong) throw new Error(wrong);
    await ledger.refresh();
    if (!ledger.held) throw new Error("lost: a refresh does not find it");
    const again = await ledger.up(inputs);
    if (again !== "same") throw new Error(`not at the goal: the next up would ${again}`);
}
