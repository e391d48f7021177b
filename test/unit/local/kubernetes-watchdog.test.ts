import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { exists, temporaryRoot } from "../services/fixture.ts";

const repository = path.resolve(import.meta.dirname, "../../..");
const module = (name: string) => path.join(repository, "local/services/kubernetes", name);

/** Starts one process of a bed, writes its number beside the bed's folder, and then does nothing for long. */
const start = (root: string) => `
import fs from "node:fs";
import { BedProcess } from ${JSON.stringify(module("bed-process.ts"))};
import { Watchdog } from ${JSON.stringify(module("watchdog.ts"))};
const folder = ${JSON.stringify(path.join(root, "bed"))};
fs.mkdirSync(folder, { recursive: true });
const watchdog = new Watchdog(folder);
const short = new BedProcess("short", "true", [], folder + "/short.log", watchdog);
const one = new BedProcess("sleep", "sleep", ["600"], folder + "/sleep.log", watchdog);
fs.writeFileSync(${JSON.stringify(path.join(root, "pid"))}, String(one.pid));
`;

async function startedPid(root: string): Promise<number> {
    const file = path.join(root, "pid");
    const pid = await vi.waitFor(() => Number(/^\d+$/.exec(fs.readFileSync(file, "utf8"))![0]), {
        timeout: 15_000,
    });
    expect(exists(pid)).toBe(true);
    return pid;
}

async function expectNothingLeft(root: string, pid: number): Promise<void> {
    await vi.waitFor(() => expect(exists(pid)).toBe(false), { timeout: 10_000 });
    await vi.waitFor(() => expect(fs.existsSync(path.join(root, "bed"))).toBe(false), { timeout: 5000 });
}

function ended(child: ChildProcess): Promise<void> {
    return new Promise((done) => child.once("exit", () => done()));
}

test.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)("%s of the process ends its bed", async (signal) => {
    const root = temporaryRoot();
    const script = path.join(root, "start.mjs");
    fs.writeFileSync(script, `${start(root)}\nsetTimeout(() => {}, 600_000);`);
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script], {
        stdio: "ignore",
    });
    const pid = await startedPid(root);
    child.kill(signal);
    await expectNothingLeft(root, pid);
});

test.each(["SIGKILL", "SIGTERM"] as const)("%s of vitest ends the bed of its test", async (signal) => {
    const root = temporaryRoot();
    // Below the repository, so that the packages are found.
    fs.mkdirSync(path.join(repository, ".local"), { recursive: true });
    const project = fs.mkdtempSync(path.join(repository, ".local", "watchdog-"));
    onTestFinished(() => fs.rmSync(project, { recursive: true, force: true }));
    fs.writeFileSync(path.join(project, "vitest.config.ts"), "export default {};");
    fs.writeFileSync(
        path.join(project, "bed.test.ts"),
        `import { test } from "vitest";${start(root)}test("waits", () => new Promise(() => {}), 600_000);`,
    );
    const vitest = path.join(repository, "node_modules/vitest/vitest.mjs");
    const child = spawn(process.execPath, [vitest, "run", "--root", project], { stdio: "ignore" });
    const pid = await startedPid(root);
    const gone = ended(child);
    child.kill(signal);
    await gone;
    await expectNothingLeft(root, pid);
});

test("a bed that is stopped leaves its folder, and no watchdog", async () => {
    const root = temporaryRoot();
    const script = path.join(root, "start.mjs");
    fs.writeFileSync(script, `${start(root)}\nawait one.stop();\nwatchdog.dismiss();`);
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script], {
        stdio: "ignore",
    });
    await ended(child);
    expect(child.exitCode).toBe(0);
    expect(fs.existsSync(path.join(root, "bed"))).toBe(true);
});
