import fs from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changesOf, type TestStack, testStack } from "./engine.ts";

const wish = { keeper: "a", length: 20 };
let stack: TestStack;

beforeAll(async () => {
    stack = await testStack({
        standIns: true,
        program: async () => {
            const { keeper, length } = wish;
            const keepers = { keeper };
            const password = new random.RandomPassword("password", {
                length,
                overrideSpecial: "_",
                minSpecial: 3,
            });
            const text = new random.RandomString("text", {
                length: 8,
                special: false,
                upper: false,
                keepers,
            });
            const id = new random.RandomId("id", { byteLength: 4, prefix: "p-" });
            return {
                password: password.result,
                text: text.result,
                textId: text.id,
                hex: id.hex,
                dec: id.dec,
            };
        },
    });
});

afterAll(() => stack.dispose());

let first: Record<string, string>;

test("results follow the rules, the password is secret everywhere", async () => {
    const { outputs } = await stack.up();
    first = Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
    expect(first["password"]).toMatch(/^[A-Za-z0-9_]{20}$/);
    expect([...(first["password"] ?? "")].filter((character) => character === "_").length).toBeGreaterThan(2);
    expect(outputs["password"]?.secret).toBe(true);
    expect(JSON.stringify(await stack.export())).not.toContain(first["password"]);
    expect(first["text"]).toMatch(/^[a-z0-9]{8}$/);
    expect(first["textId"]).toBe(first["text"]);
    expect(first["hex"]).toMatch(/^p-[0-9a-f]{8}$/);
    expect(first["dec"]).toBe(`p-${Number.parseInt((first["hex"] ?? "").slice(2), 16)}`);
});

test("nothing changes without a reason", async () => {
    expect((await stack.up()).changes).toEqual({ same: 4 });
    expect((await stack.refresh()).changes).toEqual({ same: 4 });
    expect((await stack.up()).changes).toEqual({ same: 4 });
});

test("a changed keeper draws that text anew, and nothing else", async () => {
    wish.keeper = "b";
    const outcome = await stack.up();
    expect(outcome.changes).toEqual({ same: 3, replace: 1 });
    expect(changesOf(outcome)[0]).toMatchObject({
        name: "text",
        diff: { "keepers.keeper": "update-replace" },
    });
    expect(outcome.outputs["text"]?.value).not.toBe(first["text"]);
    expect(outcome.outputs["password"]?.value).toBe(first["password"]);
});

test("impossible rules are refused in the preview", async () => {
    wish.length = 2;
    await expect(stack.preview()).rejects.toThrow("less than the minimums of all classes together (3)");
    wish.length = 20;
});

test("a secret keeper stays secret in the state", async () => {
    const secretStack = await testStack({
        standIns: true,
        program: async () => {
            const keepers = { token: pulumi.secret("keeper-in-clear") };
            new random.RandomId("id", { byteLength: 2, keepers });
        },
    });
    try {
        await secretStack.up();
        await secretStack.refresh();
        expect(JSON.stringify(await secretStack.export())).not.toContain("keeper-in-clear");
    } finally {
        await secretStack.dispose();
    }
});

test("as an executable on PATH the plugin is started by the engine itself", async () => {
    const main = path.resolve(import.meta.dirname, "../../local/plugins/random/main.ts");
    const folder = fs.mkdtempSync(path.join(stack.folder, "plugin-"));
    const executable = path.join(folder, "pulumi-resource-random");
    fs.writeFileSync(executable, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 });
    const plugged = await testStack({
        env: { PATH: [folder, path.dirname(process.execPath), process.env["PATH"]].join(path.delimiter) },
        program: async () => ({ hex: new random.RandomId("id", { byteLength: 3 }).hex }),
    });
    try {
        expect((await plugged.up()).outputs["hex"]?.value).toMatch(/^[0-9a-f]{6}$/);
    } finally {
        await plugged.dispose();
    }
});
