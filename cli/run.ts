import fs from "node:fs";
import { runnerOf } from "../dynamic-providers/flink-sql/runner-inputs.ts";
import { type Arguments, parseArguments, usage } from "./arguments.ts";
import { pullTables } from "./tables-pull.ts";

/** Where the command writes. */
export interface Output {
    out(text: string): void;
    error(line: string): void;
}

/** Runs the command, and returns its exit code: 0 when all is well, 1 when it failed, 2 when it was called wrongly. */
export async function run(
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
    output: Output,
): Promise<number> {
    if (args.length === 0 || args.includes("--help")) {
        output.out(usage);
        return args.length === 0 ? 2 : 0;
    }
    const parsed = parseArguments(args, env);
    if ("faults" in parsed) {
        for (const fault of parsed.faults) output.error(fault);
        output.error("What to do: pulumi-fluss --help");
        return 2;
    }
    try {
        await pull(parsed, output);
        return 0;
    } catch (error) {
        output.error(error instanceof Error ? error.message : String(error));
        return 1;
    }
}

async function pull({ runner, catalog, pull: what, file }: Arguments, output: Output): Promise<void> {
    const { source, specs, warnings } = await pullTables(
        runnerOf(runner, catalog, { config: () => undefined }),
        what,
    );
    for (const warning of warnings) output.error(`warning: ${warning}`);
    if (file === undefined) return output.out(source);
    // A file of that name may be somebody's work.
    fs.writeFileSync(file, source, { flag: "wx" });
    output.error(`${specs.length === 1 ? "1 table" : `${specs.length} tables`} written to ${file}`);
}
