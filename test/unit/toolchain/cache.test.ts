import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cacheFolder, contentHash, type Filling, fill } from "../../../local/toolchain/cache.ts";

const FILL_ONCE = fileURLToPath(new URL("fill-once.ts", import.meta.url));

let cacheDir: string;
let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
    cacheDir = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-fluss-cache-"));
    folder = path.join(cacheDir, "thing", "1.0");
});

afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    fs.rmSync(cacheDir, { recursive: true, force: true });
});

describe("fill, with other processes", () => {
    it("lets one of two runs work and the other one wait for it", async () => {
        const runs = [fillOnce(800), fillOnce(800)];
        expect(await Promise.all(runs.map(exitCode))).toEqual([0, 0]);
        expect(linesOf("work.log")).toHaveLength(1);
        expect(fs.readdirSync(folder).sort()).toEqual(["first", "last"]);
    });

    it("leaves nothing of a killed run in place, and the next run takes over", async () => {
        const killed = fillOnce(60_000);
        await vi.waitFor(() => expect(linesOf("work.log")).toHaveLength(1), { timeout: 10_000 });
        killed.kill("SIGKILL");
        await once(killed, "exit");
        expect(fs.existsSync(folder)).toBe(false);
        expect(fs.readdirSync(path.join(cacheDir, "tmp"))).toHaveLength(1);

        expect(await exitCode(fillOnce(0))).toBe(0);
        expect(fs.readdirSync(folder).sort()).toEqual(["first", "last"]);
        expect(fs.readdirSync(path.join(cacheDir, "tmp"))).toEqual([]);
        expect(fs.readdirSync(path.join(cacheDir, "locks"))).toEqual([]);
    });
});

describe("fill", () => {
    it("does nothing when the folder is there", async () => {
        fs.mkdirSync(folder, { recursive: true });
        const lines: string[] = [];
        const make = vi.fn<Filling["make"]>();
        await fill(cacheDir, filling(make), (line) => lines.push(line));
        expect(make).not.toHaveBeenCalled();
        expect(lines).toEqual([]);
    });

    it("says what it does, how long it may take, and when it is done", async () => {
        const lines: string[] = [];
        await fill(cacheDir, filling(makeFolder), (line) => lines.push(line));
        expect(lines).toEqual([
            "thing: preparing, takes 2 minutes once on this machine",
            expect.stringMatching(/^thing: done in \d+ s$/),
        ]);
    });

    it("works once when called twice in one process", async () => {
        const make = vi.fn<Filling["make"]>(makeFolder);
        await Promise.all([1, 2, 3].map(() => fill(cacheDir, filling(make), () => {})));
        expect(make).toHaveBeenCalledTimes(1);
    });

    it("leaves nothing behind when the work fails, and can be tried again", async () => {
        const failing = filling(async (draft) => {
            await makeFolder(draft);
            throw new Error("no space left");
        });
        await expect(fill(cacheDir, failing, () => {})).rejects.toThrow("no space left");
        expect(fs.existsSync(folder)).toBe(false);
        expect(fs.readdirSync(path.join(cacheDir, "tmp"))).toEqual([]);
        await fill(cacheDir, filling(makeFolder), () => {});
        expect(fs.existsSync(folder)).toBe(true);
    });

    it("makes a folder anew that is there but not complete", async () => {
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(path.join(folder, "old"), "");
        const isComplete = (made: string) => fs.existsSync(path.join(made, "file"));
        await fill(cacheDir, { ...filling(makeFolder), isComplete }, () => {});
        expect(fs.readdirSync(folder)).toEqual(["file"]);
    });

    // Start times of processes, by which they are told apart, are known from /proc.
    it.skipIf(!fs.existsSync("/proc/self/stat"))(
        "takes over a lock whose process number now belongs to another process",
        async () => {
            fs.mkdirSync(path.join(cacheDir, "locks"));
            const reused = { pid: process.pid, started: "1", token: "of a former process" };
            fs.writeFileSync(path.join(cacheDir, "locks", "thing"), JSON.stringify(reused));
            await fill(cacheDir, filling(makeFolder), () => {});
            expect(fs.existsSync(folder)).toBe(true);
        },
        5_000,
    );
});

describe("cacheFolder", () => {
    it("is chosen by the user, else lies in the user's cache folder", () => {
        expect(cacheFolder({ PULUMI_FLUSS_CACHE: "/a", XDG_CACHE_HOME: "/b" })).toBe("/a");
        expect(cacheFolder({ XDG_CACHE_HOME: "/b" })).toBe("/b/pulumi-fluss");
        expect(cacheFolder({})).toBe(path.join(os.homedir(), ".cache", "pulumi-fluss"));
    });
});

describe("contentHash", () => {
    it("changes with content, name and words, not with the folder", () => {
        const write = (name: string, content: string) => {
            const file = path.join(cacheDir, name);
            fs.mkdirSync(path.dirname(file), { recursive: true });
            fs.writeFileSync(file, content);
            return file;
        };
        const hash = contentHash([write("one/a", "x")]);
        expect(hash).toMatch(/^[0-9a-f]{12}$/);
        expect(contentHash([write("two/a", "x")])).toBe(hash);
        expect(contentHash([write("two/a", "y")])).not.toBe(hash);
        expect(contentHash([write("two/b", "x")])).not.toBe(hash);
        expect(contentHash([write("one/a", "x")], "word")).not.toBe(hash);
    });
});

function filling(make: Filling["make"]): Filling {
    return { name: "thing", takes: "2 minutes", folders: [folder], make };
}

async function makeFolder(draft: string): Promise<Record<string, string>> {
    const made = path.join(draft, "made");
    fs.mkdirSync(made);
    fs.writeFileSync(path.join(made, "file"), "");
    return { [folder]: made };
}

function fillOnce(milliseconds: number): ChildProcess {
    const child = spawn(process.execPath, [FILL_ONCE, cacheDir, String(milliseconds)], { stdio: "ignore" });
    children.push(child);
    return child;
}

async function exitCode(child: ChildProcess): Promise<number | null> {
    if (child.exitCode === null) await once(child, "exit");
    return child.exitCode;
}

function linesOf(name: string): string[] {
    const file = path.join(cacheDir, name);
    return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim().split("\n") : [];
}
