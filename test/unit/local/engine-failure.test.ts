import { expect, it } from "vitest";
import { failureText } from "../../../local/engine-failure.ts";

const printed = `code: 255
 stdout: Updating (local):
 +  pulumi:pulumi:Stack fluss-quickstart-local creating (0s)
 +  pulumi-nodejs:dynamic/fluss:Table trades **creating failed** error: VVP: could not create table
Diagnostics:
  pulumi:pulumi:Stack (fluss-quickstart-local):
    warning: using pulumi-resource-pulumi-nodejs from $PATH at /somewhere
  pulumi-nodejs:dynamic/fluss:Table (trades):
    error: VVP: could not create table \`a\`.\`b\`: refused
    What to do: ask

Resources:
    + 3 created

Duration: 5s

 stderr:
 err?: Error: Command failed with exit code 255`;

it("tells the reasons alone, each below its resource", () => {
    expect(failureText(new Error(printed))).toBe(
        [
            "pulumi did not get through:",
            "  pulumi-nodejs:dynamic/fluss:Table (trades):",
            "    error: VVP: could not create table `a`.`b`: refused",
            "    What to do: ask",
        ].join("\n"),
    );
});

it("tells any other error as it is", () => {
    expect(failureText(new Error("port 1 is taken"))).toBe("port 1 is taken");
    expect(failureText("odd")).toBe("odd");
});

it("finds the reasons of a preview with differences, which has no section for them, and tells each once", () => {
    const reason =
        "    error: pulumi-nodejs:dynamic/fluss:Table resource 'a' has a problem: Fluss table: columns[5] is gone";
    const preview = `code: -2\n stdout: Previewing update (local):\n${reason}\n${reason}\n    error: preview failed\n stderr: Command failed`;
    expect(failureText(new Error(preview))).toBe(`pulumi did not get through:\n${reason}`);
});
