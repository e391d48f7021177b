import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { install, pack } from "./install.ts";

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

/** Packs the library and installs it, once for all tests of this tier. */
export default function setup(project: TestProject): () => void {
    const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-fluss-package-"));
    const { tarball, files } = pack(scratch);
    install(scratch, tarball);
    project.provide("scratch", scratch);
    project.provide("tarball", tarball);
    project.provide("packed", files);
    return () => fs.rmSync(scratch, { recursive: true, force: true });
}
