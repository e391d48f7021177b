import type { FaultProxy } from "./fault-proxy.ts";

/** The calls of a proxy whose faults hit a connection, before anything is called on it. */
export class ArmedCalls {
    calls: string[] = [];
    #armed: { at: number; fault: string; until: "once" | "cleared" } | undefined;
    #hits = 0;

    /** The fault of the connection that is made now; undefined when it shall be a good one. */
    hit(): string | undefined {
        const armed = this.#armed;
        if (!armed || this.calls.length < armed.at) return undefined;
        if (armed.until === "once" && this.#hits > 0) return undefined;
        this.#hits += 1;
        return armed.fault;
    }

    /** The proxy that these calls go through. */
    proxy(url: string, close: () => Promise<void>): FaultProxy {
        const armed = this;
        return {
            url,
            get calls() {
                return armed.calls;
            },
            watch: async () => {
                this.#armed = undefined;
                this.calls = [];
            },
            arm: (at, fault, until) => {
                this.#armed = { at, fault, until };
                this.#hits = 0;
                this.calls = [];
            },
            close,
        };
    }
}
