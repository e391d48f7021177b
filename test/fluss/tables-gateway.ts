import http from "node:http";
import type net from "node:net";

/** A proxy in front of the SQL gateway that notes every statement, and loses an answer when told to. */
export interface LossyGateway {
    url: string;
    /** The next statement that begins like this reaches the gateway, but its answer does not come back. */
    loseNext(start: string): void;
    /** Statements whose answer was lost. */
    readonly lost: readonly string[];
    /** Every statement that came since the last call, in the order of their arrival. */
    takeStatements(): string[];
    close(): Promise<void>;
}

/** Starts the proxy on a free port. */
export async function startLossyGateway(backend: string): Promise<LossyGateway> {
    const starts: string[] = [];
    const lost: string[] = [];
    const seen: string[] = [];
    const server = http.createServer((incoming, outgoing) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("end", () => {
            const body = Buffer.concat(chunks);
            const statement = statementIn(body);
            if (statement !== undefined) seen.push(statement);
            const index = starts.findIndex((start) => statement?.startsWith(start));
            const url = new URL(incoming.url ?? "/", backend);
            const headers = { ...incoming.headers, host: url.host };
            const forward = http.request(url, { method: incoming.method ?? "GET", headers }, (answer) => {
                if (index >= 0) {
                    starts.splice(index, 1);
                    lost.push(statement ?? "");
                    answer.resume();
                    incoming.socket.destroy();
                    return;
                }
                outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
                answer.pipe(outgoing);
            });
            forward.on("error", () => incoming.socket.destroy());
            forward.end(body);
        });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
        loseNext: (start) => void starts.push(start),
        lost,
        takeStatements: () => seen.splice(0),
        close: () => {
            server.closeAllConnections();
            return new Promise((resolve) => server.close(() => resolve()));
        },
    };
}

function statementIn(body: Buffer): string | undefined {
    if (!body.includes('"statement"')) return undefined;
    return (JSON.parse(body.toString()) as { statement?: string }).statement;
}
