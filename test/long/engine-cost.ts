// What an operation of the engine costs: time on the clock, time of the processors, memory of the provider.
import os from "node:os";
import { commandLine, lineOf, processes } from "../../local/processes.ts";
import { changesOf, type Outcome } from "../engine/engine.ts";

/** What one operation took. */
export interface Cost {
    /** On the clock. Others on the machine make it longer. */
    seconds: number;
    /** Of the processors, by the engine with its plugins and by this process, which runs the program. 0 where there is no /proc. */
    cpuSeconds: number;
    /** Most MiB of the dynamic provider's process. */
    providerMiB: number;
}

/** Runs an operation and prints what it cost. */
export async function cost(what: string, run: () => Promise<Outcome>): Promise<Cost> {
    const seen = new Map<string, Engine>();
    const take = () => {
        for (const [key, { cpuSeconds, providerMiB }] of engines()) {
            const most = Math.max(providerMiB, seen.get(key)?.providerMiB ?? 0);
            seen.set(key, { cpuSeconds, providerMiB: most });
        }
    };
    const sampling = setInterval(take, 100);
    const own = process.cpuUsage();
    const began = performance.now();
    try {
        const outcome = await run();
        const seconds = (performance.now() - began) / 1000;
        const { user, system } = process.cpuUsage(own);
        const all = [...seen.values()];
        const cpuSeconds = (user + system) / 1e6 + all.reduce((sum, engine) => sum + engine.cpuSeconds, 0);
        const providerMiB = Math.round(Math.max(0, ...all.map(({ providerMiB }) => providerMiB)));
        const [load = 0] = os.loadavg();
        console.log(
            `${what}: ${seconds.toFixed(1)} s, processors ${cpuSeconds.toFixed(1)} s, ${changesOf(outcome).length} changes, ` +
                `provider ${providerMiB} MiB, load ${load.toFixed(1)}`,
        );
        return { seconds, cpuSeconds, providerMiB };
    } finally {
        clearInterval(sampling);
    }
}

/** The least of several runs: what others on the machine add is no cost of the operation. */
export function least(costs: readonly Cost[]): Cost {
    const of = (field: keyof Cost) => Math.min(...costs.map((one) => one[field]));
    return { seconds: of("seconds"), cpuSeconds: of("cpuSeconds"), providerMiB: of("providerMiB") };
}

interface Engine {
    cpuSeconds: number;
    providerMiB: number;
}

/** The `pulumi` processes below this one and what they started, each by number and start. */
function engines(): Map<string, Engine> {
    const all = processes();
    const isEngine = (pid: number) => lineOf(pid, all)?.some(({ name }) => name === "pulumi");
    return new Map(
        [...all]
            .filter(([pid]) => isEngine(pid))
            .map(([pid, { start, cpuSeconds, mebibytes }]) => {
                const providerMiB = commandLine(pid).includes("dynamic-provider") ? mebibytes : 0;
                return [`${pid}/${start}`, { cpuSeconds, providerMiB }];
            }),
    );
}
