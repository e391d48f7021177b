import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Watchdog } from "./watchdog.ts";

const START_MS = 90_000;
const STOP_MS = 10_000;

/** One process of the bed; it ends with this process at the latest, also when this one is killed. */
export class BedProcess {
    readonly #name: string;
    readonly #log: string;
    readonly #child: ChildProcess;
    readonly #ended: Promise<void>;
    readonly #kill: () => void;

    constructor(name: string, program: string, args: string[], log: string, watchdog: Watchdog) {
        this.#name = name;
        this.#log = log;
        const file = fs.openSync(log, "a", 0o600);
        this.#child = spawn(program, args, { stdio: ["ignore", file, file] });
        fs.closeSync(file);
        const { pid } = this.#child;
        if (pid !== undefined) {
            watchdog.watch(pid);
            this.#child.once("exit", () => watchdog.forget(pid));
        }
        this.#kill = () => void this.#child.kill("SIGKILL");
        process.once("exit", this.#kill);
        this.#ended = new Promise((done) => {
            this.#child.once("exit", () => done());
            this.#child.once("error", (error) => {
                fs.appendFileSync(log, `${error.message}\n`);
                done();
            });
        });
    }

    /** Its number; undefined when it could not be started. */
    get pid(): number | undefined {
        return this.#child.pid;
    }

    /** Waits until the question is answered with true. @throws with the end of the log when it ends, or takes over 90 s */
    async until(what: string, question: () => boolean | Promise<boolean>): Promise<void> {
        const end = Date.now() + START_MS;
        while (!(await question())) {
            const { exitCode, signalCode, pid } = this.#child;
            if (exitCode !== null || signalCode !== null || pid === undefined)
                throw this.#failure("ended before", what);
            if (Date.now() > end) throw this.#failure(`did not give within ${START_MS / 1000} s`, what);
            await sleep(50);
        }
    }

    /** Asks it to end, and ends it after 10 s. */
    async stop(): Promise<void> {
        this.#child.kill("SIGTERM");
        const timer = setTimeout(this.#kill, STOP_MS);
        await this.#ended;
        clearTimeout(timer);
        process.off("exit", this.#kill);
    }

    #failure(how: string, what: string): Error {
        const tail = fs.readFileSync(this.#log, "utf8").trimEnd().split("\n").slice(-8).join("\n");
        return new Error(
            `Kubernetes test bed: ${this.#name} ${how} ${what}. The end of ${this.#log}:\n${tail}`,
        );
    }
}
