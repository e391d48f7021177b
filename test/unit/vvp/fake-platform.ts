import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Context } from "../../../dynamic-providers/resource.ts";

/** One request as the fake platform saw it. */
export interface Seen {
    method: string;
    path: string;
    query: URLSearchParams;
    headers: IncomingMessage["headers"];
    body: string;
}

/** What it answers: a JSON body, a page, a text as it is, or `"cut"` to break the connection without an answer. */
export type Reply =
    | { status?: number; json?: unknown; html?: string; text?: string; headers?: Record<string, string> }
    | "cut";

/** A server that answers what a test tells it to. */
export async function fakePlatform(
    answer: (request: Seen) => Reply,
): Promise<{ url: string; seen: Seen[]; close(): Promise<void> }> {
    const seen: Seen[] = [];
    const server = createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const url = new URL(request.url ?? "/", "http://localhost");
        const one: Seen = {
            method: request.method ?? "",
            path: url.pathname,
            query: url.searchParams,
            headers: request.headers,
            body: Buffer.concat(chunks).toString(),
        };
        seen.push(one);
        const reply = answer(one);
        if (reply === "cut") return void request.socket.destroy();
        const { status = 200, html, headers } = reply;
        const type = html === undefined ? "application/json" : "text/html; charset=utf-8";
        response.writeHead(status, { "content-type": type, ...headers });
        response.end(html ?? reply.text ?? JSON.stringify(reply.json ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        seen,
        close: () =>
            new Promise((resolve) => {
                server.close(() => resolve());
                server.closeAllConnections();
            }),
    };
}

export const token = "tok-5f1c0c9e";

/** What a provider is given when a run begins: a configuration that holds the token alone. */
export const stackConfig = {
    config: { get: (key: string) => (key === "pulumi-fluss:vvpToken" ? token : undefined) },
};

/** A stack whose configuration holds the token, and fixes the dialect, so that nothing is probed. */
export const context = contextWith({ vvpDialect: "vvp3-backend" });

/** A stack whose configuration holds the token and these values of `pulumi-fluss`. */
export function contextWith(values: Record<string, string>): Context {
    return { config: (key) => ({ vvpToken: token, ...values })[key.replace("pulumi-fluss:", "")] };
}
