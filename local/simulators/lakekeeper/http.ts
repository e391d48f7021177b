import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { Faults } from "../shared/index.ts";
import { type Answer, Refusal, refuseText } from "./answers.ts";
import { uuidFault, uuidv7 } from "./ids.ts";

/** A request as the handlers see it. */
export interface Request {
    params: Record<string, string>;
    query: URLSearchParams;
    headers: IncomingHttpHeaders;
    body: string;
    /** Id of the user behind the token; undefined when authentication is off. */
    caller: string | undefined;
}

export interface Route {
    method: "GET" | "POST" | "PUT" | "DELETE";
    /** `{name}` stands for one part of the path; `{warehouse_id}` must be a UUID. */
    path: string;
    /** The name in Lakekeeper's OpenAPI document, by which tests order faults. */
    operationId: string;
    handle: (request: Request) => Answer | Promise<Answer>;
}

export interface LoggedRequest {
    method: string;
    path: string;
    operationId: string;
    status: number;
}

/** A call with its answer. */
export interface Exchange {
    method: string;
    path: string;
    operationId: string;
    query: URLSearchParams;
    body: string;
    status: number;
    json: unknown;
}

export interface ServerOptions {
    port: number;
    routes: Route[];
    /**
     * Asked before anything else.
     * @returns the id of the caller, if there is one
     * @throws {Refusal} when the caller may not go on
     */
    authorize: (path: string, headers: IncomingHttpHeaders) => string | undefined;
    /** @throws {Refusal} when nothing of this kind is done now; asked after `authorize`. */
    gate?: (method: string, path: string, headers: IncomingHttpHeaders) => void;
    /** Told of each call that a route has answered, for example to hold it against the API's description. */
    onExchange?: (exchange: Exchange) => void;
    /** Told of each request after its answer, for example to print it. */
    onRequest?: (request: LoggedRequest) => void;
    /** Takes requests that have no route; resolves to false to leave them. */
    fallback: (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<boolean>;
}

export interface RunningServer {
    url: string;
    /** All requests so far. A lost answer has status 0. */
    requests: readonly LoggedRequest[];
    faults: Faults;
    close: () => Promise<void>;
}

const bodyLimit = 32 * 1024 * 1024;
/** A shorter answer is never compressed. */
const smallestCompressed = 32;

/**
 * An HTTP server on loopback that answers like the real one's framework does: 404 and 405 without a body, plain
 * text for what the framework refuses, `x-request-id` on each answer, HEAD for each GET.
 * @throws {Error} when the port is taken
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
    const requests: LoggedRequest[] = [];
    const faults = new Faults();
    const table = options.routes.map((route) => ({ ...route, pattern: pattern(route.path) }));

    const handle = async (request: IncomingMessage, response: ServerResponse): Promise<LoggedRequest> => {
        // Not relative to a base: there `//host/path` would be another host.
        const url = new URL(`http://127.0.0.1${request.url ?? "/"}`);
        const method = request.method === "HEAD" ? "GET" : request.method;
        const logged: LoggedRequest = {
            method: request.method ?? "",
            path: url.pathname,
            operationId: "",
            status: 0,
        };
        requests.push(logged);
        const requestId = request.headers["x-request-id"];
        response.setHeader("x-request-id", typeof requestId === "string" ? requestId : uuidv7());
        try {
            const caller = options.authorize(url.pathname, request.headers);
            options.gate?.(request.method ?? "", url.pathname, request.headers);
            const known = table.filter((route) => route.pattern.test(url.pathname));
            const route = known.find((candidate) => candidate.method === method);
            logged.operationId = route?.operationId ?? "";
            if (!route) {
                if (known.length === 0 && (await options.fallback(request, response, url))) {
                    logged.operationId = "catalog";
                    logged.status = response.statusCode;
                    return logged;
                }
                const methods = known.flatMap((one) =>
                    one.method === "GET" ? ["GET", "HEAD"] : [one.method],
                );
                const headers = { allow: methods.join(",") };
                throw new Refusal(known.length > 0 ? { status: 405, headers } : { status: 404 });
            }
            const params = readParams(route.pattern, url.pathname);
            const body = await readBody(request);
            const trouble = faults.take(route.operationId);
            if (trouble.delayMilliseconds > 0) await sleep(trouble.delayMilliseconds);
            const work = async () =>
                route.handle({ params, query: url.searchParams, headers: request.headers, body, caller });
            const answer = trouble.answer ? ordered(trouble.answer) : await answered(work);
            if (!trouble.answer) {
                const { method: verb = "" } = request;
                const { status, json } = answer;
                const { pathname: path, searchParams: query } = url;
                const { operationId } = route;
                options.onExchange?.({ method: verb, path, operationId, query, body, status, json });
            }
            if (trouble.loseAnswer) {
                request.socket.destroy();
                return logged;
            }
            const told = trouble.instead ? ordered(trouble.instead) : answer;
            logged.status = told.status;
            send(request, response, told);
        } catch (error) {
            const answer = error instanceof Refusal ? error.answer : crash(error);
            logged.status = answer.status;
            send(request, response, answer);
        }
        return logged;
    };

    const server = createServer((request, response) => {
        void handle(request, response).then((logged) => options.onRequest?.(logged));
    });
    await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(options.port, "127.0.0.1", resolve);
    });
    return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        requests,
        faults,
        close: () =>
            new Promise((resolve) => {
                server.close(() => resolve());
                server.closeAllConnections();
            }),
    };
}

function pattern(path: string): RegExp {
    return new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
}

function readParams(path: RegExp, text: string): Record<string, string> {
    const params: Record<string, string> = {};
    for (const [name, value] of Object.entries(path.exec(text)?.groups ?? {})) {
        params[name] = decodeURIComponent(value);
        const fault = name === "warehouse_id" ? uuidFault(params[name]) : undefined;
        if (fault) {
            throw refuseText(
                400,
                `Invalid URL: Cannot parse \`${name}\` with value \`${params[name]}\`: ${fault}`,
            );
        }
    }
    return params;
}

async function readBody(request: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of request) {
        size += (chunk as Buffer).length;
        if (size > bodyLimit) {
            const text = "Failed to buffer the request body: length limit exceeded";
            // The rest of the body is not read, so the connection cannot be used again.
            throw new Refusal({ status: 413, text, headers: { connection: "close" } });
        }
        chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks).toString("utf8");
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
    if (response.headersSent) {
        response.destroy();
        return;
    }
    for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
    const text = answer.json === undefined ? answer.text : JSON.stringify(answer.json);
    if (text !== undefined) {
        response.setHeader(
            "content-type",
            answer.json === undefined ? "text/plain; charset=utf-8" : "application/json",
        );
    }
    const small = text === undefined || text.length < smallestCompressed;
    if (!small) response.setHeader("vary", "accept-encoding");
    const zipped = !small && /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
    if (zipped) response.setHeader("content-encoding", "gzip");
    response.writeHead(answer.status);
    if (request.method === "HEAD") response.end();
    else response.end(zipped ? gzipSync(text) : text);
}

/** The answer of a handler, a refusal too. */
async function answered(work: () => Promise<Answer>): Promise<Answer> {
    try {
        return await work();
    } catch (error) {
        if (error instanceof Refusal) return error.answer;
        throw error;
    }
}

/** A failure that a test ordered: a text stays a text, anything else is JSON. */
function ordered(failure: { status: number; body: unknown }): Answer {
    const { status, body } = failure;
    if (typeof body === "string") return { status, text: body };
    return body === undefined ? { status } : { status, json: body };
}

function crash(error: unknown): Answer {
    console.error("The simulated Lakekeeper failed:", error);
    return { status: 500, text: "The simulated Lakekeeper failed; see its log." };
}
