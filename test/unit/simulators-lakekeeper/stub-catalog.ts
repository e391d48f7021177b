import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** An Iceberg REST catalog with top-level namespaces and tables that are only names. */
export interface CatalogStub {
    url: string;
    /** Table names by namespace. */
    namespaces: Map<string, string[]>;
    /** Method, path and headers of each request. */
    requests: Pick<IncomingMessage, "method" | "url" | "headers">[];
    close: () => Promise<void>;
}

/** @param port 0 takes a free one */
export async function startCatalogStub(port = 0): Promise<CatalogStub> {
    const namespaces = new Map<string, string[]>();
    const requests: CatalogStub["requests"] = [];
    const server = createServer(async (request, response) => {
        const { method, url = "", headers } = request;
        requests.push({ method, url, headers });
        const body = await text(request);
        const answer = (status: number, json?: unknown) => {
            response.writeHead(status, json === undefined ? {} : { "content-type": "application/json" });
            response.end(json === undefined ? undefined : JSON.stringify(json));
        };
        const [path = ""] = url.split("?");
        const [, name, tables] = /^\/v1\/namespaces\/([^/]+)(\/tables)?$/.exec(path) ?? [];
        if (path === "/v1/config")
            return answer(200, {
                defaults: {},
                overrides: {},
                endpoints: ["POST v1/oauth/tokens", "GET /v1/{prefix}/namespaces"],
            });
        if (path === "/v1/namespaces" && method === "GET") {
            return answer(200, { namespaces: [...namespaces.keys()].map((namespace) => [namespace]) });
        }
        if (path === "/v1/namespaces") {
            const { namespace } = JSON.parse(body) as { namespace: string[] };
            namespaces.set(namespace[0]!, []);
            return answer(200, { namespace, properties: {} });
        }
        if (name && tables) {
            const identifiers = (namespaces.get(name) ?? []).map((table) => ({
                namespace: [name],
                name: table,
            }));
            return answer(200, { identifiers });
        }
        if (name && method === "DELETE") return answer(namespaces.delete(name) ? 204 : 404);
        return answer(404, { error: { message: "no such path", type: "NotFoundException", code: 404 } });
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        namespaces,
        requests,
        close: () =>
            new Promise((resolve) => {
                server.close(() => resolve());
                server.closeAllConnections();
            }),
    };
}
