import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

export const repository = path.resolve(import.meta.dirname, "../..");

/** Folder of the lakehouse of this tier: beside the one that a person may have running. */
export const root = path.join(repository, ".local", "e2e");

export interface Run {
    code: number | null;
    output: string;
}

/** Runs one of the repository's programs on the lakehouse of this tier. */
export function run(
    program: string,
    ...args: string[]
): { done: Promise<Run>; child: ChildProcess; output: () => string } {
    const child = spawn(
        process.execPath,
        ["--disable-warning=ExperimentalWarning", path.join(repository, program), ...args],
        {
            cwd: repository,
            env: { ...process.env, PULUMI_FLUSS_LOCAL: root },
            stdio: ["ignore", "pipe", "pipe"],
        },
    );
    let output = "";
    for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const done = new Promise<Run>((resolve) => child.on("close", (code) => resolve({ code, output })));
    return { done, child, output: () => output };
}

export function start(...args: string[]): Promise<Run> {
    return run("local/start.ts", ...args).done;
}

export function down(): Promise<Run> {
    return run("local/down.ts").done;
}

export interface Summary {
    resources: number;
    changes: number;
    lakeRows: number;
    seconds: Record<string, number>;
    peakMemoryMiB: number;
}

export function summary(): Summary {
    return JSON.parse(fs.readFileSync(path.join(root, "summary.json"), "utf8")) as Summary;
}

/** The state as Pulumi's file backend keeps it. */
export function stateText(): string {
    return fs.readFileSync(path.join(root, "pulumi/.pulumi/stacks/fluss-quickstart/local.json"), "utf8");
}

/** Every file below a folder, as text. */
export function filesBelow(folder: string): { file: string; text: string }[] {
    return fs
        .readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name))
        .map((file) => ({ file, text: fs.readFileSync(file, "latin1") }));
}

/** The arguments of every process of this machine, by process id; empty where there is no /proc. */
export function processArguments(): Map<number, string> {
    if (!fs.existsSync("/proc")) return new Map();
    const ids = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return new Map(
        ids.flatMap((id): [number, string][] => {
            try {
                return [[Number(id), fs.readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " ")]];
            } catch {
                return [];
            }
        }),
    );
}

/** Waits until `ask` gives something, for at most `seconds`. */
export async function eventually<T>(
    what: string,
    seconds: number,
    ask: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
    const deadline = Date.now() + seconds * 1000;
    for (;;) {
        const found = await ask();
        if (found !== undefined) return found;
        if (Date.now() > deadline) throw new Error(`${what}: not within ${seconds} s`);
        await new Promise((done) => setTimeout(done, 500));
    }
}
