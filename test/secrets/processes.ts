import { commandLine, lineOf, processes } from "../../local/processes.ts";

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
        const all = processes();
        for (const pid of all.keys()) {
            if (!lineOf(pid, all)?.length) continue;
            const words = commandLine(pid);
            if (words !== "") commandLines.add(words);
        }
    };
    const timer = setInterval(look, milliseconds);
    return { commandLines, stop: () => clearInterval(timer) };
}
