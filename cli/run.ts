import { type Command, type Environment, type Terminal, UsageError } from "./command.ts";
import { doctor } from "./doctor-command.ts";
import { importPlan } from "./import-plan-command.ts";
import { jars } from "./jars-command.ts";
import { packageVersion } from "./package-version.ts";
import { previewComment } from "./preview-comment.ts";
import { pythonSdk } from "./python-sdk-command.ts";
import { tablesPull } from "./tables-pull-command.ts";

/** Every command. */
export const commands: readonly Command[] = [doctor, importPlan, jars, previewComment, pythonSdk, tablesPull];

/** Runs a command, and returns its exit code: 0 when all is well, 1 when it failed, 2 when it was called wrongly. */
export async function run(args: readonly string[], env: Environment, terminal: Terminal): Promise<number> {
    const command = commands.find(({ name }) => name.split(" ").every((word, index) => args[index] === word));
    if (!command) {
        const words = args.filter((arg) => !arg.startsWith("-"));
        if (words.length === 0 && args[0] === "--version") {
            terminal.out(`${packageVersion()}\n`);
            return 0;
        }
        if (words.length === 0) {
            terminal.out(overview());
            return args.length === 0 ? 2 : 0;
        }
        terminal.error(
            `there is no command '${words.join(" ")}'; there are ${commands.map(({ name }) => name).join(", ")}`,
        );
        const begun = commands.find(({ name }) => name.startsWith(`${words[0]} `));
        terminal.error(
            begun
                ? `What to do: did you mean \`pulumi-fluss ${begun.name}\`? pulumi-fluss ${begun.name} --help`
                : "What to do: pulumi-fluss --help",
        );
        return 2;
    }
    if (args.includes("--help")) {
        terminal.out(command.usage);
        return 0;
    }
    try {
        return await command.run(args, env, terminal);
    } catch (error) {
        if (!(error instanceof UsageError)) {
            terminal.error(error instanceof Error ? error.message : String(error));
            return 1;
        }
        for (const fault of error.faults) terminal.error(fault);
        terminal.error(`What to do: pulumi-fluss ${command.name} --help`);
        return 2;
    }
}

function overview(): string {
    const width = Math.max(...commands.map(({ name }) => name.length));
    const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
    return `pulumi-fluss <command> [options]\n\n${lines.join("\n")}\n\nEach tells more with --help: pulumi-fluss ${commands[0]?.name} --help; --version prints the version\n`;
}
