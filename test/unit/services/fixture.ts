import { spawnSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type ServiceSpec, Supervisor } from "../../../local/services/index.ts";

/** An empty state folder, removed after the test. */
export function temporaryRoot(): string {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), "services-"));
    onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
    return root;
}

/** A supervisor of an empty root; whatever it started ends with the test. */
export function temporarySupervisor(options: { stopSeconds?: number } = {}): Supervisor {
    const supervisor = new Supervisor(temporaryRoot(), options);
    onTestFinished(() => supervisor.stopAll());
    return supervisor;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
    const { port, close } = await listen(0);
    await close();
    return port;
}

/** Somebody else's listener; closed after the test. */
export async function listen(port: number): Promise<{ port: number; close: () => Promise<void> }> {
    const server = net.createServer((socket) => socket.on("error", () => undefined));
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
    onTestFinished(() => (server.listening ? close() : undefined));
    return { port: (server.address() as net.AddressInfo).port, close };
}

/** A small real service: runs `before`, then listens after `delay` milliseconds. */
export function nodeService(port: number, options: { before?: string; delay?: number } = {}): ServiceSpec {
    const serve = `require("net").createServer().listen(${port}, "127.0.0.1")`;
    const script = `${options.before ?? ""};setTimeout(() => ${serve}, ${options.delay ?? 0});`;
    return {
        name: "sample",
        command: process.execPath,
        args: ["-e", script],
        env: {},
        files: {},
        ready: { tcp: port },
        deadlineSeconds: 10,
    };
}

export function logOf(supervisor: Supervisor, name = "sample"): string {
    return fs.readFileSync(path.join(supervisor.root, "logs", `${name}.log`), "utf8");
}

/** True while a process of that id runs; one that ended but was not collected by its parent does not. */
export function exists(pid: number): boolean {
    const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
    return stdout.trim() !== "" && !stdout.startsWith("Z");
}
