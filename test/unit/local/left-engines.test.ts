import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, expect, it } from "vitest";
import { endLeftEngines, endStrays } from "../../../local/left-engines.ts";
import { rootVariable } from "../../../local/resources/environment.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-fluss-engines-"));
const children: ChildProcess[] = [];

afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

it.skipIf(!fs.existsSync("/proc/self/environ"))(
    "ends the providers of this lakehouse and no others",
    async () => {
        const ours = await running("@pulumi/pulumi/cmd/dynamic-provider/index.js", "/here");
        const stubborn = await running(
            "@pulumi/pulumi/cmd/dynamic-provider/index.js",
            "/here",
            "process.on('SIGTERM', () => {});",
        );
        const theirs = await running("@pulumi/pulumi/cmd/dynamic-provider/index.js", "/elsewhere");
        const another = await running("service.js", "/here");
        await endLeftEngines("/here");
        await Promise.all(
            [ours, stubborn].map(
                async (child) => child.exitCode ?? child.signalCode ?? (await once(child, "exit")),
            ),
        );
        expect(ours.signalCode).toBe("SIGTERM");
        expect(stubborn.signalCode).toBe("SIGKILL");
        expect([theirs.signalCode, another.signalCode]).toEqual([null, null]);
    },
    15_000,
);

it.skipIf(!fs.existsSync("/proc/self/environ"))(
    "ends services whose records are gone, by the folder that they run in",
    async () => {
        const root = path.join(folder, "lakehouse");
        const stray = await running("service.js", "", "", path.join(root, "run/zookeeper"));
        const other = await running("service.js", "", "", path.join(root, "elsewhere"));
        fs.rmSync(path.join(root, "run"), { recursive: true });
        await endStrays(root);
        expect(stray.exitCode ?? stray.signalCode ?? (await once(stray, "exit"))).toBeTruthy();
        expect(other.signalCode).toBeNull();
    },
    25_000,
);

async function running(file: string, root: string, first = "", cwd = folder): Promise<ChildProcess> {
    fs.mkdirSync(cwd, { recursive: true });
    const program = path.join(folder, first ? "stubborn" : "plain", file);
    fs.mkdirSync(path.dirname(program), { recursive: true });
    fs.writeFileSync(program, `${first} console.log("up"); setInterval(() => {}, 1000);`);
    const child = spawn(process.execPath, [program], {
        cwd,
        env: { [rootVariable]: root },
        stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    await once(child.stdout!, "data");
    return child;
}
