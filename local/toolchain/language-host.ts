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

/** The last version whose host is part of a Go module that can be fetched; `pulumi-language-nodejs/go.mod` pins the same. */
const VERSION = "3.58.0";
const PROGRAM = "pulumi-language-nodejs";
const MODULE = path.join(import.meta.dirname, PROGRAM);

/** The host beside the CLI or on `PATH`; else an old one, built from its Go module once on a machine. */
export async function ensureLanguageHost(report: Report, pulumi: Tools["pulumi"]): Promise<LanguageHost> {
    if (fs.existsSync(path.join(pulumi.binDir, PROGRAM))) return { binDir: pulumi.binDir, old: false };
    const onPath = findOnPath(PROGRAM);
    if (onPath !== undefined) return { binDir: path.dirname(onPath), old: false };
    const cacheDir = cacheFolder();
    const folder = path.join(cacheDir, PROGRAM, VERSION);
    const filling: Filling = {
        name: `Language host for Node ${VERSION}`,
        takes: "about 1 minute",
        folders: [folder],
        async make(draft) {
            const made = path.join(draft, "host");
            await runCommand(
                "go",
                [
                    ...["build", "-mod=readonly", "-o", path.join(made, PROGRAM)],
                    "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
                ],
                {
                    cwd: MODULE,
                    nice: true,
                    hint: "Check that Go reaches its module proxy (go env GOPROXY), or install Pulumi on PATH.",
                },
            );
            return { [folder]: made };
        },
    };
    if (!isFilled(filling)) await checkPrerequisites(["go"], tryCommand, undefined);
    await fill(cacheDir, filling, report);
    return { binDir: folder, old: true };
}
