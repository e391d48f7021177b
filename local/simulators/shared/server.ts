import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Contract, type ContractSource, type Operation } from "./contract.ts";
import { Faults } from "./faults.ts";

/** One request as a handler sees it. */
export interface Call {
    operationId: string;
    method: string;
    /** Path without the query. */
    path: string;
    params: Record<string, string>;
    query: URLSearchParams;
    headers: IncomingHttpHeaders;
    /** Parsed JSON (or form fields) that fits the contract; `undefined` when the operation takes no body or a stream. */
    body: unknown;
    /** The raw request: read by handlers of operations that take bytes. */
    stream: Readable;
}

/** What a handler answers. `body` is sent as JSON; `stream` sends bytes; neither sends an empty body. */
export interface Answer {
    status: number;
    body?: unknown;
    stream?: Readable;
    headers?: Record<string, string>;
}

/** Serves one operation of the contract. */
export type Handler = (call: Call) => Answer | Promise<Answer>;

/** Thrown by a handler to answer an error; `body` as the API writes errors, else made by the server's `problem`. */
export class Refusal extends Error {
    readonly status: number;
    readonly body: unknown;

    constructor(status: number, message: string, body?: unknown) {
        super(message);
        this.status = status;
        this.body = body;
    }
}

/** One line of the request log: no query, no body, no header. `status` 0 means that the answer was lost on purpose. */
export interface LoggedRequest {
    method: string;
    path: string;
    /** Empty when no operation of the contract fits. */
    operationId: string;
    status: number;
}

/** How a contract server is made. */
export interface ContractServerOptions {
    /** Name for messages, e.g. `the simulated VVP`. */
    name: string;
    /** Port on 127.0.0.1; 0 takes a free one. */
    port: number;
    contracts: ContractSource[];
    /** operationId -> handler. An operation without one answers 501; a handler without an operation is refused at start. */
    handlers: Record<string, Handler>;
    /** Runs before anything else is looked at; throw a `Refusal` to turn the request away (token, namespace). */
    authorize?: (call: Omit<Call, "body">) => void;
    /** An error as this API writes it; `operationId` is undefined when no operation fits. Default `{message}`. */
    problem?: (operationId: string | undefined, status: number, message: string, path: string) => unknown;
    /** Serves paths outside the contract (a proxy): true when it took the request and will end the response. */
    passThrough?: (request: IncomingMessage, response: ServerResponse) => boolean;
    /** Called after each request, e.g. to print it. */
    onRequest?: (request: LoggedRequest & { milliseconds: number }) => void;
    /** Where violations and crashes are told; default standard error. */
    report?: (line: string) => void;
}

/** A running contract server. */
export interface ContractServer {
    /** `http://127.0.0.1:<port>`, without a slash at the end. */
    url: string;
    requests: readonly LoggedRequest[];
    faults: Faults;
    /** Answers of ours that broke the contract, and crashes of handlers: a test ends with this empty. */
    violations: readonly string[];
    close(): Promise<void>;
}

/**
 * Starts a server on 127.0.0.1 whose routes are the operations of OpenAPI documents. Each request body is checked before
 * its handler (400 with every fault), each answer after it: an answer that breaks the contract is replaced by 500 and
 * reported, so that a test fails instead of learning a wrong API. Throws when the port is taken or a handler has no operation.
 */
export async function startContractServer(options: ContractServerOptions): Promise<ContractServer> {
    const contract = new Contract(options.contracts);
    const known = new Set(contract.operationIds);
    const stray = Object.keys(options.handlers).filter((id) => !known.has(id));
    if (stray.length > 0) {
        throw new Error(`${options.name}: no operation in its contract for ${stray.join(", ")}`);
    }
    const requests: LoggedRequest[] = [];
    const violations: string[] = [];
    const faults = new Faults();
    const report = options.report ?? ((line: string) => console.error(line));
    const problem = options.problem ?? ((_id, _status, message) => ({ message }));

    const blame = (line: string) => {
        violations.push(line);
        report(`${options.name}: ${line}`);
    };

    const answer = async (request: IncomingMessage, url: URL, found: Operation, lost: { value: boolean }) => {
        const { operationId } = found;
        const call = {
            operationId,
            method: request.method ?? "GET",
            path: url.pathname,
            params: found.params,
            query: url.searchParams,
            headers: request.headers,
            stream: request,
        };
        try {
            options.authorize?.(call);
            const read = await readBody(request, found.bodyKind);
            const wrong = read.fault
                ? [read.fault]
                : contract.checkRequest(operationId, url.searchParams, read.body);
            if (wrong.length > 0) {
                // Not a mistake of the simulator: sent also when the contract lists no 400.
                const message = `the request does not fit the contract of ${operationId}: ${wrong.join("; ")}`;
                return { status: 400, body: problem(operationId, 400, message, call.path) };
            }
            const trouble = faults.take(operationId);
            if (trouble.delayMilliseconds > 0) await sleep(trouble.delayMilliseconds);
            // An ordered failure may be one that the contract does not know: it is sent as it is.
            if (trouble.answer) return trouble.answer;
            const handler = options.handlers[operationId];
            if (!handler)
                return {
                    status: 501,
                    body: problem(
                        operationId,
                        501,
                        `${options.name} does not serve ${operationId}`,
                        call.path,
                    ),
                };
            lost.value = trouble.loseAnswer;
            const reply = checked(
                contract,
                call,
                await handler({ ...call, body: read.body }),
                blame,
                problem,
            );
            return trouble.instead ?? reply;
        } catch (error) {
            if (error instanceof Refusal) {
                const body = error.body ?? problem(operationId, error.status, error.message, call.path);
                return checked(contract, call, { status: error.status, body }, blame, problem);
            }
            // The client broke off while it was sending: nobody reads this answer.
            if (request.errored) return { status: 400 };
            const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
            blame(`${operationId} failed: ${message}`);
            return {
                status: 500,
                body: problem(
                    operationId,
                    500,
                    `${options.name} failed in ${operationId}; see its log`,
                    call.path,
                ),
            };
        }
    };

    const serve = async (request: IncomingMessage, response: ServerResponse) => {
        const started = performance.now();
        const url = new URL(request.url ?? "/", "http://127.0.0.1");
        const method = request.method ?? "GET";
        const found = contract.match(method, url.pathname);
        const lost = { value: false };
        const operationId = typeof found === "object" ? found.operationId : "";
        const log = (status: number) => {
            const line = { method, path: url.pathname, operationId, status };
            requests.push(line);
            options.onRequest?.({ ...line, milliseconds: Math.round(performance.now() - started) });
        };
        if (typeof found !== "object" && options.passThrough?.(request, response)) {
            response.once("close", () => log(response.statusCode));
            return;
        }
        let reply: Answer;
        if (typeof found === "object") reply = await answer(request, url, found, lost);
        else {
            const status = found === "method" ? 405 : 404;
            reply = {
                status,
                body: problem(
                    undefined,
                    status,
                    `${method} ${url.pathname} is not served here`,
                    url.pathname,
                ),
            };
        }
        if (!request.readableEnded) request.resume();
        log(lost.value ? 0 : reply.status);
        if (lost.value) {
            reply.stream?.destroy();
            request.socket.destroy();
            return;
        }
        await send(response, reply);
    };

    const server = createServer((request, response) => {
        serve(request, response).catch((error: unknown) => {
            // The client went away in the middle of a stream, most of the time.
            report(`${options.name}: ${request.method} failed while it was answered: ${String(error)}`);
            response.destroy();
        });
    });
    await new Promise<void>((resolve, reject) => {
        server.once("error", (error: NodeJS.ErrnoException) => {
            const why =
                error.code === "EADDRINUSE"
                    ? "the port is in use; stop what uses it or choose another"
                    : error.message;
            reject(new Error(`${options.name} cannot listen on 127.0.0.1:${options.port}: ${why}`));
        });
        server.listen(options.port, "127.0.0.1", resolve);
    });
    return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        requests,
        faults,
        violations,
        close: () =>
            new Promise<void>((resolve) => {
                server.close(() => resolve());
                server.closeAllConnections();
            }),
    };
}

const LARGEST_BODY = 8 * 1024 * 1024;

function checked(
    contract: Contract,
    call: Omit<Call, "body">,
    reply: Answer,
    blame: (line: string) => void,
    problem: NonNullable<ContractServerOptions["problem"]>,
): Answer {
    // What goes over the wire is judged: `undefined` members and dates are gone by then.
    const body = reply.body === undefined ? undefined : (JSON.parse(JSON.stringify(reply.body)) as unknown);
    const wrong = contract.checkAnswer(call.operationId, reply.status, body);
    if (wrong.length === 0) return reply;
    blame(`the answer ${reply.status} of ${call.operationId} does not fit the contract: ${wrong.join("; ")}`);
    return {
        status: 500,
        body: problem(
            call.operationId,
            500,
            `the simulator broke the contract of ${call.operationId}: ${wrong.join("; ")}`,
            call.path,
        ),
    };
}

async function readBody(
    request: IncomingMessage,
    kind: Operation["bodyKind"],
): Promise<{ body?: unknown; fault?: string }> {
    if (kind === "none" || kind === "stream") return {};
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of request) {
        size += (chunk as Buffer).length;
        if (size > LARGEST_BODY) return { fault: `the body is larger than ${LARGEST_BODY} bytes` };
        chunks.push(chunk as Buffer);
    }
    const text = Buffer.concat(chunks).toString("utf8");
    if (kind === "form") return { body: Object.fromEntries(new URLSearchParams(text)) };
    if (text === "") return {};
    try {
        return { body: JSON.parse(text) as unknown };
    } catch {
        return { fault: "the body is not JSON" };
    }
}

async function send(response: ServerResponse, reply: Answer): Promise<void> {
    if (reply.stream) {
        response.writeHead(reply.status, { "content-type": "application/octet-stream", ...reply.headers });
        await pipeline(reply.stream, response);
        return;
    }
    if (reply.body === undefined) {
        response.writeHead(reply.status, reply.headers);
        response.end();
        return;
    }
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    response.end(JSON.stringify(reply.body));
}
