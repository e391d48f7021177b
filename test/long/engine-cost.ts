// What an operation of the engine costs: time on the clock, time of the processors, memory of the provider.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
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
    const sampling = setInterval(take, 500);
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
    const running = processes();
    const isEngine = (pid: number): boolean => {
        for (let at = running.get(pid); at; at = running.get(at.parent)) {
            if (at.name === "pulumi") return true;
            if (at.parent === process.pid) return false;
        }
        return false;
    };
    return new Map(
        [...running]
            .filter(([pid]) => isEngine(pid))
            .map(([pid, { start, cpuSeconds, mebibytes, args }]) => [
                `${pid}/${start}`,
                { cpuSeconds, providerMiB: args.includes("dynamic-provider") ? mebibytes : 0 },
            ]),
    );
}

interface Running {
    parent: number;
    name: string;
    start: string;
    cpuSeconds: number;
    mebibytes: number;
    args: string;
}

/** Linux counts in hundredths of a second and in pages of 4 KiB. */
function processes(): Map<number, Running> {
    const found = new Map<number, Running>();
    if (!fs.existsSync("/proc/self/stat")) return found;
    for (const entry of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
        try {
            const stat = fs.readFileSync(path.join("/proc", entry, "stat"), "utf8");
            const args = fs.readFileSync(path.join("/proc", entry, "cmdline"), "utf8");
            const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
            const at = (index: number) => Number(fields[index]);
            found.set(Number(entry), {
                parent: at(1),
                name: stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")),
                start: fields[19] ?? "",
                cpuSeconds: (at(11) + at(12)) / 100,
                mebibytes: at(21) / 256,
                args,
            });
        } catch {
            // It has ended meanwhile.
        }
    }
    return found;
}
