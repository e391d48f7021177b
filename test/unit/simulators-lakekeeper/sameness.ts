import { expect } from "vitest";
import type { Call } from "./recording.ts";
import type { Reply } from "./replay-server.ts";
import { type Json, type Unequal, unequal } from "./unequal.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Holds the simulator's answers against the recorded ones, and learns from them which id stands for which. */
export class Sameness {
    /** By the recorded id. */
    readonly #ids = new Map<string, string>();
    /** What else the winner of a race said otherwise. */
    readonly #texts = new Map<string, string>();
    readonly #here: (recorded: string) => string;

    /** @param here puts the addresses of this run into a recorded text */
    constructor(here: (recorded: string) => string) {
        this.#here = here;
    }

    /** A recorded text with the ids that the simulator gave instead. */
    real(recorded: string): string {
        return recorded
            .replace(
                /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi,
                (id) => this.#ids.get(id.toLowerCase()) ?? id,
            )
            .replace(/"([^"\\]*)"/g, (whole, text: string) => {
                const other = this.#texts.get(text);
                return other === undefined ? whole : JSON.stringify(other);
            });
    }

    /** Why a call is not made. */
    skipped(call: Call): string | undefined {
        const exception = exceptionOf(call);
        return exception?.skip ? exception.why : undefined;
    }

    compare(call: Call, reply: Reply): void {
        expect(reply.status, reply.text).toBe(call.status);
        compareHeaders(call, reply);
        const { json, text } = call;
        const exception = exceptionOf(call);
        if (json === undefined) {
            if (!exception)
                expect(withoutColumn(reply.text)).toBe(withoutColumn(this.#here(this.real(text ?? ""))));
            return;
        }
        const answered = JSON.parse(reply.text) as unknown;
        this.#learn(json, answered);
        const recorded = JSON.parse(this.#here(this.real(JSON.stringify(json)))) as unknown;
        const part = (answer: unknown) => plain(exception ? partOf(answer, exception) : answer);
        expect(part(answered)).toEqual(part(recorded));
    }

    /**
     * Of calls that were made at the same time as many succeed, and those that fail do so in one of the recorded ways:
     * which one is first is chance, on the real server too.
     */
    compareRace(calls: Call[], replies: Reply[]): void {
        const pairs = calls.map((call, index) => ({ call, reply: replies[index]! }));
        const won = pairs.filter(({ call }) => call.status < 300);
        const done = pairs.filter(({ reply }) => reply.status < 300);
        expect(done.map(({ reply }) => reply.status)).toEqual(won.map(({ call }) => call.status));
        const ways = calls.filter(({ status }) => status >= 300).map((call) => plain(call.json));
        for (const { reply } of pairs.filter((pair) => !done.includes(pair))) {
            expect(ways).toContainEqual(plain(JSON.parse(reply.text)));
        }
        won.forEach(({ call }, index) => {
            if (call.json === undefined) return;
            // Where all of them succeed, each has its own answer.
            const reply = won.length === calls.length ? replies[calls.indexOf(call)]! : done[index]!.reply;
            this.#learn(call.json, JSON.parse(reply.text), this.#texts);
        });
    }

    /** Two ids at the same place are the same one, unless one of them is known already. */
    #learn(recorded: unknown, answered: unknown, texts?: Map<string, string>): void {
        if (typeof recorded === "string" && typeof answered === "string") {
            const id = recorded.toLowerCase();
            if (!uuid.test(id) && recorded !== answered) texts?.set(recorded, answered);
            if (!uuid.test(id) || !uuid.test(answered) || this.#ids.has(id)) return;
            if (![...this.#ids.values()].includes(answered)) this.#ids.set(id, answered);
            return;
        }
        if (typeof recorded !== "object" || typeof answered !== "object" || !recorded || !answered) return;
        for (const [key, value] of Object.entries(recorded))
            this.#learn(value, (answered as Json)[key], texts);
    }
}

/** What of a call cannot be equal. */
export function exceptionOf({ method, path, status, text, json }: Call): Unequal | undefined {
    const told = `${method} ${path} ${status} ${text ?? JSON.stringify(json) ?? ""}`;
    return unequal.find(({ calls }) => calls.test(told));
}

function partOf(answer: unknown, { part = shapeOf }: Unequal): unknown {
    return part(answer as Json);
}

/** An error's type and fields, or the fields of any other answer. */
function shapeOf(answer: Json): unknown {
    const { error } = answer as { error?: { type: string; code: number } };
    const fields = Object.keys(error ?? answer).sort();
    return error ? { type: error.type, code: error.code, fields } : { fields };
}

function compareHeaders({ headers = {}, answers = {}, json, text, method }: Call, reply: Reply): void {
    if (method !== "HEAD") {
        const plainText = text === undefined ? null : "text/plain; charset=utf-8";
        expect(reply.headers.get("content-type")).toBe(json === undefined ? plainText : "application/json");
    }
    for (const [name, value] of Object.entries(answers)) expect(reply.headers.get(name), name).toBe(value);
    const id = reply.headers.get("x-request-id");
    expect(id).toMatch(headers["x-request-id"] ?? /./);
}

/** Takes out what no two servers share: error ids, times, page tokens, the server's id. */
function plain(value: unknown): unknown {
    return JSON.parse(JSON.stringify(value), (key, part: unknown) => {
        if (key === "server-id") return "<id>";
        if (times.includes(key)) return part === null ? null : "<time>";
        if (key === "next-page-token") return part === null ? null : "<token>";
        // The file with which the storage was checked.
        if (key === "message")
            return String(part).replace(/\/[0-9a-f-]{36}\/metadata\/test/, "/<id>/metadata/test");
        if (key === "stack") return (part as string[]).filter((entry) => !entry.startsWith("Error ID: "));
        return part;
    });
}

const times = [
    "updated-at",
    "updated_at",
    "created-at",
    "deleted-at",
    "expiration-date",
    "scheduled-for",
    "timestamp",
    "lastCheck",
];

function withoutColumn(text: string): string {
    return text.replace(/ at line \d+ column \d+$/, "");
}
