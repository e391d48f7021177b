import { AsyncLocalStorage } from "node:async_hooks";

/**
 * The process of the engine that a step runs in, as far as a proxy must be able to end it or to let its time pass: all in the
 * test's own process, so that thousands of cases take minutes. Deadlines are not waited for.
 */
export class EngineProcess {
    readonly #calls = new Set<AbortController>();
    #killed = false;

    get killed(): boolean {
        return this.#killed;
    }

    /** Runs work in it; whatever that calls belongs to this process. */
    run<T>(work: () => Promise<T>): Promise<T> {
        return processes.run(this, work);
    }

    /** The deadline of each call that has no answer yet is over. */
    passDeadline(): void {
        this.#end("The operation was aborted due to timeout");
    }

    /** No call gets an answer any more, and no further one leaves. */
    kill(): void {
        this.#killed = true;
        this.#end("the process was killed");
    }

    /** The signal of a call that begins now. */
    signal(milliseconds: number): AbortSignal {
        const controller = new AbortController();
        this.#calls.add(controller);
        if (this.#killed) this.kill();
        return AbortSignal.any([timeout.call(AbortSignal, milliseconds), controller.signal]);
    }

    #end(reason: string): void {
        for (const controller of this.#calls) controller.abort(new DOMException(reason, "TimeoutError"));
        this.#calls.clear();
    }
}

const processes = new AsyncLocalStorage<EngineProcess>();
const { timeout } = AbortSignal;

// The library's HTTP client takes each call's deadline from here, in the process that calls.
AbortSignal.timeout = (milliseconds) =>
    processes.getStore()?.signal(milliseconds) ?? timeout.call(AbortSignal, milliseconds);
