import type { Readable } from "node:stream";
import { getCACertificates } from "node:tls";
import type { Dispatcher, EnvHttpProxyAgent } from "undici";
import { ApiError } from "./api-error.ts";
import { brokenHint, connectionHint, redirectHint } from "./reach-hints.ts";
import { redact } from "./redact.ts";

/** How one API is called. One client for each connection; sockets and limits are shared in the process. */
export interface HttpClientOptions {
    /** The system's name in errors, for example "Lakekeeper". */
    system: string;
    /** Base URL; paths are appended to it. */
    baseUrl: string;
    /** Headers of each call, for example the bearer token; asked anew for each call. */
    headers?: () => Record<string, string>;
    /** Values that must never appear in an error. */
    secrets?: () => (string | undefined)[];
    /** Certificate of an authority that is trusted besides the well-known ones, as PEM text. */
    caCertificate?: string;
    /** Reads the API's own error out of an answer. Default: `message`, `error.message`, else the text. */
    readError?: (answer: HttpAnswer) => { type?: string; message?: string; requestId?: string };
    /** How much of the server's message an error shows, in characters. Default: all of it, and 500 of an answer without one. */
    longestMessage?: number;
    /**
     * Where the base URL is reached from here, when it is known to others only. Errors name the base URL.
     */
    route?: () => Promise<HttpRoute>;
    /** What to do about an error, when it is known. */
    hint?: (error: { status?: number; type?: string; message: string }) => string | undefined;
}

/** A detour to an API. */
export interface HttpRoute {
    /** Takes the requests in the place of the base URL's origin. */
    origin: string;
    /** Why the last connection was broken off on the way, told once. */
    takeFault(): Error | undefined;
}

export interface HttpCall {
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    path: string;
    query?: Record<string, string | number | boolean | undefined>;
    /** Sent as JSON. */
    json?: unknown;
    /** Sent as it is; never repeated by a retry, since it can be read once. */
    body?: Readable | Buffer;
    headers?: Record<string, string>;
    /** What the call does, for the error: "create warehouse 'fluss'". */
    action: string;
    /** Seconds for the whole call with its retries. Default 60. */
    deadlineSeconds?: number;
    /** Statuses that mean "again, later" for this call. Default: 429, and for GET also 408, 500, 502, 503, 504. */
    retryStatuses?: number[];
    /**
     * Calls that share a lane share its limit of concurrent requests for each origin. Default lane: 8.
     * A lane is for calls that a server cannot take in parallel.
     */
    lane?: { name: string; limit: number };
}

export interface HttpAnswer {
    status: number;
    headers: Record<string, string | string[] | undefined>;
    text: string;
    /** The parsed body when it is JSON, else undefined. */
    json: unknown;
}

/** An answer whose body is still on its way. */
export interface OpenAnswer extends Pick<HttpAnswer, "status" | "headers"> {
    body: Readable;
    /** For who does not want the body. To destroy it instead would be an error that nobody handles. */
    discard(): Promise<void>;
}

export class HttpClient {
    readonly #options: HttpClientOptions;

    constructor(options: HttpClientOptions) {
        this.#options = options;
    }

    /**
     * Makes one call and returns a 2xx answer.
     * A GET is repeated after network errors and 5xx; anything else only when the server cannot have seen it
     * (connection refused, name not found) or says "429".
     * @throws {ApiError} for any other answer, for a web page whatever its status, and when none came in time
     */
    async call(call: HttpCall): Promise<HttpAnswer> {
        const url = this.#url(call);
        const answer = await this.#send(call, url);
        if (answer.status >= 200 && answer.status < 300 && !isWebPage(answer)) return answer;
        throw this.#failure(call, url, answer);
    }

    /** For answers whose failure hides in a 2xx body: the same error as for a bad status. */
    failure(call: HttpCall, answer: HttpAnswer): ApiError {
        return this.#failure(call, this.#url(call), answer);
    }

    /**
     * Makes one call and hands its answer out before the body is read, whatever the status: for downloads. The caller
     * reads the body to its end or discards it. A redirect is not followed.
     * @throws {ApiError} when no answer came in time; what breaks off later is an error of the body
     */
    async open(call: HttpCall): Promise<OpenAnswer> {
        return this.#reach(call, this.#url(call), async ({ statusCode, headers, body }) => ({
            status: statusCode,
            headers,
            body,
            discard: () => body.dump().catch(() => undefined),
        }));
    }

    async #send(call: HttpCall, url: URL): Promise<HttpAnswer> {
        return this.#reach(call, url, async ({ statusCode, headers, body }) => {
            const text = await body.text();
            return { status: statusCode, headers, text, json: parse(text) };
        });
    }

    async #reach<T>(
        call: HttpCall,
        url: URL,
        take: (response: Dispatcher.ResponseData) => Promise<T>,
    ): Promise<T> {
        const deadline = call.deadlineSeconds ?? 60;
        const route = await this.#options.route?.();
        const reached = route ? new URL(url.pathname + url.search, route.origin) : url;
        // A hundred files, which a preview without a call does not need.
        const undici = await import("undici");
        try {
            const response = await undici.request(reached, {
                method: call.method,
                headers: {
                    accept: "application/json",
                    ...(call.json === undefined ? {} : { "content-type": "application/json" }),
                    ...this.#options.headers?.(),
                    ...call.headers,
                },
                body: call.json === undefined ? (call.body ?? null) : JSON.stringify(call.json),
                dispatcher: dispatcherFor(undici, call, this.#options.caCertificate),
                // Whole milliseconds: what is left of a longer deadline is a fraction.
                signal: AbortSignal.timeout(Math.ceil(deadline * 1000)),
            });
            return await take(response);
        } catch (error) {
            throw this.#noAnswer(call, url, error, deadline, route?.takeFault());
        }
    }

    #url(call: HttpCall): URL {
        // Everybody on the way takes these for steps, and another object would be called.
        if (/\/(\.|%2e){1,2}(\/|$)/i.test(call.path)) {
            throw new ApiError({
                system: this.#options.system,
                action: call.action,
                target: `${call.method} ${this.#options.baseUrl}`,
                serverMessage: `no path can name what is called '.' or '..' (${call.path})`,
                ambiguous: false,
            });
        }
        const url = new URL(this.#options.baseUrl.replace(/\/+$/, "") + call.path);
        for (const [key, value] of Object.entries(call.query ?? {})) {
            if (value !== undefined) url.searchParams.set(key, String(value));
        }
        return url;
    }

    #failure(call: HttpCall, url: URL, answer: HttpAnswer): ApiError {
        const read: { type?: string; message?: string; requestId?: string } =
            this.#options.readError?.(answer) ?? defaultError(answer);
        const page = answer.status < 300 && isWebPage(answer);
        const message = page
            ? `a web page${titleOf(this.#clean(answer.text))} instead of an answer of ${this.#options.system}`
            : shortened(this.#clean(read.message ?? answer.text), this.#longest(read.message));
        const header = answer.headers["x-request-id"];
        const requestId = read.requestId ?? (typeof header === "string" ? header : undefined);
        // Before it is read: a URL is written anew then, and a secret in it another way.
        const location = this.#clean(String(answer.headers["location"] ?? ""));
        return new ApiError({
            system: this.#options.system,
            action: call.action,
            target: `${call.method} ${url.origin}${url.pathname}`,
            status: answer.status,
            type: read.type && this.#clean(read.type),
            serverMessage: message,
            requestId: requestId && this.#clean(requestId),
            ambiguous: page || answer.status === 408 || answer.status >= 500,
            retryAfterSeconds: retryAfter(answer.headers["retry-after"]),
            hint:
                redirectHint(answer.status, location, url) ??
                (isWebPage(answer) && read.type === undefined ? pageHint(url.origin) : undefined) ??
                this.#options.hint?.({ status: answer.status, type: read.type, message }) ??
                commonHint(this.#options.system, answer.status),
        });
    }

    #noAnswer(call: HttpCall, url: URL, error: unknown, deadline: number, onTheWay?: Error): ApiError {
        const cause = rootCause(error);
        const timedOut = cause.name === "TimeoutError" || cause.name === "AbortError";
        const tls = connectionHint(cause.code, url.origin);
        const notSent = tls !== undefined || neverReached.includes(cause.code ?? "");
        // Refused on the way: nothing was sent, and waiting changes nothing.
        const refused = onTheWay instanceof ApiError && onTheWay.status !== undefined ? onTheWay : undefined;
        return new ApiError({
            system: this.#options.system,
            action: call.action,
            target: `${call.method} ${url.origin}${url.pathname}`,
            type: timedOut ? "deadline" : (refused?.type ?? cause.code),
            serverMessage: timedOut
                ? `no answer within ${deadline} s`
                : onTheWay
                  ? this.#clean(onTheWay.message)
                  : firstLine(this.#clean(cause.message)),
            ambiguous: !notSent && !refused,
            hint: notSent
                ? (tls ??
                  this.#options.hint?.({ type: cause.code, message: cause.message }) ??
                  `check that ${this.#options.system} runs and is reachable at ${url.origin} from here`)
                : onTheWay
                  ? undefined
                  : brokenHint(cause, url.origin),
        });
    }

    /** A text is cut after the secrets are out: a half would not be found any more. */
    #longest(message: string | undefined): number {
        return this.#options.longestMessage ?? (message === undefined ? 500 : Number.POSITIVE_INFINITY);
    }

    #clean(text: string): string {
        return redact(text, this.#options.secrets?.());
    }
}

/** Network errors after which the server cannot have seen the request. */
export const neverReached = [
    "ECONNREFUSED",
    "ENOTFOUND",
    "EAI_AGAIN",
    "ENETUNREACH",
    "EHOSTUNREACH",
    "UND_ERR_CONNECT_TIMEOUT",
];
/** Network errors of a connection that ended before the whole answer was there. */
export const brokenOff = ["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET"];

// A proxy is taken from HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as everywhere; never for this machine itself.
// Pulumi starts all creates of a stack at once, in one process: the agents, and with them the limits, are shared.
const agents = new Map<string, EnvHttpProxyAgent>();
const dispatchers = new Map<string, Dispatcher>();

function dispatcherFor(
    { EnvHttpProxyAgent: Agent, interceptors }: typeof import("undici"),
    call: HttpCall,
    ca: string | undefined,
): Dispatcher {
    const lane = call.lane ?? { name: "default", limit: 8 };
    const statuses = call.retryStatuses ?? (call.method === "GET" ? [408, 429, 500, 502, 503, 504] : [429]);
    const key = JSON.stringify([lane.name, call.method, statuses, ca]);
    const known = dispatchers.get(key);
    if (known) return known;
    const agentKey = JSON.stringify([lane.name, ca]);
    // The defaults hold NODE_EXTRA_CA_CERTS and, where Node is told to, the system's; a list of one's own replaces them.
    const trusted = ca === undefined ? {} : { ca: [...getCACertificates("default"), ca] };
    const agent =
        agents.get(agentKey) ??
        new Agent({
            connections: lane.limit,
            pipelining: 1,
            connect: trusted,
            requestTls: trusted,
            noProxy: [
                process.env["no_proxy"] ?? process.env["NO_PROXY"] ?? "",
                "localhost,127.0.0.1,[::1]",
            ].join(),
        });
    agents.set(agentKey, agent);
    const retrying = agent.compose(
        interceptors.retry({
            maxRetries: 4,
            minTimeout: 250,
            maxTimeout: 5000,
            methods: [call.method],
            statusCodes: statuses,
            errorCodes: call.method === "GET" ? [...neverReached, ...brokenOff] : neverReached,
            throwOnError: false,
        }),
    );
    dispatchers.set(key, retrying);
    return retrying;
}

/** The header `Retry-After` holds seconds or a date; anything else is as good as none. */
function retryAfter(header: string | string[] | undefined): number | undefined {
    if (typeof header !== "string") return undefined;
    if (/^\d+$/.test(header)) return Number(header);
    const date = Date.parse(header);
    return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}

/** OpenSSL ends its messages with a line break. */
function firstLine(text: string): string {
    return text.trim().split("\n")[0] ?? "";
}

function shortened(text: string, longest: number): string {
    return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

function parse(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}

function defaultError(answer: HttpAnswer): { type?: string; message?: string } {
    const body = answer.json as { message?: unknown; error?: unknown } | undefined;
    const nested = body?.error as { message?: unknown; type?: unknown } | string | undefined;
    if (typeof nested === "string") return { message: nested };
    const message = nested?.message ?? body?.message;
    const type = nested?.type;
    return {
        ...(typeof type === "string" ? { type } : {}),
        ...(typeof message === "string" ? { message } : {}),
    };
}

/** A login page or a gateway's own page: no API that is called here answers with one. Without a text it is none. */
function isWebPage(answer: HttpAnswer): boolean {
    return answer.text !== "" && /^text\/html\b/i.test(String(answer.headers["content-type"] ?? ""));
}

function titleOf(html: string): string {
    const title = /<(title|h1)[^>]*>([^<]{1,100})/i.exec(html)?.[2]?.trim();
    return title ? ` ("${title}")` : "";
}

function pageHint(origin: string): string {
    return `something between here and the server answers at ${origin}, a gateway or a login page: check the URL and the proxy`;
}

function commonHint(system: string, status: number): string | undefined {
    if (status === 401) return `check the token for ${system}: it is missing, wrong or expired`;
    if (status === 403)
        return `the token's role does not allow this in ${system}; give it the rights or use another token`;
    return undefined;
}

function rootCause(error: unknown): { name: string; message: string; code?: string } {
    let current = error as { name?: string; message?: string; code?: string; cause?: unknown };
    while (current?.cause && current.code === undefined) current = current.cause as typeof current;
    return {
        name: current?.name ?? "Error",
        message: current?.message ?? String(error),
        code: current?.code,
    };
}
