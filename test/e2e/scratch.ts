/** A project outside of the repository that has the packed library, on the lakehouse of this tier. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ensureTools } from "../../local/toolchain/index.ts";
import { ensureLanguageHost } from "../../local/toolchain/language-host.ts";
import { install, pack } from "../package/install.ts";
import { repository } from "./kit.ts";

export interface Scratch {
    folder: string;
    /** Runs a program in `folder`, or in one below it, to its end. */
    run(command: string, args: string[], how?: { env?: Record<string, string>; in?: string }): Promise<Ran>;
    dispose(): void;
}

export interface Ran {
    code: number | null;
    stdout: string;
    /** Both streams, in the order in which they came. */
    told: string;
}

/**
 * Makes the project.
 * @param installed by npm, with types and its own copies of what it needs; else the tarball is unpacked, and the rest is the
 * repository's, which takes two seconds and not a minute
 */
export async function scratchProject(installed: boolean, more: { onPath?: string[] } = {}): Promise<Scratch> {
    const { pulumi } = await ensureTools(console.error);
    const host = await ensureLanguageHost(console.error, pulumi);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-fluss-desk-"));
    fs.mkdirSync(path.join(folder, "state"));
    const { tarball } = pack(folder, !installed);
    if (installed) install(folder, tarball);
    else unpack(folder, tarball);
    const first = [
        ...[path.dirname(process.execPath), path.join(folder, "node_modules/.bin")],
        // Where the plugin of dynamic resources lies.
        path.join(folder, "node_modules/@pulumi/pulumi"),
        ...[pulumi.binDir, host.binDir, ...(more.onPath ?? [])],
    ];
    const env = {
        PATH: [...first, process.env["PATH"]].join(path.delimiter),
        HOME: process.env["HOME"] ?? "",
        TMPDIR: os.tmpdir(),
        PULUMI_HOME: pulumi.home,
        PULUMI_BACKEND_URL: `file://${path.join(folder, "state")}`,
        PULUMI_CONFIG_PASSPHRASE: "only for tests",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PYTHONDONTWRITEBYTECODE: "1",
        NO_COLOR: "1",
    };
    return {
        folder,
        async run(command, args, how = {}) {
            const child = spawn(command, args, {
                cwd: path.join(folder, how.in ?? ""),
                env: { ...env, ...how.env },
                stdio: ["ignore", "pipe", "pipe"],
            });
            const ran: Ran = { code: null, stdout: "", told: "" };
            for (const stream of [child.stdout, child.stderr])
                stream.on("data", (chunk) => {
                    ran.told += chunk;
                    if (stream === child.stdout) ran.stdout += chunk;
                });
            const [code] = (await once(child, "close")) as [number | null];
            return { ...ran, code };
        },
        dispose: () => fs.rmSync(folder, { recursive: true, force: true }),
    };
}

/** As npm would lay it out, with links to the packages of the repository. */
function unpack(folder: string, tarball: string): void {
    const modules = path.join(folder, "node_modules");
    const library = path.join(modules, "pulumi-fluss");
    fs.mkdirSync(library, { recursive: true });
    execFileSync("tar", ["-xzf", tarball, "-C", library, "--strip-components=1"]);
    const packages = path.join(repository, "node_modules");
    for (const name of fs.readdirSync(packages).filter((entry) => !entry.startsWith(".")))
        fs.symlinkSync(path.join(packages, name), path.join(modules, name));
    fs.mkdirSync(path.join(modules, ".bin"));
    const { bin } = JSON.parse(fs.readFileSync(path.join(library, "package.json"), "utf8"));
    for (const [name, file] of Object.entries<string>(bin)) {
        fs.chmodSync(path.join(library, file), 0o755);
        fs.symlinkSync(path.join(library, file), path.join(modules, ".bin", name));
    }
    fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
}
