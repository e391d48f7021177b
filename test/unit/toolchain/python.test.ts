import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { emulatorPython, machinePython } from "../../../local/toolchain/python.ts";

let bin: string;

beforeEach(() => {
    bin = fs.mkdtempSync(path.join(os.tmpdir(), "python-"));
    vi.stubEnv("PATH", bin);
});
afterEach(() => {
    vi.unstubAllEnvs();
    fs.rmSync(bin, { recursive: true });
});

/** Puts a Python on the PATH that says this of its version. */
function install(version: string): void {
    fs.writeFileSync(path.join(bin, "python3"), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
}

describe("a virtual environment", () => {
    test("is another one with another Python of the machine, and the same with the same", () => {
        install("3.11");
        const older = emulatorPython("/cache");
        expect(older).toMatch(/^\/cache\/python\/s3-iam-[0-9a-f]{12}\/bin\/python$/);
        expect(emulatorPython("/cache")).toBe(older);
        install("3.12");
        expect(emulatorPython("/cache")).not.toBe(older);
    });

    test("has a name also where there is no Python yet", () => {
        expect(machinePython()).toBe("");
        expect(emulatorPython("/cache")).toMatch(/s3-iam-/);
    });
});
