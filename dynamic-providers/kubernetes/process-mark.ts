import fs from "node:fs";

/**
 * Names this process for others on the same machine, so that they need not wait to see whether it lives: start of the
 * machine, space of process numbers (a container's own), number, start of the process. Undefined where the system does
 * not tell, which is everywhere but on Linux.
 */
export function processMark(): string | undefined {
    const place = placeOfNumbers();
    const started = startOf(process.pid);
    return place && started && [place, process.pid, started].join("/");
}

/** Whether the process of that mark has ended; undefined when it ran elsewhere, or this system does not tell. */
export function hasEnded(mark: string | undefined): boolean | undefined {
    const [boot, space, pid, started] = mark?.split("/") ?? [];
    const place = placeOfNumbers();
    if (place === undefined || place !== `${boot}/${space}`) return undefined;
    return startOf(Number(pid)) !== started;
}

function placeOfNumbers(): string | undefined {
    try {
        const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
        return `${boot}/${fs.readlinkSync("/proc/self/ns/pid")}`;
    } catch {
        return undefined;
    }
}

/** When the process started, in ticks since the machine did; undefined when it has ended, also if nobody took note yet. */
function startOf(pid: number): string | undefined {
    try {
        const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
        // The name in parentheses may hold anything; the fields after it are numbered from 3.
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[22 - 3];
    } catch {
        return undefined;
    }
}
