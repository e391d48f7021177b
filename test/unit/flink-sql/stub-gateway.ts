import { randomUUID } from "node:crypto";
import http from "node:http";
import type net from "node:net";

/** What the stub answers to a statement: rows, or the stack trace of a failure. */
export type StubAnswer =
    | { rows: (string | null)[][] }
    | { trace: string }
    /** A query without an end, whose Flink job has this id. */
    | { job: string }
    | "never"
    | "cut";

/** A SQL gateway with sessions and operations, whose statements a function answers. */
export interface StubGateway {
    url: string;
    /** Statements by session, in the order of their arrival. */
    readonly sessions: ReadonlyMap<string, string[]>;
    /** Forgets every session, as a gateway does that was started anew. */
    expireSessions(): void;
    /** Operations that were opened and never closed. */
    readonly open: ReadonlySet<string>;
    close(): Promise<void>;
}

/** Starts the stub on a free port, or on the one of a stub that has ended. */
export async function startStubGateway(
    answer: (statement: string, options: Record<string, string>) => StubAnswer,
    port = 0,
): Promise<StubGateway> {
    const sessions = new Map<string, string[]>();
    const live = new Set<string>();
    const open = new Map<string, StubAnswer>();
    const server = http.createServer((request, response) => {
        const send = (status: number, body: unknown) => {
            response.writeHead(status, { "content-type": "application/json" });
            response.end(JSON.stringify(body));
        };
        const fail = (trace: string) => send(500, { errors: ["Internal server error.", trace] });
        const chunks: Buffer[] = [];
        request.on("data", (chunk) => chunks.push(chunk));
        request.on("end", () => {
            const [, , , session = "", , operation = "", ...rest] = (request.url ?? "").split(/[/?]/);
            if (request.method === "POST" && session === "") {
                const handle = randomUUID();
                sessions.set(handle, []);
                live.add(handle);
                return send(200, { sessionHandle: handle });
            }
            if (!live.has(session)) return fail(lostSession(session));
            if (request.method === "POST") {
                const { statement, executionConfig = {} } = JSON.parse(Buffer.concat(chunks).toString()) as {
                    statement: string;
                    executionConfig?: Record<string, string>;
                };
                sessions.get(session)?.push(statement);
                const handle = randomUUID();
                const result = answer(statement, executionConfig);
                if (result === "cut") return request.socket.destroy();
                open.set(handle, result);
                return send(200, { operationHandle: handle });
            }
            if (request.method === "DELETE") {
                open.delete(operation);
                return send(200, { status: "CLOSED" });
            }
            return sendResult(open.get(operation), rest, send, fail);
        });
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return {
        url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
        sessions,
        expireSessions: () => live.clear(),
        get open() {
            return new Set(open.keys());
        },
        close: () => {
            server.closeAllConnections();
            return new Promise((resolve) => server.close(() => resolve()));
        },
    };
}

/** What the gateway answers for a session that it does not know (Flink 1.20.3 observed). */
function lostSession(handle: string): string {
    return trace(
        `org.apache.flink.table.gateway.api.utils.SqlGatewayException: Session '${handle}' does not exist.`,
    );
}

/** A failure as the gateway sends it: exceptions around the cause, each with its stack. */
export function trace(cause: string): string {
    return [
        "<Exception on server side:",
        "org.apache.flink.table.gateway.service.utils.SqlExecutionException: Failed to execute the operation 1.",
        "\tat org.apache.flink.table.gateway.service.operation.OperationManager.run(OperationManager.java:414)",
        "Caused by: org.apache.flink.table.api.TableException: Could not execute it",
        "\tat java.base/java.lang.Thread.run(Thread.java:840)",
        "\t... 7 more",
        `Caused by: ${cause}`,
        "\tat org.apache.fluss.client.Admin.run(Admin.java:1)",
        "\t... 8 more",
        "",
        "End of exception on server side>",
    ].join("\n");
}

function sendResult(
    result: StubAnswer | undefined,
    [, token]: string[],
    send: (status: number, body: unknown) => void,
    fail: (trace: string) => void,
): void {
    if (result === undefined || result === "cut") {
        fail(trace("java.lang.IllegalStateException: no operation"));
    } else if (result === "never") {
        send(200, { resultType: "NOT_READY", nextResultUri: "/v1/x/result/0" });
    } else if ("job" in result) {
        const results = { columns: [{ name: "c0" }], data: [] };
        send(200, { resultType: "PAYLOAD", nextResultUri: "/v1/x/result/0", jobID: result.job, results });
    } else if ("trace" in result) {
        fail(result.trace);
    } else if (token === "0") {
        const data = result.rows.map((fields) => ({ kind: "INSERT", fields }));
        const columns = (result.rows[0] ?? ["result"]).map((_, index) => ({ name: `c${index}` }));
        const nextResultUri = "/v1/x/result/1?rowFormat=JSON";
        send(200, { resultType: "PAYLOAD", nextResultUri, results: { columns, data } });
    } else {
        send(200, { resultType: "EOS", results: { columns: [{ name: "c0" }], data: [] } });
    }
}
