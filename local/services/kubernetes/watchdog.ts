import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";

/**
 * Ends processes once this one is gone, however it went: a process that is killed cannot clean up by itself. A small
 * shell reads their numbers from a pipe; the system closes the pipe with the process that held its other end. The shell
 * has a session of its own, so that Ctrl-C does not end it first.
 */
export class Watchdog {
    readonly #shell: ChildProcess;
    readonly #pipe: Writable;

    /** @param folder is removed too once this process is gone; not when the watchdog is dismissed */
    constructor(folder: string) {
        this.#shell = spawn("/bin/sh", ["-c", script, "watchdog", folder], {
            stdio: ["pipe", "ignore", "ignore"],
            detached: true,
        });
        this.#pipe = this.#shell.stdin!;
        // It may end first, with the machine.
        this.#pipe.on("error", () => {});
        this.#shell.unref();
        (this.#pipe as Writable & { unref(): void }).unref();
    }

    /** From now on this process is ended, too. */
    watch(pid: number): void {
        this.#pipe.write(`+ ${pid}\n`);
    }

    /** It has ended: its number may soon be another process's. */
    forget(pid: number): void {
        this.#pipe.write(`- ${pid}\n`);
    }

    /** Ends the watchdog; nothing else is ended. */
    dismiss(): void {
        this.#shell.kill("SIGKILL");
        this.#pipe.destroy();
    }
}

const script = `
while read -r sign pid; do
    if [ "$sign" = + ]; then pids="$pids $pid"; continue; fi
    left=
    for one in $pids; do [ "$one" = "$pid" ] || left="$left $one"; done
    pids=$left
done
[ -z "$pids" ] || kill -KILL $pids
rm -rf "$1"
`;
