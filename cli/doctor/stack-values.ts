import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as z from "zod";
import type { Environment, Terminal } from "../command.ts";
import { readGiven } from "../in-file.ts";

/** The stack's configuration, decrypted. */
export interface StackValues {
    /** Keys of the quickstart's program, without their namespace. */
    program: Record<string, string>;
    /** Those of the program that are kept in clear. */
    inClear: string[];
    /** Every key with its namespace: `pulumi-fluss:vvpToken`. */
    all: Record<string, string>;
    /** Values that nobody may see. */
    secrets: string[];
}

const values = z.record(
    z.string(),
    z.object({
        value: z.string().optional(),
        objectValue: z.unknown().optional(),
        secret: z.boolean().default(false),
    }),
);

/** Namespaces of providers and of this library: their keys are no keys of a program. */
const others = /^(pulumi|pulumi-fluss|aws|kubernetes|random|auto):/;

/**
 * Reads what `pulumi config --json --show-secrets` prints: from a file, the standard input (`-`), or Pulumi itself.
 * @throws when it cannot be read; what it holds is never shown
 */
export async function stackValues(
    source: { file?: string; stack?: string },
    env: Environment,
    terminal: Terminal,
): Promise<StackValues> {
    const text =
        source.file === undefined ? await askPulumi(source.stack, env) : await read(source.file, terminal);
    const parsed = values.safeParse(json(text));
    if (!parsed.success) {
        throw new Error(
            "doctor: the configuration is not of the form that `pulumi config --json --show-secrets` prints.\n" +
                "What to do: pass its whole output on",
        );
    }
    const entries = Object.entries(parsed.data).flatMap(([key, { value, secret }]) =>
        value === undefined ? [] : [{ key, value, secret, own: !others.test(key) }],
    );
    const bare = (key: string) => key.slice(key.indexOf(":") + 1);
    const program = entries.filter(({ own }) => own);
    return {
        // An empty value stands for "not set": Pulumi.yaml cannot leave one out.
        program: Object.fromEntries(
            program.filter(({ value }) => value).map(({ key, value }) => [bare(key), value]),
        ),
        inClear: program.filter(({ secret }) => !secret).map(({ key }) => bare(key)),
        all: Object.fromEntries(entries.map(({ key, value }) => [key, value])),
        secrets: entries.filter(({ secret }) => secret).map(({ value }) => value),
    };
}

/** Runs Pulumi's command line; it needs the stack's passphrase, or its secrets provider, as for an `up`. */
async function askPulumi(stack: string | undefined, env: Environment): Promise<string> {
    const args = ["config", "--json", "--show-secrets", ...(stack === undefined ? [] : ["--stack", stack])];
    try {
        const { stdout } = await promisify(execFile)("pulumi", args, {
            env: { ...env },
            maxBuffer: 16 * 1024 ** 2,
        });
        return stdout;
    } catch (error) {
        const { code, stderr = "" } = error as NodeJS.ErrnoException & { stderr?: string };
        const reason = code === "ENOENT" ? "there is no pulumi on the PATH" : stderr.trim().slice(0, 500);
        throw new Error(
            `doctor: the stack's configuration cannot be read: \`pulumi ${args.join(" ")}\` failed: ${reason}.\n` +
                "What to do: run it in the folder of Pulumi.yaml, with a stack selected or --stack, and PULUMI_CONFIG_PASSPHRASE set; or give --config",
        );
    }
}

async function read(file: string, terminal: Terminal): Promise<string> {
    if (file !== "-") return readFile(file);
    if (!terminal.input) throw new Error("doctor: there is no standard input; give --config a file");
    return terminal.input();
}

function readFile(file: string): string {
    const fix =
        "write it with `pulumi config --json --show-secrets`, or give --config - for the standard input";
    return readGiven(file, "doctor: the configuration", fix);
}

function json(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        // The parser's message would show a part of it.
        return undefined;
    }
}
