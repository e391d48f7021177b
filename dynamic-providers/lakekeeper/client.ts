import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { ApiError, hasStatus } from "../http/api-error.ts";
import { type HttpAnswer, type HttpCall, HttpClient } from "../http/client.ts";
import type { Context } from "../resource.ts";
import { bearerToken, type LakekeeperConnection } from "./connection.ts";
import { hintFor } from "./hints.ts";

/** What a call of the management or catalog API is; `project` selects the project by header. */
export type LakekeeperCall = HttpCall & {
    project?: string;
    /** The call carries a storage credential: see {@link credentialLane}. */
    credential?: boolean;
};

/**
 * More than four calls with a credential at once block the server's database pool until they fail (0.13.3 observed),
 * and Pulumi starts sixteen. The lane holds for all warehouses of a server.
 */
const credentialLane = { name: "lakekeeper-credential", limit: 3 };

/** Calls wait in their lane, and a server that tries a slow storage takes up to 30 s for each. */
const credentialDeadlineSeconds = 600;

/** Calls of one server. */
export class LakekeeperClient {
    readonly url: string;
    readonly #http: HttpClient;
    readonly #token: (refused?: string) => Promise<string | undefined>;
    /** Tokens that were used, which no error may show. */
    readonly #seen = new Set<string>();

    constructor(connection: LakekeeperConnection, context: Context) {
        this.url = connection.url.replace(/\/+$/, "");
        this.#token = (refused) => bearerToken(connection, context, refused);
        this.#http = new HttpClient({
            system: "Lakekeeper",
            baseUrl: this.url,
            secrets: () => [...this.#seen],
            readError,
            hint: hintFor,
        });
    }

    /**
     * Makes a call and reads its answer. A failure that is known to pass and to leave nothing behind is tried again:
     * a blocked database pool, and maintenance.
     * @throws {ApiError} for a bad status, or an answer of another form
     */
    async call<S extends z.ZodType>(call: LakekeeperCall, answerSchema: S): Promise<z.output<S>> {
        const answer = await this.send(call);
        const parsed = answerSchema.safeParse(answer.json);
        if (parsed.success) return parsed.data;
        const wrong = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
        throw new ApiError({
            system: "Lakekeeper",
            action: call.action,
            target: `${call.method} ${this.url}${call.path}`,
            status: answer.status,
            serverMessage: `the answer has another form than Lakekeeper's: ${wrong.join("; ")}`,
            ambiguous: call.method !== "GET",
        });
    }

    /** Makes a call whose answer does not matter, or has no body. */
    async send(call: LakekeeperCall): Promise<HttpAnswer> {
        const { project, credential, ...plain } = call;
        const request: HttpCall = {
            ...plain,
            headers: { ...plain.headers, ...(project ? { "x-project-id": project } : {}) },
            ...(credential ? { lane: credentialLane, deadlineSeconds: credentialDeadlineSeconds } : {}),
        };
        for (const pause of pauses) {
            try {
                return await this.#authorized(request);
            } catch (error) {
                if (!passes(error)) throw error;
                await sleep(pause);
            }
        }
        return this.#authorized(request);
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

const pauses = [500, 1000, 2000, 4000, 8000];

function passes(error: unknown): boolean {
    return hasType(error, "SecretCreateError", "DatabaseError", "MaintenanceModeError");
}

const errorBody = z.object({
    error: z.object({ message: z.string(), type: z.string(), stack: z.array(z.string()).default([]) }),
});

/** JSON errors carry an error id at the end of their stack; a proxy in between, and the web framework, send text. */
function readError(answer: HttpAnswer): { type?: string; message?: string; requestId?: string } {
    const parsed = errorBody.safeParse(answer.json);
    if (!parsed.success) {
        const html = /^\s*<(!doctype|html)/i.test(answer.text);
        return {
            message: shortened(html ? "an HTML page, as a proxy in between sends it" : answer.text.trim()),
        };
    }
    const { message, type, stack } = parsed.data.error;
    const id = stack.map((entry) => /^Error ID: (.+)$/.exec(entry)?.[1]).find((found) => found !== undefined);
    // Only the entries that say something new; the others name the function that failed.
    const details = stack.filter((entry) => /^(Unfinished tasks|Contains \d)/.test(entry));
    return { type, message: shortened([message, ...details].join(" ")), requestId: id };
}

/** A failed AssumeRole carries a dump of 1.5 kB. */
function shortened(text: string): string {
    return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
