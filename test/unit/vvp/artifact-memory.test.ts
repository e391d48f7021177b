import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { token } from "./fake-platform.ts";
import { simulatedPlatform } from "./simulated-platform.ts";

const vvp = path.resolve(import.meta.dirname, "../../../dynamic-providers/vvp/index.ts");

test("uploading 200 MB adds at most 100 MB of memory", async () => {
    const p = await simulatedPlatform();
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "vvp-memory-"));
    onTestFinished(async () => {
        await p.close();
        fs.rmSync(folder, { recursive: true, force: true });
    });
    const source = path.join(folder, "large.jar");
    fs.writeFileSync(source, "");
    fs.truncateSync(source, 200_000_000);
    // A process of its own, as Pulumi's provider process is: its peak is only the upload's. A small one comes first.
    const code = `
        const { vvpProviders } = await import(${JSON.stringify(vvp)});
        const provider = vvpProviders.vvpArtifact;
        const connection = { url: ${JSON.stringify(p.connection.url)} };
        const upload = async (source) => {
            const { inputs } = await provider.check(undefined, { connection, source });
            return (await provider.create(inputs)).outs.size;
        };
        await upload(${JSON.stringify(vvp)});
        const before = process.resourceUsage().maxRSS;
        const size = await upload(${JSON.stringify(source)});
        console.log(JSON.stringify({ size, addedMB: (process.resourceUsage().maxRSS - before) * 1024 / 1e6 }));
        process.exit(0);`;
    const env = { PATH: process.env["PATH"], VV_API_TOKEN: token };
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], {
        env,
    });
    const told = JSON.parse(stdout) as { size: number; addedMB: number };
    expect(told.size).toBe(200_000_000);
    expect(told.addedMB).toBeLessThan(100);
}, 60_000);
