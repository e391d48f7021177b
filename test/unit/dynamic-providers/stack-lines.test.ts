import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../../..");

/** As Pulumi runs a program: with source maps applied, and an error in a value that is waited for shown in colours. */
const program = `
    import "source-map-support/register.js";
    import util from "node:util";
    import * as pulumi from "@pulumi/pulumi";
    import "./dynamic-providers/thin-resource.ts";
    process.once("unhandledRejection", (error) => {
        console.log(util.inspect(error, { colors: true }));
        process.exit(0);
    });
    pulumi.output(1).apply(() => { throw new Error("two faults"); });
`;

test("an error of a program that uses the library is shown at once, with where it was", () => {
    const { stdout, stderr } = spawnSync(
        process.execPath,
        ["--max-old-space-size=512", "--input-type=module", "-e", program],
        { cwd: root, encoding: "utf8", timeout: 30_000, killSignal: "SIGKILL" },
    );
    expect(stderr).toBe("");
    expect(stdout).toContain("two faults");
    expect(stdout).toMatch(/node_modules[\\/].*@pulumi[\\/]\*.*[\\/]output\.ts:\d+/);
});
