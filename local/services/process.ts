import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { z } from "zod";
import { readIfThere } from "./folders.ts";

/**
 * Identifies one process for good: systems use a process id again, but not together with its start time.
 * `started` is the tick since boot on Linux, the date that `ps` prints elsewhere. `spec` tells what it runs.
 */
export const processRecord = z.object({
    pid: z.int().positive(),
    started: z.string().min(1),
    spec: z.string(),
});
export type ProcessRecord = z.infer<typeof processRecord>;

/**
 * The program of `/bin/sh` that turns itself into a service: it writes its own record first, so that at no
 * moment a process of ours runs that the next start could not find. Arguments: record file, spec, command…
 */
export const launcher = `
umask 077
record=$1 spec=$2
shift 2
if [ -r /proc/$$/stat ]; then started=$(cut -d ' ' -f 22 /proc/$$/stat)
else started=$(LC_ALL=C ps -o lstart= -p $$ | sed 's/^ *//; s/ *$//'); fi
printf '{"pid":%s,"started":"%s","spec":"%s"}' $$ "$started" "$spec" > "$record.new" || exit 1
mv "$record.new" "$record" || exit 1
exec "$@"
`;

/** True when exactly that process still runs; a process that has ended but was not collected is dead. */
export function isAlive(record: Pick<ProcessRecord, "pid" | "started">): boolean {
    const seen = look(record.pid);
    if (seen === undefined || seen.started !== record.started || seen.state === "X") return false;
    // The first thread of a killed process ends before the others, which still hold its ports.
    return seen.state !== "Z" || threadsOf(record.pid) > 1;
}

/** The record of a process that runs now, or undefined when there is none of that id. */
export function recordOf(pid: number, spec: string): ProcessRecord | undefined {
    const seen = look(pid);
    return seen && { pid, started: seen.started, spec };
}

/** Resident memory in MiB, now and at its highest; elsewhere than on Linux the highest is not told. */
export function memoryOf(pid: number): { rssMiB: number; peakMiB?: number } | undefined {
    const status = readProc(`/proc/${pid}/status`);
    if (status !== undefined) {
        const kib = (field: string) =>
            Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
        return { rssMiB: Math.round(kib("VmRSS") / 1024), peakMiB: Math.round(kib("VmHWM") / 1024) };
    }
    const rss = Number(ps("rss=", pid));
    return Number.isFinite(rss) && rss > 0 ? { rssMiB: Math.round(rss / 1024) } : undefined;
}

function look(pid: number): { state: string; started: string } | undefined {
    if (process.platform !== "linux") {
        const started = ps("lstart=", pid);
        return started === "" ? undefined : { state: ps("stat=", pid).charAt(0), started };
    }
    const stat = readProc(`/proc/${pid}/stat`);
    // The second field is the program's name in brackets and may hold anything, brackets and blanks too.
    const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields && { state: fields[0] ?? "", started: fields[19] ?? "" };
}

function threadsOf(pid: number): number {
    try {
        return fs.readdirSync(`/proc/${pid}/task`).length;
    } catch {
        return 0;
    }
}

/** A process may end between the opening of its file and the reading (ESRCH). */
function readProc(file: string): string | undefined {
    try {
        return readIfThere(file);
    } catch {
        return undefined;
    }
}

function ps(column: string, pid: number): string {
    const { stdout } = spawnSync("ps", ["-o", column, "-p", String(pid)], {
        encoding: "utf8",
        env: { ...process.env, LC_ALL: "C" },
    });
    return (stdout ?? "").trim();
}
