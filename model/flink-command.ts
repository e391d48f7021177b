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
