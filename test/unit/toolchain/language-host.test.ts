import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { builtHosts, ensureYamlHost } from "../../../local/toolchain/language-host.ts";

test.each(builtHosts.map((host) => [host.program, host] as const))(
    "%s is built of the version that its go.mod pins, with every sum",
    (program, host) => {
        const folder = path.resolve(import.meta.dirname, "../../../local/toolchain", program);
        const read = (file: string) => fs.readFileSync(path.join(folder, file), "utf8");
        const required = [...read("go.mod").matchAll(/(\S+) v(\S+)(?: \/\/ indirect)?$/gm)];
        const owner = required.find(([, module]) => host.package.startsWith(`${module}/`));
        expect(owner?.[2]).toBe(host.version);
        const sums = read("go.sum");
        for (const [, module, version] of required) expect(sums).toContain(`${module} v${version}`);
        expect(read("tools.go")).toContain(`import _ "${host.package}"`);
    },
);

test("a host for YAML beside the CLI, or on the PATH, is taken and none is built", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-fluss-host-"));
    const searchPath = process.env["PATH"];
    try {
        fs.writeFileSync(path.join(folder, "pulumi-language-yaml"), "#!/bin/sh\n", { mode: 0o755 });
        const pulumi = { binDir: folder, version: "3.274.1", home: folder };
        expect(await ensureYamlHost(expect.fail, pulumi)).toBe(folder);
        process.env["PATH"] = folder;
        expect(await ensureYamlHost(expect.fail, { ...pulumi, binDir: "/nowhere" })).toBe(folder);
    } finally {
        process.env["PATH"] = searchPath;
        fs.rmSync(folder, { recursive: true, force: true });
    }
});
