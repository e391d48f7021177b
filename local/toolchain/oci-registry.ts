import fs from "node:fs";
import path from "node:path";
import { cacheFolder, type Filling, fill } from "./cache.ts";
import { findOnPath, runCommand, tryCommand } from "./command.ts";
import type { Report } from "./types.ts";

const VERSION = "v3.1.2";

/**
 * Finds the registry of images of the distribution project: on `PATH` (Debian calls it `docker-registry`), else as
 * Debian's package, which is unpacked and not installed, else built from its Go module.
 * @returns the program
 */
export async function ensureOciRegistry(report: Report): Promise<string> {
    const onPath = findOnPath("docker-registry");
    if (onPath !== undefined) return onPath;
    const folder = path.join(cacheFolder(), "oci-registry");
    const filling: Filling = {
        name: "registry of images",
        takes: "a few seconds; where there is no apt, 2 to 5 minutes (build from the Go module)",
        folders: [folder],
        async make(draft) {
            const made = path.join(draft, "bin");
            fs.mkdirSync(made);
            const program = path.join(made, "registry");
            const unpacked = await fromDebian(draft);
            if (unpacked !== undefined) fs.renameSync(unpacked, program);
            else await fromGo(made);
            return { [folder]: made };
        },
    };
    await fill(cacheFolder(), filling, report);
    return path.join(folder, "registry");
}

/** Undefined when the package cannot be had. Nothing of the system changes: lists of packages are fetched into the draft. */
async function fromDebian(draft: string): Promise<string | undefined> {
    if (findOnPath("apt-get") === undefined) return undefined;
    const lists = path.join(draft, "lists");
    fs.mkdirSync(path.join(lists, "partial"), { recursive: true });
    const own = ["-o", `Dir::State::lists=${lists}`];
    const download = async (...options: string[]) =>
        (await tryCommand("apt-get", [...options, "download", "docker-registry"], { cwd: draft })).code === 0;
    if (!(await download())) {
        const updated = await tryCommand("apt-get", [...own, "update"], { cwd: draft });
        if (updated.code !== 0 || !(await download(...own))) return undefined;
    }
    const archive = fs.readdirSync(draft).find((name) => name.endsWith(".deb"));
    if (archive === undefined) return undefined;
    const root = path.join(draft, "root");
    const hint = "Install the package docker-registry, and run again.";
    await runCommand("dpkg", ["-x", path.join(draft, archive), root], { hint });
    return path.join(root, "usr/bin/docker-registry");
}

async function fromGo(bin: string): Promise<void> {
    const module = `github.com/distribution/distribution/v3/cmd/registry@${VERSION}`;
    await runCommand("go", ["install", module], {
        env: { GOBIN: bin, CGO_ENABLED: "0" },
        hint: "Check that Go reaches its module proxy (go env GOPROXY), or put docker-registry on the PATH, and run again.",
    });
}
