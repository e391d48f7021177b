/** The processes of this machine, as Linux shows them. Where there is no /proc, nothing is seen. */
import fs from "node:fs";

export interface Running {
    /** Number of the process that started it. */
    parent: number;
    name: string;
    /** With its number this tells it from any other one. */
    start: string;
    /** Of the processors, so far. */
    cpuSeconds: number;
    /** In memory now. */
    mebibytes: number;
}

/** All that run now, by their numbers. Linux counts in hundredths of a second and in pages of 4 KiB. */
export function processes(): Map<number, Running> {
    const found = new Map<number, Running>();
    if (!fs.existsSync("/proc/self/stat")) return found;
    for (const entry of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
        const stat = read(Number(entry), "stat");
        if (stat === "") continue;
        // The name of the program, in brackets, may hold anything.
        const [before, after] = [stat.indexOf("("), stat.lastIndexOf(")")];
        const fields = stat.slice(after + 2).split(" ");
        const at = (index: number) => Number(fields[index]);
        found.set(Number(entry), {
            parent: at(1),
            name: stat.slice(before + 1, after),
            start: fields[19] ?? "",
            cpuSeconds: (at(11) + at(12)) / 100,
            mebibytes: at(21) / 256,
        });
    }
    return found;
}

/** The process and those above it, up to this one; undefined when it does not come from this one. */
export function lineOf(pid: number, all: ReadonlyMap<number, Running>): Running[] | undefined {
    const line: Running[] = [];
    for (let at = pid; at !== process.pid; ) {
        const one = all.get(at);
        if (!one) return undefined;
        line.push(one);
        at = one.parent;
    }
    return line;
}

/** Its command line, with blanks between the arguments; empty when it has ended. */
export function commandLine(pid: number): string {
    return words(pid).join(" ").trim();
}

/** Program and arguments of its command line; one empty word when it has ended. */
export function words(pid: number): string[] {
    return read(pid, "cmdline").split("\0");
}

/** Its environment as it was at its start, one `NAME=value` each; empty when it has ended or is another user's. */
export function environment(pid: number): string[] {
    return read(pid, "environ").split("\0");
}

/** The folder it works in, also one that was removed since; empty when it has ended or is another user's. */
export function workingFolder(pid: number): string {
    try {
        return fs.readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, "");
    } catch {
        return "";
    }
}

function read(pid: number, file: "cmdline" | "environ" | "stat"): string {
    try {
        return fs.readFileSync(`/proc/${pid}/${file}`, "utf8");
    } catch {
        // It has ended meanwhile, or is another user's.
        return "";
    }
}
