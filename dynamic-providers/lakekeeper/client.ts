import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { ApiError, hasStatus } from "../http/api-error.ts";
import { type HttpAnswer, type HttpCall, HttpClient } from "../http/client.ts";
import { redact } from "../http/redact.ts";
import type { Context } from "../resource.ts";
import { bearerToken, type LakekeeperConnection, routeOf } from "./connection.ts";
import { hintFor } from "./hints.ts";

/** What a call of the management or catalog API is; `project` selects the project by header. */
export type LakekeeperCall = HttpCall & {
    project?: string;
    /** The call carries a storage credential: see {@link credentialLane}. */
    credential?: boolean;
    /** What of the body no error may show, also when the server repeats it. */
    secrets?: string[];
};

/**
 * More than four calls with a credential at once block the server's database pool until they fail (0.13.3 observed),
 * and Pulumi starts sixteen. The lane holds for all warehouses of a server.
 */
const credentialLane = { name: "lakekeeper-credential", limit: 3 };

/** Time of an operation when its connection says none. 50 calls that take 30 s each, three at a time, fit into it. */
const defaultTimeoutSeconds = 600;

/** What a call gets even when the time is over, since a lost answer is settled by looking. */
const graceSeconds = 30;

/**
 * Calls of one operation on a resource. What the server asks to wait for is waited for within the operation's time.
 */
export class LakekeeperClient {
    readonly url: string;
    /** When the operation's time is over, in milliseconds since 1970. */
    readonly #until: number;
    readonly #graceSeconds: number;
    readonly #http: HttpClient;
    readonly #token: (refused?: string) => Promise<string | undefined>;
    /** Tokens and keys that were used, which no error may show. */
    readonly #seen = new Set<string>();

    /** @param moreSeconds for an operation that itself waits, beside the time of the connection */
    constructor(connection: LakekeeperConnection, context: Context, moreSeconds = 0) {
        this.url = connection.url.replace(/\/+$/, "");
        const seconds = connection.timeoutSeconds ?? defaultTimeoutSeconds;
        this.#until = Date.now() + (seconds + moreSeconds) * 1000;
        this.#graceSeconds = Math.min(graceSeconds, seconds);
        this.#token = (refused) => bearerToken(connection, context, refused);
        this.#http = new HttpClient({
            system: "Lakekeeper",
            baseUrl: this.url,
            secrets: () => [...this.#seen],
            ...routeOf(connection),
            readError,
            hint: hintFor,
            // A failed AssumeRole carries a dump of 1.5 kB.
            longestMessage: 400,
        });
    }

    /**
     * Makes a call and reads its answer. A failure that is known to pass and to leave nothing behind is tried again:
     * see {@link pauseAfter}.
     * @throws {ApiError} for a bad status, or an answer of another form
     */
    async call<S extends z.ZodType>(call: LakekeeperCall, answerSchema: S): Promise<z.output<S>> {
        const answer = await this.send(call);
        const parsed = answerSchema.safeParse(answer.json);
        if (parsed.success) return parsed.data;
        throw new ApiError({
            system: "Lakekeeper",
            action: call.action,
            target: `${call.method} ${this.url}${call.path}`,
            status: answer.status,
            serverMessage: `the answer has another form than Lakekeeper's: ${this.#oddity(answer, parsed.error)}`,
            ambiguous: call.method !== "GET",
            hint: `what answers at ${this.url} is no Lakekeeper server, or a newer one than this library knows: check connection.url`,
        });
    }

    /** A text of the server without what was sent in secret. */
    redacted(text: string): string {
        return redact(text, [...this.#seen]);
    }

    /** Makes a call whose answer does not matter, or has no body. */
    async send(call: LakekeeperCall): Promise<HttpAnswer> {
        const { project, credential, secrets = [], ...plain } = call;
        for (const secret of secrets) this.#seen.add(secret);
        const request: HttpCall = {
            ...plain,
            headers: { ...plain.headers, ...(project ? { "x-project-id": project } : {}) },
            // What is tried again is decided here: see `pauseAfter`.
            retryStatuses: [],
            ...(credential ? { lane: credentialLane } : {}),
        };
        for (let attempt = 0; ; attempt++) {
            const left = Math.max(this.#graceSeconds, (this.#until - Date.now()) / 1000);
            const deadlineSeconds = Math.ceil(Math.min(left, plain.deadlineSeconds ?? left));
            try {
                return await this.#authorized({ ...request, deadlineSeconds });
            } catch (error) {
                const pause = pauseAfter(error, attempt, plain);
                if (pause === undefined || Date.now() + pause > this.#until) throw error;
                await sleep(pause);
            }
        }
    }

    /** What is odd about an answer that does not fit. */
    #oddity({ text, json }: HttpAnswer, { issues }: z.ZodError): string {
        if (json !== undefined) {
            const told = issues.map(({ path, message }) =>
                [path.join("."), message].filter((part) => part).join(": "),
            );
            return this.redacted(told.join("; "));
        }
        return text.trim() === ""
            ? "it is empty"
            : `it is no JSON: ${this.redacted(text).trim().slice(0, 100)}`;
    }

    /** A token can end, or be taken back, before its time: when another one can be got, the call is made with that. */
    async #authorized(call: HttpCall): Promise<HttpAnswer> {
        const token = await this.#token();
        try {
            return await this.#http.call(this.#withToken(call, token));
        } catch (error) {
            if (!hasStatus(error, 401)) throw error;
            const other = await this.#token(token);
            if (other === token) throw error;
            return this.#http.call(this.#withToken(call, other));
        }
    }

    #withToken(call: HttpCall, token: string | undefined): HttpCall {
        if (!token) return call;
        this.#seen.add(token);
        return { ...call, headers: { ...call.headers, authorization: `Bearer ${token}` } };
    }
}

/** True for the 404 of an object, in difference to a path that the server does not know. */
export function isNotFound(error: unknown): boolean {
    return hasStatus(error, 404) && error.type !== undefined;
}

/** True when the server may have done the work although no good answer came. */
export function isAmbiguous(error: unknown): error is ApiError {
    return error instanceof ApiError && error.ambiguous;
}

/** True for an error of one of these types. */
export function hasType(error: unknown, ...types: string[]): error is ApiError {
    return error instanceof ApiError && error.type !== undefined && types.includes(error.type);
}

/**
 * Makes a change that says how things shall be, so that making it twice does no harm: it is repeated when its outcome
 * is not known.
 */
export async function repeated<T>(change: () => Promise<T>): Promise<T> {
    try {
        return await change();
    } catch (error) {
        // A 503 with this text is a name clash, not an outage.
        const clash = error instanceof ApiError && error.serverMessage.includes("duplicate key value");
        if (!isAmbiguous(error) || clash) throw error;
        return change();
    }
}

/** Milliseconds before each further attempt. */
const pauses = [500, 1000, 2000, 4000, 8000];
const shortPauses = [250, 500, 1000, 2000];

/**
 * How many milliseconds to wait before a call is made again; undefined when its failure is final. Nothing that is made
 * again has left anything behind: the server was too busy (429), refuses all changes (maintenance, or a 503 that says
 * when to come back), or has rolled its transaction back. A change's other 503 is final, since a name that is taken is
 * one (0.13.3 observed).
 */
function pauseAfter(error: unknown, attempt: number, call: LakekeeperCall): number | undefined {
    if (!(error instanceof ApiError)) return undefined;
    const asked = error.retryAfterSeconds;
    const later = error.status === 503 && (asked !== undefined || hasType(error, "MaintenanceModeError"));
    if (error.status === 429 || later) {
        return asked === undefined ? (pauses[attempt] ?? 8000) : Math.max(250, asked * 1000);
    }
    if (hasType(error, "SecretCreateError", "DatabaseError")) return pauses[attempt];
    const isRead = call.method === "GET" && call.retryStatuses === undefined;
    return isRead && hasStatus(error, 408, 500, 502, 503, 504) ? shortPauses[attempt] : undefined;
}

const errorBody = z.object({
    error: z.object({ message: z.string(), type: z.string(), stack: z.array(z.string()).default([]) }),
});

/** JSON errors carry an error id at the end of their stack; a proxy in between, and the web framework, send text. */
function readError(answer: HttpAnswer): { type?: string; message?: string; requestId?: string } {
    const parsed = errorBody.safeParse(answer.json);
    if (!parsed.success) {
        const html = /^\s*<(!doctype|html)/i.test(answer.text);
        return { message: html ? "an HTML page, as a proxy in between sends it" : answer.text.trim() };
    }
    const { message, type, stack } = parsed.data.error;
    const id = stack.map((entry) => /^Error ID: (.+)$/.exec(entry)?.[1]).find((found) => found !== undefined);
    // Only the entries that say something new; the others name the function that failed.
    const details = stack.filter((entry) => /^(Unfinished tasks|Contains \d)/.test(entry));
    return { type, message: [message, ...details].join(" "), requestId: id };
}
