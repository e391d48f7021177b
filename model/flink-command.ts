import { type Fault, joinPath, shownValue, throwFaults } from "./faults.ts";
import { shellWord } from "./shell.ts";
import { type Argument, argumentTokens } from "./tiering.ts";

/** A job as Flink's own command line takes it. */
export interface FlinkRun {
    /** Path of the job's JAR on the machine that submits. */
    jar: string;
    /** Class to run. Default: the JAR names it. */
    entryClass?: string;
    parallelism?: number;
    /** Flink options, each given as `-D`. */
    flinkConfiguration?: Readonly<Record<string, string>>;
    arguments: readonly Argument[];
}

/**
 * The command that submits a job, detached, for people who do that themselves (seed 002, "co-equal runner"): text for a
 * POSIX shell, every word quoted where it must be. Arguments of a process are seen by everybody on the machine and in Flink's web
 * interface: render them in the form `env` where the job replaces `${env:NAME}` itself (Fluss 1.0).
 */
export function flinkRunCommand({
    jar,
    entryClass,
    parallelism,
    flinkConfiguration,
    ...job
}: FlinkRun): string {
    throwFaults("the command for Flink", [
        ...wordFaults("jar", jar),
        ...(entryClass === undefined ? [] : wordFaults("entryClass", entryClass)),
        ...(parallelism === undefined ? [] : parallelismFaults(parallelism)),
        ...Object.keys(flinkConfiguration ?? {}).flatMap(optionFaults),
    ]);
    const words = [
        "flink",
        "run",
        "--detached",
        ...(entryClass === undefined ? [] : ["--class", entryClass]),
        ...(parallelism === undefined ? [] : ["--parallelism", String(parallelism)]),
        ...Object.entries(flinkConfiguration ?? {}).map(([key, value]) => `-D${key}=${value}`),
        jar,
    ];
    const pairs = job.arguments.map((argument) => argumentTokens([argument]).map(shellWord).join(" "));
    return [words.map(shellWord).join(" "), ...pairs].join(" \\\n  ");
}

/** Flink takes a word with a dash for an option of its own. */
function wordFaults(path: string, word: string): Fault[] {
    if (word !== "" && !word.startsWith("-")) return [];
    const reason = word === "" ? "is empty" : "begins with a dash, and Flink would take it for an option";
    const fix = path === "jar" ? "Give its path, like ./tiering.jar" : "Give the name of a class";
    return [{ path, ...shownValue(path, word), reason, fix }];
}

function parallelismFaults(parallelism: number): Fault[] {
    if (Number.isInteger(parallelism) && parallelism >= 1) return [];
    const reason = "is no number of parallel tasks";
    return [{ path: "parallelism", ...shownValue("", parallelism), reason, fix: "Give 1 or more" }];
}

function optionFaults(key: string): Fault[] {
    if (/^[^\s=]+$/.test(key)) return [];
    const reason = "is no name of an option of Flink: it is empty, or has blanks or =";
    return [
        {
            path: joinPath("flinkConfiguration", [key]),
            reason,
            fix: "Write it like taskmanager.numberOfTaskSlots",
        },
    ];
}
