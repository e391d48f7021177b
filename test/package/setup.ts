import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
    interface ProvidedContext {
        /** A project outside of the repository that has the packed library installed, with the pinned peers. */
        scratch: string;
        /** The packed library. */
        tarball: string;
        /** The files in it. */
        packed: string[];
    }
}

const root = path.resolve(import.meta.dirname, "../..");

/** Packs the library and installs it, once for all tests of this tier. */
export default function setup(project: TestProject): () => void {
    const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-fluss-package-"));
    const [{ filename, files }] = JSON.parse(npm(root, "pack", "--json", "--pack-destination", scratch)) as [
        { filename: string; files: { path: string }[] },
    ];
    const tarball = path.join(scratch, filename);
    fs.writeFileSync(path.join(scratch, "package.json"), JSON.stringify({ private: true, type: "module" }));
    npm(
        scratch,
        ...["install", "--save-exact", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"],
        tarball,
        ...pinnedPeers(),
    );
    project.provide("scratch", scratch);
    project.provide("tarball", tarball);
    project.provide(
        "packed",
        files.map((file) => file.path),
    );
    return () => fs.rmSync(scratch, { recursive: true, force: true });
}

/** What a program needs beside the library, in the versions that it is developed with. */
function pinnedPeers(): string[] {
    const { devDependencies } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
    const peers = ["pulumi", "aws", "kubernetes", "random"].map((name) => `@pulumi/${name}`);
    return [...peers, "typescript", "@types/node"].map((name) => `${name}@${devDependencies[name]}`);
}

function npm(cwd: string, ...args: string[]): string {
    return execFileSync("npm", args, {
        cwd,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
        maxBuffer: 1 << 26,
    });
}
