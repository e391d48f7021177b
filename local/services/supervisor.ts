import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Folders, foldersOf, makeFolders, readIfThere, writePrivate } from "./folders.ts";
import { type ServiceName, stopGroups } from "./names.ts";
import { isPortFree } from "./ports.ts";
import { isAlive, launcher, memoryOf, type ProcessRecord, processRecord } from "./process.ts";
import { describe, isReady } from "./readiness.ts";
import { redact } from "./redact.ts";
import { readSecrets, rememberSecrets } from "./secrets.ts";
import { digestOf, type ServiceSpec, serviceSpec } from "./spec.ts";

export type { ServiceSpec } from "./spec.ts";

/** What a start did: `kept` when the same spec already ran, `seconds` from the call until it was ready. */
export interface Started {
    pid: number;
    seconds: number;
    kept: boolean;
}

/** One service as seen now. `peakMiB` is the highest resident memory since its start; Linux only. */
export interface ServiceStatus {
    name: string;
    pid?: number;
    alive: boolean;
    rssMiB?: number;
    peakMiB?: number;
}

/**
 * Starts, watches and stops the processes of one local lakehouse. They outlive the program that started them,
 * and are found again by their records below `run/`: at whatever moment that program is killed, the next one
 * adopts or stops what it left behind. Only a process that is provably the one started here is ever ended.
 */
export class Supervisor {
    readonly root: string;
    readonly #folders: Folders;
    readonly #stopSeconds: number;

    /**
     * @param root absolute folder of the lakehouse (`.local`); created when missing
     * @param options.stopSeconds how long a service may take to end before it is killed; default 20
     */
    constructor(root: string, options: { stopSeconds?: number } = {}) {
        this.root = path.resolve(root);
        this.#folders = makeFolders(this.root);
        this.#stopSeconds = options.stopSeconds ?? 20;
    }

    /**
     * Starts the service and waits until it is ready. A process that already runs this very spec is kept, one
     * that runs another spec or does not become ready is restarted.
     * @throws when a port is taken by somebody else, the process ends, or the deadline passes (it is stopped then);
     * the message holds the end of its log, without secrets
     */
    async start(spec: ServiceSpec): Promise<Started> {
        const began = performance.now();
        const seconds = () => (performance.now() - began) / 1000;
        const running = this.#record(spec.name);
        if (running?.spec === digestOf(spec)) {
            const failure = await this.#waitUntilReady(spec, running);
            if (failure === undefined) return { pid: running.pid, seconds: seconds(), kept: true };
        }
        await this.stop(spec.name);
        const { pid } = await this.#launch(spec);
        return { pid, seconds: seconds(), kept: false };
    }

    /** Ends the service: SIGTERM, wait, SIGKILL. Its spec stays, for `revive`. Nothing happens when it is not running. */
    async stop(name: string): Promise<void> {
        const record = this.#record(name);
        if (record !== undefined && !(await end(record, "SIGTERM", this.#stopSeconds))) {
            if (!(await end(record, "SIGKILL", 10))) {
                throw new Error(`${name} (process ${record.pid}) did not end after SIGKILL. End it by hand.`);
            }
        }
        fs.rmSync(this.#file(name, "pid.json"), { force: true });
    }

    /** Ends the service and forgets it: `revive` will not start it again. Its log and data stay. */
    async forget(name: string): Promise<void> {
        await this.stop(name);
        fs.rmSync(this.#file(name), { recursive: true, force: true });
    }

    /** Stops everything in the order of `stopGroups`; services that the order does not know go first. */
    async stopAll(): Promise<void> {
        const known: readonly string[] = stopGroups.flat();
        const others = this.#names().filter((name) => !known.includes(name));
        for (const group of [others, ...stopGroups]) await Promise.all(group.map((name) => this.stop(name)));
    }

    /**
     * Starts, in the given order, each service that once ran (its spec is there) and is dead now.
     * @returns the names of those it started
     */
    async revive(names: readonly string[]): Promise<string[]> {
        const revived: string[] = [];
        for (const name of names) {
            const spec = this.spec(name);
            if (spec === undefined || this.#record(name) !== undefined) continue;
            await this.start(spec);
            revived.push(name);
        }
        return revived;
    }

    /** The spec with which the service was last started, or undefined when it never was. Holds secrets. */
    spec(name: string): ServiceSpec | undefined {
        const text = readIfThere(this.#file(name, "spec.json"));
        if (text === undefined) return undefined;
        const parsed = serviceSpec.safeParse(parseJson(text));
        // A spec of an older version of this program cannot be revived; the next start writes it anew.
        return parsed.success ? parsed.data : undefined;
    }

    /** True when the service runs, as started by us. */
    isRunning(name: ServiceName | string): boolean {
        return this.#record(name) !== undefined;
    }

    /** What tells this run of the service from every other run of it; undefined when it does not run. */
    identity(name: string): string | undefined {
        const record = this.#record(name);
        return record && `${record.pid} ${record.started}`;
    }

    /** Every service that was ever started and not forgotten. */
    status(): ServiceStatus[] {
        return this.#names().map((name) => {
            const record = this.#record(name);
            if (record === undefined) return { name, alive: false };
            return { name, pid: record.pid, alive: true, ...memoryOf(record.pid) };
        });
    }

    /** Names of the services that ended although nobody stopped them. */
    endedByThemselves(): string[] {
        const names = this.#names();
        return names.filter(
            (name) => this.#readRecord(name) !== undefined && this.#record(name) === undefined,
        );
    }

    /** The last lines of the service's log, of those that match, without secrets; empty when it has none. */
    lastLines(name: string, matching?: RegExp): string {
        const logFile = path.join(this.#folders.logs, `${name}.log`);
        return fs.existsSync(logFile) ? this.#tail(logFile, 0, matching) : "";
    }

    async #launch(spec: ServiceSpec): Promise<ProcessRecord> {
        await this.#refuseTakenPorts(spec);
        this.#prepare(spec);
        const logFile = path.join(this.#folders.logs, `${spec.name}.log`);
        const log = fs.openSync(logFile, "a", 0o600);
        fs.writeSync(log, `===== ${new Date().toISOString()} start of ${spec.name} =====\n`);
        const logStart = fs.fstatSync(log).size;
        const recordFile = this.#file(spec.name, "pid.json");
        const child = spawn(
            "/bin/sh",
            ["-c", launcher, spec.name, recordFile, digestOf(spec), spec.command, ...spec.args],
            {
                cwd: this.#file(spec.name),
                // A group of its own: Ctrl-C at the starter's terminal does not reach it.
                detached: true,
                stdio: ["ignore", log, log],
                env: { ...inheritedEnv(), ...spec.env },
            },
        );
        // Then there is no process, and no record will appear.
        child.once("error", (error) => fs.appendFileSync(logFile, `${error.message}\n`));
        child.unref();
        fs.closeSync(log);
        const record = await this.#awaitRecord(spec.name, child.pid);
        const failure = record ? await this.#waitUntilReady(spec, record) : "ended before its program ran";
        if (record !== undefined && failure === undefined) return record;
        await this.stop(spec.name);
        throw new Error(
            `${spec.name} ${failure}. Full log: ${logFile}. Its last lines:\n${this.#tail(logFile, logStart)}`,
        );
    }

    /** The record appears a few milliseconds after the fork; without it the launcher has failed. */
    async #awaitRecord(name: string, pid: number | undefined): Promise<ProcessRecord | undefined> {
        for (let waited = 0; waited < 5000; waited += 10) {
            const record = this.#readRecord(name);
            if (record !== undefined && record.pid === pid) return record;
            await sleep(10);
        }
        return undefined;
    }

    async #waitUntilReady(spec: ServiceSpec, record: ProcessRecord): Promise<string | undefined> {
        const deadline = performance.now() + spec.deadlineSeconds * 1000;
        for (;;) {
            if (!isAlive(record)) return "ended while it was starting";
            if (await isReady(spec.ready)) return undefined;
            if (performance.now() > deadline) {
                return `was not ready after ${spec.deadlineSeconds} s (no answer to ${describe(spec.ready)}) and was stopped`;
            }
            await sleep(100);
        }
    }

    /** Otherwise somebody else's answer would be taken for the service being ready. */
    async #refuseTakenPorts(spec: ServiceSpec): Promise<void> {
        const ports = spec.ports ?? ("tcp" in spec.ready ? [spec.ready.tcp] : []);
        const taken: number[] = [];
        for (const port of ports) if (!(await isPortFree(port))) taken.push(port);
        if (taken.length === 0) return;
        throw new Error(
            `${spec.name} cannot start: 127.0.0.1:${taken.join(", 127.0.0.1:")} is in use by another program. ` +
                "End that program, or run the start again: it chooses another port for a service that is not running.",
        );
    }

    #prepare(spec: ServiceSpec): void {
        const folder = this.#file(spec.name);
        rememberSecrets(this.root, spec.secrets ?? []);
        fs.rmSync(folder, { recursive: true, force: true });
        fs.mkdirSync(path.join(folder, "tmp"), { recursive: true, mode: 0o700 });
        for (const wanted of spec.folders ?? []) fs.mkdirSync(wanted, { recursive: true, mode: 0o700 });
        for (const [name, content] of Object.entries(spec.files)) {
            fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
            writePrivate(path.join(folder, name), content);
        }
        for (const [name, target] of Object.entries(spec.links ?? {})) {
            fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
            fs.symlinkSync(target, path.join(folder, name));
        }
        writePrivate(path.join(folder, "spec.json"), JSON.stringify(spec));
    }

    #tail(logFile: string, from: number, matching = /^/): string {
        const text = fs.readFileSync(logFile).subarray(from).toString("utf8");
        const lines = text.split("\n").filter((line) => matching.test(line));
        return redact(lines.slice(-40).join("\n").slice(-6000), readSecrets(this.root));
    }

    /** The record of a process that runs; undefined when there is none or it is dead. */
    #record(name: string): ProcessRecord | undefined {
        const record = this.#readRecord(name);
        return record && isAlive(record) ? record : undefined;
    }

    #readRecord(name: string): ProcessRecord | undefined {
        const text = readIfThere(this.#file(name, "pid.json"));
        const parsed = processRecord.safeParse(text === undefined ? undefined : parseJson(text));
        return parsed.success ? parsed.data : undefined;
    }

    #names(): string[] {
        const entries = fs.existsSync(this.#folders.run) ? fs.readdirSync(this.#folders.run) : [];
        const isService = (name: string) =>
            fs.existsSync(this.#file(name, "spec.json")) || fs.existsSync(this.#file(name, "pid.json"));
        return entries.filter(isService).sort();
    }

    #file(name: string, ...below: string[]): string {
        return path.join(foldersOf(this.root).run, name, ...below);
    }
}

/** Sends the signal and waits; true once the process is gone. */
async function end(record: ProcessRecord, signal: NodeJS.Signals, seconds: number): Promise<boolean> {
    const deadline = performance.now() + seconds * 1000;
    for (let sent = false; isAlive(record); sent = true) {
        if (performance.now() > deadline) return false;
        if (!sent) sendSignal(record.pid, signal);
        await sleep(50);
    }
    return true;
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
    try {
        process.kill(pid, signal);
    } catch (error) {
        // It ended between the look and the signal.
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
}

/** A person's keys and proxies (AWS_…, VVP_…) are no business of a local service. */
function inheritedEnv(): Record<string, string> {
    const names = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ"];
    return Object.fromEntries(
        names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
    );
}

function parseJson(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}
