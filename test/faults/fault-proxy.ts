/** A proxy between a provider and an API that does to chosen calls what networks and servers do. */
import http from "node:http";
import type { Socket } from "node:net";
import os from "node:os";
import type { EngineProcess } from "./engine-process.ts";

/**
 * What happens to a call. `done` says whether the API has done what was asked, although the caller cannot know:
 * that is where objects get lost or doubled.
 */
export const faults = {
    refused: { done: false, reply: undefined },
    "reset before it is sent on": { done: false, reply: undefined },
    "reset after it was done": { done: true, reply: undefined },
    "half a body": { done: true, reply: "half" },
    "408 after it was done": { done: true, reply: { status: 408, body: "" } },
    "409 that is over": {
        done: false,
        reply: { status: 409, body: '{"message":"another change is running"}' },
    },
    "429 with Retry-After": {
        done: false,
        reply: { status: 429, body: "", headers: { "retry-after": "1" } },
    },
    "429 without Retry-After": { done: false, reply: { status: 429, body: "slow down" } },
    "500": { done: false, reply: { status: 500, body: '{"message":"out of order"}' } },
    "500 after it was done": { done: true, reply: { status: 500, body: "" } },
    "503 with Retry-After": {
        done: false,
        reply: { status: 503, body: "", headers: { "retry-after": "1" } },
    },
    "401 as of an expired token": {
        done: false,
        reply: { status: 401, body: '{"message":"token expired"}' },
    },
    "HTML of a gateway": { done: false, reply: { status: 502, body: "<html><h1>Bad gateway</h1></html>" } },
    "HTML of a login page": { done: false, reply: { status: 200, body: "<html><h1>Log in</h1></html>" } },
    "slow beyond the deadline": { done: false, reply: "late" },
    "slow beyond the deadline, but done": { done: true, reply: "late" },
    "pulumi killed before it is sent on": { done: false, reply: "killed" },
    "pulumi killed after it was done": { done: true, reply: "killed" },
} as const satisfies Record<string, Behaviour>;

export type FaultName = keyof typeof faults;

/** What ends the process that calls. It cannot last: the next one begins anew. */
export const kills: FaultName[] = ["pulumi killed before it is sent on", "pulumi killed after it was done"];

interface Behaviour {
    done: boolean;
    /**
     * Undefined: the connection ends without an answer. `half`: the API's own answer, cut in the middle. `late`: none before the
     * caller's deadline. `killed`: the caller ends.
     */
    reply:
        | undefined
        | "half"
        | "late"
        | "killed"
        | { status: number; body: string; headers?: Record<string, string> };
}

export interface FaultProxy {
    url: string;
    /** Calls since `watch` or `arm`, each as `GET /path`. */
    readonly calls: readonly string[];
    /** Forgets the calls and passes all on. */
    watch(): Promise<void>;
    /**
     * Forgets the calls; the fault hits call number `at`, counted from 0, or that one and all later ones.
     * @param caller whose deadline passes, or who is killed
     */
    arm(at: number, fault: string, until: "once" | "cleared", caller: EngineProcess): void;
    close(): Promise<void>;
}

/**
 * Ports below those that the system gives away, each once: a proxy that refuses has left its port, which nobody else may take.
 * The workers of a run have their own. Those from 27000 on are of the local lakehouses, which tests beside these start.
 */
const workers = Math.max(2, os.availableParallelism());
const width = Math.floor(7000 / workers);
const firstPort = 20_000 + ((Number(process.env["VITEST_POOL_ID"] ?? 1) - 1) % workers) * width;
let ports = process.pid % width;

function nextPort(): number {
    ports = (ports + 1) % width;
    return firstPort + ports;
}

/** Starts a proxy on loopback in front of `target`. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
    const sockets = new Set<Socket>();
    let calls: string[] = [];
    let armed: { at: number; fault: string; until: "once" | "cleared"; caller: EngineProcess } | undefined;

    const server = http.createServer((request, response) => {
        const number = calls.push(`${request.method} ${request.url}`) - 1;
        const hit = armed && (armed.until === "once" ? number === armed.at : number >= armed.at);
        const fault: Behaviour | undefined = hit && armed ? faults[armed.fault as FaultName] : undefined;
        const hangUp = () => void request.socket.destroy();
        const { caller } = armed ?? {};
        const end = () => {
            const reply = fault?.reply;
            if (reply === "late") caller?.passDeadline();
            else if (reply === "killed") caller?.kill();
            else if (typeof reply === "object") answer(response, reply);
            else hangUp();
        };
        if (!fault) return forward(target, request, response, hangUp);
        if (armed?.fault === "refused" && armed.until === "cleared") server.close();
        if (fault.done) {
            return forward(
                target,
                request,
                fault.reply === "half" ? cutInHalf(response) : quiet(),
                hangUp,
                end,
            );
        }
        request.resume().on("end", end);
    });
    // No fault that nobody asked for: on a busy machine a caller may not see in time that its idle connection was closed.
    server.keepAliveTimeout = 0;
    server.on("connection", (socket) => {
        sockets.add(socket);
        socket.on("close", () => sockets.delete(socket));
        socket.on("error", () => undefined);
    });
    const listen = (port: number) =>
        new Promise<void>((resolve, reject) => {
            server.once("error", reject);
            server.listen(port, "127.0.0.1", resolve);
        });
    let port = nextPort();
    while (!server.listening) {
        await listen(port).catch(() => {
            port = nextPort();
        });
    }
    return {
        url: `http://127.0.0.1:${port}`,
        get calls() {
            return calls;
        },
        watch: async () => {
            armed = undefined;
            calls = [];
            if (!server.listening) await listen(port);
        },
        arm: (at, fault, until, caller) => {
            armed = { at, fault, until, caller };
            calls = [];
        },
        close: () =>
            new Promise((resolve) => {
                for (const socket of sockets) socket.destroy();
                if (server.listening) server.close(() => resolve());
                else resolve();
            }),
    };
}

/** Where an answer goes: to the caller, or nowhere. */
interface Sink {
    head(status: number, headers: http.IncomingHttpHeaders): void;
    body(whole: Buffer): void;
}

/** Passes a call on to the API, and what it answers back. */
export function forward(
    target: string,
    request: http.IncomingMessage,
    sink: Sink | http.ServerResponse,
    failed: () => void,
    after: () => void = () => undefined,
): void {
    const to = sink instanceof http.ServerResponse ? whole(sink) : sink;
    const url = new URL(request.url ?? "/", target);
    // The host stays as it came: the signature of a call to AWS covers it. A connection for each call: none that was closed meanwhile.
    const onward = http.request(url, { method: request.method, headers: request.headers, agent: false });
    onward.on("response", (answered) => {
        const chunks: Buffer[] = [];
        answered.on("data", (chunk: Buffer) => chunks.push(chunk));
        answered.on("end", () => {
            to.head(answered.statusCode ?? 502, answered.headers);
            to.body(Buffer.concat(chunks));
            after();
        });
        answered.on("error", failed);
    });
    onward.on("error", failed);
    request.pipe(onward);
}

function whole(response: http.ServerResponse): Sink {
    return {
        head: (status, headers) => void response.writeHead(status, headers),
        body: (bytes) => void response.end(bytes),
    };
}

/** Announces the whole body and sends half of it. */
function cutInHalf(response: http.ServerResponse): Sink {
    let head: [number, http.IncomingHttpHeaders] = [200, {}];
    return {
        head: (status, headers) => {
            head = [status, headers];
        },
        body: (bytes) => {
            const { "transfer-encoding": _, ...headers } = head[1];
            response.writeHead(head[0], { ...headers, "content-length": String(Math.max(bytes.length, 2)) });
            response.write(bytes.subarray(0, bytes.length / 2));
        },
    };
}

function quiet(): Sink {
    return { head: () => undefined, body: () => undefined };
}

function answer(
    response: http.ServerResponse,
    reply: { status: number; body: string; headers?: Record<string, string> },
): void {
    const type = reply.body.startsWith("<")
        ? "text/html"
        : reply.body.startsWith("{")
          ? "application/json"
          : "text/plain";
    response.writeHead(reply.status, { "content-type": type, ...reply.headers });
    response.end(reply.body);
}
