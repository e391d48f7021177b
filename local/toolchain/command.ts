import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/** How a command ended. `output` is what it wrote to both streams. */
export interface CommandResult {
    code: number;
    output: string;
}

export interface CommandOptions {
    cwd?: string;
    /** Added to the environment of this process. */
    env?: Record<string, string>;
    /** Lower priority, for long work in the background of a person's machine. */
    nice?: boolean;
}

/** Runs a command to its end. Code 127 when it cannot be started, with the reason as output. */
export function tryCommand(
    command: string,
    args: string[],
    options: CommandOptions = {},
): Promise<CommandResult> {
    const [file, argv] = options.nice ? ["nice", ["-n", "10", command, ...args]] : [command, args];
    return new Promise((resolve) => {
        const child = spawn(file, argv, {
            cwd: options.cwd,
            env: { ...process.env, ...options.env },
            stdio: ["ignore", "pipe", "pipe"],
        });
        const chunks: Buffer[] = [];
        child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
        child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
        // A Ctrl-C reaches the child by the terminal; any other end of this process must end it too.
        const end = () => child.kill();
        process.once("exit", end);
        const finish = (code: number, extra = "") => {
            process.off("exit", end);
            resolve({ code, output: Buffer.concat(chunks).toString("utf8") + extra });
        };
        child.once("error", (error) => finish(127, error.message));
        child.once("close", (code, signal) => finish(code ?? 1, signal ? `ended by ${signal}` : ""));
    });
}

/**
 * Runs a command to its end and returns its output.
 * @throws with the command line, the code, the last lines of the output and `hint`, which says what to do.
 */
export async function runCommand(
    command: string,
    args: string[],
    options: CommandOptions & { hint: string },
): Promise<string> {
    const { code, output } = await tryCommand(command, args, options);
    if (code === 0) return output;
    const tail = output.trimEnd().split("\n").slice(-15).join("\n");
    throw new Error(`${[command, ...args].join(" ")}\nended with code ${code}:\n${tail}\n${options.hint}`);
}

/** The absolute path of an executable that is looked up on `PATH`; undefined when there is none. */
export function findOnPath(name: string, searchPath = process.env["PATH"] ?? ""): string | undefined {
    for (const folder of searchPath.split(path.delimiter)) {
        const file = path.join(folder, name);
        if (path.isAbsolute(file) && isExecutable(file)) return file;
    }
    return undefined;
}

/** True for a file that this user may run. */
export function isExecutable(file: string): boolean {
    try {
        fs.accessSync(file, fs.constants.X_OK);
        return fs.statSync(file).isFile();
    } catch {
        return false;
    }
}
