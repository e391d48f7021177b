import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pythonSdk } from "../../../cli/python-sdk-command.ts";
import { header } from "../../../host/python/sdk.ts";

let scratch: string;
let folder: string;

beforeEach(() => {
    scratch = fs.mkdtempSync(path.join(os.tmpdir(), "python-sdk-"));
    folder = path.join(scratch, "pulumi_fluss");
});
afterEach(() => fs.rmSync(scratch, { recursive: true }));

async function write(): Promise<string> {
    let out = "";
    const terminal = {
        out: (text: string) => {
            out += text;
        },
    };
    await pythonSdk.run(["python-sdk", "--out", folder], {}, terminal as never);
    return out;
}

test("a second run takes away what an earlier release wrote, and leaves files of others", async () => {
    expect(await write()).toMatch(/^\d+ files of pulumi-fluss/);
    const written = fs.readdirSync(folder).sort();
    expect(written).toContain("components.py");
    fs.writeFileSync(path.join(folder, "old_module.py"), `${header}x = 1\n`);
    fs.writeFileSync(path.join(folder, "mine.py"), "x = 1\n");
    fs.writeFileSync(path.join(folder, "notes.txt"), header);
    fs.writeFileSync(path.join(folder, "vvp.py"), "");
    await write();
    expect(fs.readdirSync(folder).sort()).toEqual([...written, "mine.py", "notes.txt"].sort());
    expect(fs.readFileSync(path.join(folder, "vvp.py"), "utf8")).toContain("class DeploymentTarget(");
    expect(fs.readFileSync(path.join(folder, "mine.py"), "utf8")).toBe("x = 1\n");
});

test("a folder of somebody else is refused and stays as it is, also with a module of the same name", async () => {
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, "_wire.py"), "x = 1\n");
    await expect(write()).rejects.toThrow(/it exists, and was not written by this command.*move it away/);
    expect(fs.readdirSync(folder)).toEqual(["_wire.py"]);
});

test("a file in the place of the folder is refused", async () => {
    fs.writeFileSync(folder, "");
    await expect(write()).rejects.toThrow("was not written by this command");
});

test("an empty folder is taken, and a name that Python cannot import is none", async () => {
    fs.mkdirSync(folder);
    await write();
    expect(fs.existsSync(path.join(folder, "__init__.py"))).toBe(true);
    folder = path.join(scratch, "pulumi-fluss");
    await expect(write()).rejects.toThrow("'pulumi-fluss' is no name of a Python package");
});
