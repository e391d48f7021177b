import fs from "node:fs";
import { runnerOf } from "../dynamic-providers/flink-sql/runner-inputs.ts";
import { type Command, UsageError } from "./command.ts";
import { pullTables } from "./tables-pull.ts";
import { parseArguments, usage } from "./tables-pull-arguments.ts";

/** `tables pull` */
export const tablesPull: Command = {
    name: "tables pull",
    summary: "writes the tables of a Fluss database as TypeScript specs",
    usage,
    async run(args, env, terminal) {
        const parsed = parseArguments(args, env);
        if ("faults" in parsed) throw new UsageError(parsed.faults);
        // A file of that name may be somebody's work.
        if (parsed.file !== undefined && fs.existsSync(parsed.file)) {
            throw new Error(
                `--out ${parsed.file}: the file exists already. What to do: give another name, or move it away`,
            );
        }
        const runner = runnerOf(parsed.runner, parsed.catalog, { config: () => undefined });
        const { source, specs, warnings } = await pullTables(runner, parsed.pull);
        for (const warning of warnings) terminal.error(`warning: ${warning}`);
        const text = parsed.json ? `${JSON.stringify({ tables: specs, warnings }, undefined, 2)}\n` : source;
        if (parsed.file === undefined) {
            terminal.out(text);
            return 0;
        }
        fs.writeFileSync(parsed.file, text, { flag: "wx" });
        terminal.error(
            `${specs.length === 1 ? "1 table" : `${specs.length} tables`} written to ${parsed.file}`,
        );
        return 0;
    },
};
