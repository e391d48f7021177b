import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { repairState } from "../../../local/state-repair.ts";

function stateWith(files: Record<string, string>): { backend: string; folder: string } {
    const backend = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-fluss-state-"));
    const folder = path.join(backend, ".pulumi/stacks/fluss-quickstart");
    fs.mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
    return { backend, folder };
}

it("does nothing to a whole state, and nothing where there is none", () => {
    const { backend, folder } = stateWith({
        "local.json": "{}",
        "local.json.attrs": "{}",
        "local.json.bak": "{}",
    });
    expect(repairState(backend)).toEqual([]);
    expect(fs.readdirSync(folder)).toHaveLength(3);
    expect(repairState(path.join(backend, "nowhere"))).toEqual([]);
});

it("removes what an unfinished write has left", () => {
    const { backend, folder } = stateWith({
        "local.json": "{}",
        "local.json.attrs": "",
        "local.json.123.tmp": "{",
    });
    expect(repairState(backend)).toHaveLength(2);
    expect(fs.readdirSync(folder)).toEqual(["local.json"]);
});

it("takes the copy of a state that is only half there", () => {
    const { backend, folder } = stateWith({
        "local.json": '{"version": 3',
        "local.json.bak": '{"version":3}',
    });
    expect(repairState(backend).join()).toContain("restored local.json");
    expect(fs.readFileSync(path.join(folder, "local.json"), "utf8")).toBe('{"version":3}');
});

it("says what to do when the copy cannot be read either", () => {
    const { backend } = stateWith({ "local.json": "{", "local.json.bak": "" });
    expect(() => repairState(backend)).toThrow(/local.json cannot be read.*npm run local:down/s);
});
