import { runnerOf } from "../dynamic-providers/flink-sql/runner-inputs.ts";
import { type Command, UsageError } from "./command.ts";
import { refuseExisting, writeOut } from "./out-file.ts";
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
        refuseExisting(parsed.file);
        const runner = runnerOf(parsed.runner, parsed.catalog, { config: () => undefined });
        const { source, specs, warnings } = await pullTables(runner, parsed.pull);
        for (const warning of warnings) terminal.error(`warning: ${warning}`);
        const text = parsed.json ? `${JSON.stringify({ tables: specs, warnings }, undefined, 2)}\n` : source;
        const what = specs.length === 1 ? "1 table " : `${specs.length} tables `;
        writeOut(text, parsed.file, terminal, what);
        return 0;
    },
};
