import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { commands, run } from "../../../cli/run.ts";

async function told(...args: string[]) {
    const printed = { out: "", errors: [] as string[] };
    const code = await run(
        args,
        {},
        {
            out: (text) => {
                printed.out += text;
            },
            error: (line) => printed.errors.push(line),
        },
    );
    return { code, ...printed };
}

describe("pulumi-fluss", () => {
    test("without a command lists them all", async () => {
        const [none, help] = [await told(), await told("--help")];
        expect([none.code, help.code]).toEqual([2, 0]);
        expect(none.out).toBe(help.out);
        for (const { name, summary } of commands) expect(help.out).toMatch(new RegExp(`${name} +${summary}`));
    });

    test("tells its version", async () => {
        const { version } = JSON.parse(fs.readFileSync("package.json", "utf8"));
        expect(await told("--version")).toEqual({ code: 0, out: `${version}\n`, errors: [] });
    });

    test("a command that is none is told, with those that are", async () => {
        expect(await told("tables", "push")).toEqual({
            code: 2,
            out: "",
            errors: [
                `there is no command 'tables push'; there are ${commands.map(({ name }) => name).join(", ")}`,
                "What to do: did you mean `pulumi-fluss tables pull`? pulumi-fluss tables pull --help",
            ],
        });
        const errors = async (...args: string[]) => (await told(...args)).errors.at(-1);
        expect(await errors("tables")).toContain("did you mean `pulumi-fluss tables pull`?");
        expect(await errors("pull")).toBe("What to do: pulumi-fluss --help");
    });

    test.each(commands.map(({ name }) => name))(
        "%s has a help with examples, and takes --json",
        async (name) => {
            const { code, out } = await told(...name.split(" "), "--help");
            expect(code).toBe(0);
            expect(out).toMatch(new RegExp(`^pulumi-fluss ${name} `));
            const [, examples = ""] = out.split("Examples:\n");
            expect(examples).toContain(`pulumi-fluss ${name}`);
            expect(out).toContain("--json");
            expect(out.split("\n").every((line) => line.length <= 125)).toBe(true);
        },
    );

    test.each(commands.map(({ name }) => name))("%s names an option that is none", async (name) => {
        const { code, errors } = await told(...name.split(" "), "--bogus");
        expect(code).toBe(2);
        expect(errors[0]).toContain("--bogus");
        expect(errors.at(-1)).toBe(`What to do: pulumi-fluss ${name} --help`);
    });
});
