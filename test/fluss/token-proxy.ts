import http from "node:http";
import type net from "node:net";

/** A running proxy; `url` has no slash at its end. */
export interface TokenProxy {
    url: string;
    close(): Promise<void>;
}

/**
 * Stands in front of the Iceberg catalog, which checks nothing: refuses requests without the bearer token (401) and
 * configuration of another warehouse (404), in the words of an Iceberg REST server.
 */
export async function startTokenProxy(o: {
    backend: string;
    token: string;
    warehouse: string;
}): Promise<TokenProxy> {
    const server = http.createServer((incoming, outgoing) => {
        const refuse = (code: number, type: string, message: string) => {
            outgoing.writeHead(code, { "content-type": "application/json" });
            outgoing.end(JSON.stringify({ error: { message, type, code } }));
        };
        const url = new URL(incoming.url ?? "/", o.backend);
        if (incoming.headers.authorization !== `Bearer ${o.token}`) {
            return refuse(401, "UnauthorizedError", "The token is not valid");
        }
        const warehouse = url.searchParams.get("warehouse");
        if (url.pathname === "/v1/config" && warehouse !== o.warehouse) {
            return refuse(404, "NoSuchWarehouseException", `Warehouse ${warehouse} does not exist`);
        }
        const headers = { ...incoming.headers, host: url.host };
        const forward = http.request(url, { method: incoming.method ?? "GET", headers }, (answer) => {
            outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
            answer.pipe(outgoing);
        });
        forward.on("error", () => refuse(502, "BadGateway", "The catalog behind the proxy does not answer"));
        incoming.pipe(forward);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
        url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
        close: () => {
            server.closeAllConnections();
            return new Promise((resolve) => server.close(() => resolve()));
        },
    };
}
