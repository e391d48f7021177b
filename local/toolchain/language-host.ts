import fs from "node:fs";
import path from "node:path";
import { cacheFolder, type Filling, fill, isFilled } from "./cache.ts";
import { findOnPath, runCommand, tryCommand } from "./command.ts";
import { checkPrerequisites } from "./prerequisites.ts";
import type { Report, Tools } from "./types.ts";

/** The program with which `pulumi up` runs programs for Node. */
export interface LanguageHost {
    /** Folder with `pulumi-language-nodejs`, for `PATH`. */
    binDir: string;
    /**
     * True for the host of 2023 that is built where none is: it knows no resource hooks, no transforms of a whole stack and
     * no policy packs that are folders.
     */
    old: boolean;
}

/** A host that is built from its Go module where none is on the machine; the folder of the program's name pins the module. */
export interface Built {
    program: string;
    title: string;
    /** `<program>/go.mod` pins the same. */
    version: string;
    package: string;
    takes: string;
}

/** The last version whose host is part of a Go module that can be fetched. */
const node: Built = {
    program: "pulumi-language-nodejs",
    title: "Language host for Node",
    version: "3.58.0",
    package: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
    takes: "about 1 minute",
};

const yaml: Built = {
    program: "pulumi-language-yaml",
    title: "Language host for YAML",
    version: "1.25.0",
    package: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
    takes: "1 to 5 minutes",
};

/** Every host that can be built here. */
export const builtHosts: readonly Built[] = [node, yaml];

/** The host beside the CLI or on `PATH`; else an old one, built from its Go module once on a machine. */
export async function ensureLanguageHost(report: Report, pulumi: Tools["pulumi"]): Promise<LanguageHost> {
    const binDir = hostHere(node, pulumi);
    return binDir === undefined
        ? { binDir: await buildHost(node, report), old: true }
        : { binDir, old: false };
}

/** The folder of the program that runs programs in YAML: beside the CLI, on `PATH`, or built once on a machine. */
export async function ensureYamlHost(report: Report, pulumi: Tools["pulumi"]): Promise<string> {
    return hostHere(yaml, pulumi) ?? (await buildHost(yaml, report));
}

function hostHere({ program }: Built, pulumi: Tools["pulumi"]): string | undefined {
    if (fs.existsSync(path.join(pulumi.binDir, program))) return pulumi.binDir;
    const onPath = findOnPath(program);
    return onPath === undefined ? undefined : path.dirname(onPath);
}

/** @returns the folder of the program, in the cache */
async function buildHost(host: Built, report: Report): Promise<string> {
    const cacheDir = cacheFolder();
    const folder = path.join(cacheDir, host.program, host.version);
    const filling: Filling = {
        name: `${host.title} ${host.version}`,
        takes: host.takes,
        folders: [folder],
        async make(draft) {
            const made = path.join(draft, "host");
            await runCommand(
                "go",
                ["build", "-mod=readonly", "-o", path.join(made, host.program), host.package],
                {
                    cwd: path.join(import.meta.dirname, host.program),
                    nice: true,
                    hint: "Check that Go reaches its module proxy (go env GOPROXY), or install Pulumi on PATH.",
                },
            );
            return { [folder]: made };
        },
    };
    if (!isFilled(filling)) await checkPrerequisites(["go"], tryCommand, undefined);
    await fill(cacheDir, filling, report);
    return folder;
}
