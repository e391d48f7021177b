/** The library as npm packs it, and a project that installs it. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

/** The packed library. */
export interface Packed {
    tarball: string;
    /** The files in it. */
    files: string[];
}

/**
 * Packs the library into a folder.
 * @param asBuilt takes `dist` as it is, without types when no tier has made any, which takes a second and not half a minute
 */
export function pack(folder: string, asBuilt = false): Packed {
    const built = asBuilt ? ["--ignore-scripts"] : [];
    const told = npm(root, "pack", "--json", "--pack-destination", folder, ...built);
    const [{ filename, files }] = JSON.parse(told) as [{ filename: string; files: { path: string }[] }];
    return { tarball: path.join(folder, filename), files: files.map((file) => file.path) };
}

/** Makes the folder a project that has the packed library installed, with the pinned peers. */
export function install(folder: string, tarball: string): void {
    fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
    npm(
        folder,
        ...["install", "--save-exact", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"],
        tarball,
        ...pinnedPeers(),
    );
}

/** What a program needs beside the library, in the versions that it is developed with. */
function pinnedPeers(): string[] {
    const { devDependencies } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
    const peers = ["pulumi", "aws", "kubernetes", "random"].map((name) => `@pulumi/${name}`);
    return [...peers, "typescript", "@types/node"].map((name) => `${name}@${devDependencies[name]}`);
}

/** What npm printed, run in a folder. @throws when it failed */
export function npm(cwd: string, ...args: string[]): string {
    return execFileSync("npm", args, {
        cwd,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
        maxBuffer: 1 << 26,
    });
}
