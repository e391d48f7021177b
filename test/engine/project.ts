/** A project of the real engine as people have it: a folder, the command line, a language host. */
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { rootVariable } from "../../local/resources/environment.ts";
import type { Tools } from "../../local/toolchain/index.ts";
import { ensureLanguageHost } from "../../local/toolchain/language-host.ts";
import { stems } from "./marks.ts";

const root = path.resolve(import.meta.dirname, "../..");

export interface Project {
    /** Program, state backend and whatever the command line leaves behind. */
    folder: string;
    /** Runs `pulumi` to its end. @param input what is typed in, where a secret belongs */
    pulumi(args: string[], input?: string): Promise<Ran>;
    /** Starts `pulumi`, to be killed. */
    start(args: string[]): { child: ChildProcess; ended: Promise<Ran> };
    /** By this its processes are known. */
    mark: string;
    dispose(): void;
}

export interface Ran {
    code: number | null;
    stdout: string;
    stderr: string;
}

/** Makes the project with an empty stack. @param debugProviders plugins that the engine attaches to */
export async function makeProject(tools: Tools, debugProviders: string): Promise<Project> {
    const { pulumi } = tools;
    const host = await ensureLanguageHost(console.error, pulumi);
    fs.mkdirSync(path.join(root, ".local"), { recursive: true });
    const folder = fs.mkdtempSync(path.join(root, ".local/secrets-"));
    fs.mkdirSync(path.join(folder, "state"));
    fs.writeFileSync(
        path.join(folder, "Pulumi.yaml"),
        "name: desk\nruntime: { name: nodejs, options: { typescript: false } }\nmain: index.ts\n",
    );
    fs.writeFileSync(
        path.join(folder, "index.ts"),
        'import { fromConfig } from "../../test/secrets/program.ts";\nexport const outputs = fromConfig();\n',
    );
    const first = [
        path.dirname(process.execPath),
        path.join(root, "node_modules/@pulumi/pulumi"),
        pulumi.binDir,
        host.binDir,
    ];
    const env = {
        PATH: [...first, process.env["PATH"]].join(path.delimiter),
        HOME: process.env["HOME"] ?? "",
        TMPDIR: folder,
        [rootVariable]: folder,
        PULUMI_HOME: pulumi.home,
        PULUMI_BACKEND_URL: `file://${path.join(folder, "state")}`,
        PULUMI_CONFIG_PASSPHRASE: stems.passphrase,
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PULUMI_DEBUG_PROVIDERS: debugProviders,
        // Shows the option --event-log.
        PULUMI_DEBUG_COMMANDS: "true",
        NO_COLOR: "1",
    };
    const start = (args: string[], input?: string) => {
        const child = spawn("pulumi", args, { cwd: folder, env, stdio: ["pipe", "pipe", "pipe"] });
        child.stdin.end(input ?? "");
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
        mark: folder,
        start,
        pulumi: (args, input) => start(args, input).ended,
        dispose: () => fs.rmSync(folder, { recursive: true, force: true }),
    };
}
