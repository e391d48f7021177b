import { Agent, type FormData, request } from "undici";
import type { z } from "zod";
import { redact } from "../services/redact.ts";
import { FlinkError, innermostCause } from "./failure.ts";

/** How the clients of Flink and of its SQL gateway behave. */
export interface ClientOptions {
    /** Seconds that one request may take; default 30. */
    deadlineSeconds?: number;
    /** Secret values that must not show up in errors; values behind telling names are hidden anyway. */
    secrets?: () => readonly string[];
}

/** One request: JSON unless `form` is given. */
export interface Call {
    /** What is being done, for an error: "Flink could not cancel job 1f3a". */
    attempt: string;
    body?: unknown;
    form?: FormData;
    deadlineSeconds?: number;
}

/** JSON over HTTP with a deadline, one connection a request; never repeats a request by itself. */
export class RestClient {
    readonly url: string;
    readonly #deadlineSeconds: number;
    readonly #secrets: () => readonly string[];

    constructor(url: string, options: ClientOptions = {}) {
        this.url = url.replace(/\/+$/, "");
        this.#deadlineSeconds = options.deadlineSeconds ?? 30;
        this.#secrets = options.secrets ?? (() => []);
    }

    /** @throws FlinkError with the innermost cause when the answer is not 2xx, not as expected, or not there in time */
    async call<S extends z.ZodType>(
        method: "GET" | "POST" | "PATCH" | "DELETE",
        path: string,
        schema: S,
        call: Call,
    ) {
        const attempt = `${call.attempt} at ${this.url}`;
        const { status, text } = await this.#send(method, path, call, attempt);
        if (status < 200 || status > 299) {
            const cause = innermostCause(errorText(text));
            throw this.failure(attempt, { status, ...cause });
        }
        const parsed = schema.safeParse(text === "" ? {} : parseJson(text));
        if (parsed.success) return parsed.data as z.infer<S>;
        const reason = `the answer is not as expected: ${parsed.error.issues.map(({ path: at, message }) => `${at.join(".")} ${message}`).join("; ")}`;
        throw this.failure(attempt, { status, type: "", reason });
    }

    /** An error whose texts hold no secret. */
    failure(attempt: string, failure: { status: number; type: string; reason: string }): FlinkError {
        return new FlinkError(this.clean(attempt), { ...failure, reason: this.clean(failure.reason) });
    }

    /** The text without secrets. */
    clean(text: string): string {
        return redact(text, this.#secrets());
    }

    async #send(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, call: Call, attempt: string) {
        const seconds = call.deadlineSeconds ?? this.#deadlineSeconds;
        const json = call.body === undefined ? undefined : JSON.stringify(call.body);
        try {
            const answer = await request(this.url + path, {
                method,
                body: call.form ?? json,
                headers: json === undefined ? {} : { "content-type": "application/json" },
                dispatcher: oneShot,
                signal: AbortSignal.timeout(seconds * 1000),
                headersTimeout: 0,
                bodyTimeout: 0,
            });
            return { status: answer.statusCode, text: await answer.body.text() };
        } catch (error) {
            const reason =
                error instanceof Error && error.name === "TimeoutError"
                    ? `no answer within ${seconds} s`
                    : error instanceof Error
                      ? error.message || error.name
                      : String(error);
            throw this.failure(attempt, { status: 0, type: "", reason });
        }
    }
}

/** A kept connection may be closed by the server at the very moment of the next request. */
const oneShot = new Agent({ pipelining: 0 });

/** Both servers answer `{"errors": [...]}`, of which the last is the most precise. */
function errorText(text: string): string {
    const body = parseJson(text);
    if (typeof body !== "object" || body === null || !("errors" in body) || !Array.isArray(body.errors))
        return text;
    return body.errors.map(String).at(-1) ?? text;
}

function parseJson(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}
