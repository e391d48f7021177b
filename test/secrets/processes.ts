import fs from "node:fs";

/** What was started below this process, by its arguments. */
export interface Watch {
    /** The command lines seen so far, each with blanks between its arguments. */
    readonly commandLines: ReadonlySet<string>;
    stop(): void;
}

/**
 * Looks at the arguments of all processes below this one until it is stopped. One that lives shorter than the pause between
 * two looks may be missed. Sees nothing where there is no /proc.
 */
export function watchProcesses(milliseconds = 40): Watch {
    const commandLines = new Set<string>();
    const look = () => {
        for (const [pid, { parent }] of running()) {
            if (!isBelow(pid, parent)) continue;
            const words = read(pid, "cmdline").replaceAll("\0", " ").trim();
            if (words !== "") commandLines.add(words);
        }
    };
    const timer = setInterval(look, milliseconds);
    return { commandLines, stop: () => clearInterval(timer) };
}

let parents = new Map<number, { parent: number }>();

function running(): Map<number, { parent: number }> {
    if (!fs.existsSync("/proc/self/stat")) return new Map();
    const numbers = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    parents = new Map(
        numbers.flatMap((name): [number, { parent: number }][] => {
            const stat = read(Number(name), "stat");
            // The name of the program, in brackets, may hold anything.
            const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
            return Number.isNaN(parent) ? [] : [[Number(name), { parent }]];
        }),
    );
    return parents;
}

function isBelow(pid: number, parent: number): boolean {
    if (pid === process.pid) return false;
    for (let at: number | undefined = parent; at !== undefined; at = parents.get(at)?.parent) {
        if (at === process.pid) return true;
    }
    return false;
}

function read(pid: number, file: "cmdline" | "stat"): string {
    try {
        return fs.readFileSync(`/proc/${pid}/${file}`, "utf8");
    } catch {
        // It has ended meanwhile.
        return "";
    }
}
