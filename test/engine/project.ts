/** A project of the real engine as people have it: a folder, the command line, a language host. */
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { Tools } from "../../local/toolchain/index.ts";
import { ensureLanguageHost } from "../../local/toolchain/language-host.ts";

const root = path.resolve(import.meta.dirname, "../..");

export interface Project {
    /** Program, state backend and whatever the command line leaves behind. */
    folder: string;
    /** Runs `pulumi` to its end. */
    pulumi(args: string[], how?: How): Promise<Ran>;
    /** Starts `pulumi`, to be killed. */
    start(args: string[], how?: How): { child: ChildProcess; ended: Promise<Ran> };
    dispose(): void;
}

/** How one run differs from the others. */
export interface How {
    /** What is typed in, where a secret belongs. */
    input?: string;
    /** Variables beside those of the project. */
    env?: Record<string, string>;
}

export interface Ran {
    code: number | null;
    stdout: string;
    stderr: string;
}

/**
 * Makes a project, without a stack.
 * @param program text of its `index.ts`; the root of this repository is at `../..`
 * @param variables of the environment, beside those that every project has
 */
export async function makeProject(
    { pulumi }: Pick<Tools, "pulumi">,
    program: string,
    variables: (folder: string) => Record<string, string>,
): Promise<Project> {
    const host = await ensureLanguageHost(console.error, pulumi);
    fs.mkdirSync(path.join(root, ".local"), { recursive: true });
    const folder = fs.mkdtempSync(path.join(root, ".local/test-"));
    fs.mkdirSync(path.join(folder, "state"));
    fs.writeFileSync(
        path.join(folder, "Pulumi.yaml"),
        "name: desk\nruntime: { name: nodejs, options: { typescript: false } }\nmain: index.ts\n",
    );
    fs.writeFileSync(path.join(folder, "index.ts"), program);
    const first = [
        path.dirname(process.execPath),
        path.join(root, "node_modules/@pulumi/pulumi"),
        pulumi.binDir,
        host.binDir,
    ];
    const env = {
        PATH: [...first, process.env["PATH"]].join(path.delimiter),
        HOME: process.env["HOME"] ?? "",
        PULUMI_HOME: pulumi.home,
        PULUMI_BACKEND_URL: `file://${path.join(folder, "state")}`,
        PULUMI_CONFIG_PASSPHRASE: "only for tests",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        NO_COLOR: "1",
        ...variables(folder),
    };
    const start = (args: string[], { input = "", env: more }: How = {}) => {
        const child = spawn("pulumi", args, {
            cwd: folder,
            env: { ...env, ...more },
            stdio: ["pipe", "pipe", "pipe"],
        });
        child.stdin.end(input);
        const ran: Ran = { code: null, stdout: "", stderr: "" };
        child.stdout.on("data", (chunk) => {
            ran.stdout += chunk;
        });
        child.stderr.on("data", (chunk) => {
            ran.stderr += chunk;
        });
        const ended = new Promise<Ran>((done) => child.on("close", (code) => done({ ...ran, code })));
        return { child, ended };
    };
    return {
        folder,
        start,
        pulumi: (args, how) => start(args, how).ended,
        dispose: () => fs.rmSync(folder, { recursive: true, force: true }),
    };
}
