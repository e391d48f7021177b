import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { commands as programs } from "../../../cli/run.ts";
import { ran } from "./commands.ts";
import { type Block, blocks, root } from "./examples.ts";

const shown = blocks("sh", "bash", "console").flatMap(commandsOf);

test("every command of README and docs is run by a test, or it is said why not", () => {
    expect(shown.length).toBeGreaterThan(20);
    const open = shown.filter(({ command }) => !ran.some((entry) => entry.command.test(command)));
    expect(open).toEqual([]);
});

test("every entry is about a command that the docs show, and its test exists", () => {
    for (const { command, by, not } of ran) {
        expect([String(command), shown.some((one) => command.test(one.command))]).toEqual([
            String(command),
            true,
        ]);
        expect([String(command), (by === undefined) !== (not === undefined)]).toEqual([
            String(command),
            true,
        ]);
        if (by !== undefined) expect(fs.existsSync(path.join(root, by)), by).toBe(true);
    }
});

test("scripts of npm that the docs show exist", () => {
    const { scripts } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
    const named = shown.flatMap(({ command }) => /^npm (?:run )?([\w:]+)/.exec(command)?.[1] ?? []);
    const own = named.filter((name) => !["ci", "install", "exec"].includes(name));
    expect(own.length).toBeGreaterThan(4);
    expect(own.filter((name) => !(name in scripts))).toEqual([]);
});

test("options of pulumi-fluss that the docs show exist", () => {
    const calls = shown.flatMap(({ command }) => /pulumi-fluss (.*?)(?: [|>] .*)?$/.exec(command)?.[1] ?? []);
    const faults = calls.flatMap((call) => {
        const program = programs.find(({ name }) => call.startsWith(name));
        if (!program) return [`there is no ${call}`];
        const options = call.match(/--[\w-]+/g) ?? [];
        return options
            .filter((option) => !program.usage.includes(option))
            .map((option) => `${program.name} ${option}`);
    });
    expect(calls.length).toBeGreaterThan(4);
    expect(faults).toEqual([]);
});

/** The commands of a block: continued lines joined, comments and variables in front left out. */
function commandsOf({ page, text }: Block): { page: string; command: string }[] {
    return text
        .replaceAll(/\\\n\s*/g, "")
        .replaceAll(/\|\n\s*/g, "| ")
        .split("\n")
        .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
        .filter((line) => line !== "")
        .map((line) => ({
            page,
            command: line.replace(/^(?:(?!export)[A-Z_]+=(?:\$\(.*?\)|\S*)\s+)+(?=[a-z])/, ""),
        }));
}
