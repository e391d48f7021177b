import { readFileSync } from "node:fs";

/** A call to a real Lakekeeper 0.13.3 and its answer. */
export interface Call {
    note: string;
    method: string;
    path: string;
    headers?: Record<string, string>;
    contentType?: string;
    body?: string;
    /** Stands for a body of this size. */
    bodyMegabytes?: number;
    /** Sent as HTTP/1.0, without a Host header. */
    http10?: boolean;
    /** Calls of one race were sent at the same time. */
    race?: string;
    /** Milliseconds that had passed since the call before. */
    wait?: number;
    status: number;
    /** A JSON answer; the error id at the end of each stack is left out. */
    json?: unknown;
    /** An answer that was a text. */
    text?: string;
    /** Headers of the answer that say something. */
    answers?: Record<string, string>;
}

/** How the server was started for the calls that follow. */
export interface ServerStart {
    /** Which database it had; a name that was not there before is an empty one. */
    state: string;
    /** With the check of the storage. */
    storage?: boolean;
    /** So many creates meet in a check of the storage that passes, as they did in the real server's database. */
    meeting?: number;
    requestSeconds?: number;
    defaultProject?: boolean;
    systemIdentities?: boolean;
    baseUri?: string;
    /** With OpenID Connect; the token, which the recording left out, is the user's name. Default: authentication is off. */
    authentication?: boolean;
    /** Read-only, with this `Retry-After`. */
    maintenance?: number;
}

/** A start, or calls that were made one after the other, or at the same time when there is more than one. */
export type Step = { server: ServerStart } | { calls: [Call, ...Call[]] };

/**
 * Reads recordings of which the second goes on where the first ends: one JSON object a line. In a list of warehouses
 * an id stands for a warehouse that is told as it was last told.
 */
export function readRecording(...files: string[]): Step[] {
    const steps: Step[] = [];
    const told = new Map<string, unknown>();
    for (const line of files.flatMap(linesOf)) {
        const read = JSON.parse(line) as { server: ServerStart } | Call;
        if ("server" in read) {
            steps.push(read);
            continue;
        }
        const call = { ...read, json: expanded(read.json, told) };
        const before = steps.at(-1);
        const same =
            before && "calls" in before && call.race !== undefined && before.calls[0].race === call.race;
        if (same) before.calls.push(call);
        else steps.push({ calls: [call] });
    }
    return steps;
}

function linesOf(file: string): string[] {
    return readFileSync(new URL(file, import.meta.url), "utf8")
        .trim()
        .split("\n");
}

function expanded(json: unknown, told: Map<string, unknown>): unknown {
    const answer = json as { id?: string; "storage-profile"?: unknown; warehouses?: unknown[] } | undefined;
    if (answer?.id && answer["storage-profile"]) told.set(answer.id, answer);
    if (!answer?.warehouses) return json;
    const whole = (one: unknown) => (typeof one === "string" ? told.get(one) : one);
    return { ...answer, warehouses: answer.warehouses.map(whole) };
}
