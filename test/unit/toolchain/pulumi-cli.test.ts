import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAtLeast, PULUMI_VERSION, pulumiOnPath } from "../../../local/toolchain/pulumi-cli.ts";

describe("isAtLeast", () => {
    it.each([
        ["3.260.0", "3.260.0", true],
        ["3.274.1", "3.260.0", true],
        ["4.0.0", "3.260.0", true],
        ["3.259.9", "3.260.0", false],
        ["2.999.9", "3.260.0", false],
        ["3.260.0", "3.260.1", false],
    ])("%s at least %s: %s", (version, oldest, expected) => {
        expect(isAtLeast(version, oldest)).toBe(expected);
    });
});

describe("pulumiOnPath", () => {
    const searchPath = process.env["PATH"];
    let folder: string;

    beforeEach(() => {
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-fluss-path-"));
        process.env["PATH"] = `${folder}${path.delimiter}/usr/bin${path.delimiter}/bin`;
    });

    afterEach(() => {
        process.env["PATH"] = searchPath;
        fs.rmSync(folder, { recursive: true, force: true });
    });

    it("takes a CLI that is new enough", async () => {
        install("echo v3.261.0");
        expect(await pulumiOnPath(folder)).toEqual({ binDir: folder, version: "3.261.0" });
    });

    it.each([
        ["is too old", "echo v3.200.0"],
        ["was built without a version", "echo"],
        ["does not run", "exit 1"],
    ])("passes over one that %s", async (_, script) => {
        install(script);
        expect(await pulumiOnPath(folder)).toBeUndefined();
    });

    function install(script: string): void {
        fs.writeFileSync(path.join(folder, "pulumi"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
});

describe("the Go module of the CLI", () => {
    it("pins the version that is downloaded otherwise", () => {
        const file = new URL("../../../local/toolchain/pulumi-cli/go.mod", import.meta.url);
        expect(fs.readFileSync(file, "utf8")).toContain(`github.com/pulumi/pulumi/pkg/v3 v${PULUMI_VERSION}`);
    });
});
