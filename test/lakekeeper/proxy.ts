import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { request as send } from "undici";

/** What happens to the next requests that fit, whatever server is behind. */
export interface Trouble {
    method: string;
    path: RegExp;
    /** What else the request must be like, its body known. Default: anything. */
    when?: (request: Logged) => boolean;
    /** How many requests meet it. Default 1. */
    times?: number;
    /**
     * `lose answer`: the server does the work, then the connection is cut. `answer instead`: the server does the work,
     * and something else is answered. `answer`: the server hears nothing. `delay`: the request waits before it is sent.
     * `delay answer`: the server does the work, and its answer waits.
     */
    does: "lose answer" | "answer instead" | "answer" | "delay" | "delay answer";
    status?: number;
    body?: unknown;
    headers?: Record<string, string>;
    milliseconds?: number;
}

/** A request, and what became of it. */
export interface Logged {
    method: string;
    path: string;
    body: string;
    /** What was answered; 0 before that. */
    status: number;
    /** What the server answered, known before anybody else knows it; 0 when it heard nothing. */
    served: number;
}

export interface ServerProxy {
    url: string;
    /** All requests so far, in order of their arrival. */
    log: Logged[];
    /** How many requests so far change something; a trial call (0.14) does not. */
    writes(): number;
    /** Orders trouble. What no request has met is told by `unmet`. */
    order(...troubles: Trouble[]): void;
    unmet(): string[];
    /** Takes back what was ordered and not met. */
    forget(): void;
    close(): Promise<void>;
}

/** Stands between the provider and a server, so that lost answers can be had from a real one too. */
export async function startProxy(target: string): Promise<ServerProxy> {
    const log: ServerProxy["log"] = [];
    let orders: (Trouble & { left: number })[] = [];
    const handle = async (request: IncomingMessage, response: ServerResponse) => {
        const { method = "GET", url = "/" } = request;
        const entry = { method, path: url, body: "", status: 0, served: 0 };
        log.push(entry);
        const sent = await buffer(request);
        entry.body = sent.toString();
        const order = orders.find((one) => one.left > 0 && fits(one, entry));
        if (order) order.left--;
        const answer = (status: number, headers: Record<string, unknown>, body: Buffer) => {
            entry.status = status;
            for (const [name, value] of Object.entries(headers)) response.setHeader(name, value as string);
            response.writeHead(status);
            response.end(body);
        };
        const instead = () => {
            const { status = 500, body, headers = {} } = order ?? {};
            const json = typeof body === "object" ? { "content-type": "application/json" } : {};
            const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
            answer(status, { ...json, ...headers }, Buffer.from(text));
        };
        if (order?.does === "answer") return instead();
        if (order?.does === "delay") await sleep(order.milliseconds ?? 0);
        const { host: _host, connection: _connection, "content-length": _, ...headers } = request.headers;
        const upstream = await send(target.replace(/\/+$/, "") + url, {
            method: method as "GET",
            headers,
            body: sent.length > 0 ? sent : null,
            headersTimeout: 120_000,
        });
        const body = Buffer.from(await upstream.body.arrayBuffer());
        entry.served = upstream.statusCode;
        if (order?.does === "delay answer") await sleep(order.milliseconds ?? 0);
        if (order?.does === "lose answer") return request.socket.destroy();
        if (order?.does === "answer instead") return instead();
        const { "transfer-encoding": _coding, connection: _keep, ...answered } = upstream.headers;
        return answer(upstream.statusCode, answered, body);
    };
    const server = createServer((request, response) => {
        handle(request, response).catch(() => request.socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        log,
        writes: () => log.filter(({ method, path }) => method !== "GET" && !/\bvalidat/.test(path)).length,
        order: (...troubles) => {
            orders = [...orders.filter((one) => one.left > 0), ...troubles.map(counted)];
        },
        unmet: () => orders.filter((one) => one.left > 0).map((one) => `${one.method} ${one.path}`),
        forget: () => {
            orders = [];
        },
        close: () =>
            new Promise((resolve) => {
                server.close(() => resolve());
                server.closeAllConnections();
            }),
    };
}

function fits({ method, path, when }: Trouble, request: Logged): boolean {
    return method === request.method && path.test(request.path) && (when?.(request) ?? true);
}

function counted(trouble: Trouble): Trouble & { left: number } {
    return { ...trouble, left: trouble.times ?? 1 };
}
