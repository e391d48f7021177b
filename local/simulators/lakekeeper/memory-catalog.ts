import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** An Iceberg REST catalog in memory, with namespaces and tables that are only names: what a test, or a trial, needs of one. */
export interface MemoryCatalog {
    url: string;
    /** Table names by namespace. */
    namespaces: Map<string, string[]>;
    /** Properties by namespace. */
    properties: Map<string, Record<string, string>>;
    /** Method, path and headers of each request. */
    requests: Pick<IncomingMessage, "method" | "url" | "headers">[];
    close: () => Promise<void>;
}

/** @param port 0 takes a free one */
export async function startMemoryCatalog(port = 0): Promise<MemoryCatalog> {
    const namespaces = new Map<string, string[]>();
    const properties: MemoryCatalog["properties"] = new Map();
    const requests: MemoryCatalog["requests"] = [];
    const ids = new Map<string, string>();
    /** A table's id, which stays with it when it is renamed. */
    const idOf = (namespace: string, table: string) => {
        const key = `${namespace}/${table}`;
        ids.set(key, ids.get(key) ?? randomUUID());
        return ids.get(key) ?? "";
    };
    const server = createServer(async (request, response) => {
        const { method, url = "", headers } = request;
        requests.push({ method, url, headers });
        const body = await text(request);
        const answer = (status: number, json?: unknown) => {
            response.writeHead(status, json === undefined ? {} : { "content-type": "application/json" });
            response.end(json === undefined ? undefined : JSON.stringify(json));
        };
        const [path = ""] = url.split("?");
        const [, encoded, below] = /^\/v1\/namespaces\/([^/]+)((?:\/.+)?)$/.exec(path) ?? [];
        const name = encoded === undefined ? undefined : decodeURIComponent(encoded);
        const [, kind = "", encodedTable] = below?.split("/") ?? [];
        const table = encodedTable === undefined ? undefined : decodeURIComponent(encodedTable);
        if (path === "/v1/config")
            return answer(200, {
                defaults: {},
                overrides: {},
                endpoints: ["POST v1/oauth/tokens", "GET /v1/{prefix}/namespaces"],
            });
        if (path === "/v1/namespaces" && method === "GET") {
            const parent = new URL(url, "http://stub").searchParams.get("parent");
            const above = parent === null ? [] : parent.split("\u001f");
            const below = [...namespaces.keys()]
                .map((key) => key.split("\u001f"))
                .filter((parts) => parts.length === above.length + 1)
                .filter((parts) => above.every((part, index) => parts[index] === part));
            return answer(200, { namespaces: below });
        }
        if (path === "/v1/tables/rename") {
            const { source, destination } = JSON.parse(body) as Record<
                "source" | "destination",
                { namespace: string[]; name: string }
            >;
            const tables = namespaces.get(source.namespace.join("\u001f")) ?? [];
            const index = tables.indexOf(source.name);
            if (index < 0) {
                const message = `Table does not exist: ${source.name}`;
                return answer(404, { error: { message, type: "NoSuchTableException", code: 404 } });
            }
            const id = idOf(source.namespace.join("\u001f"), source.name);
            ids.delete(`${source.namespace.join("\u001f")}/${source.name}`);
            ids.set(`${destination.namespace.join("\u001f")}/${destination.name}`, id);
            tables[index] = destination.name;
            return answer(204);
        }
        if (path === "/v1/namespaces") {
            const wanted = JSON.parse(body) as { namespace: string[]; properties?: Record<string, string> };
            const key = wanted.namespace.join("\u001f");
            if (namespaces.has(key)) {
                const message = `Namespace already exists: ${wanted.namespace.join(".")}`;
                return answer(409, { error: { message, type: "AlreadyExistsException", code: 409 } });
            }
            namespaces.set(key, []);
            properties.set(key, wanted.properties ?? {});
            return answer(200, { namespace: wanted.namespace, properties: properties.get(key) });
        }
        const content = name === undefined ? undefined : namespaces.get(name);
        if (name !== undefined && !content && kind === "") {
            const message = `Namespace does not exist: ${name}`;
            return answer(404, { error: { message, type: "NoSuchNamespaceException", code: 404 } });
        }
        if (name !== undefined && kind === "tables" && table && method === "DELETE") {
            namespaces.set(
                name,
                (content ?? []).filter((other) => other !== table),
            );
            ids.delete(`${name}/${table}`);
            return answer(204);
        }
        if (name !== undefined && kind === "tables" && table) {
            const there = content?.includes(table);
            if (there) return answer(200, loaded(idOf(name, table)));
            const message = `Table does not exist: ${name}.${table}`;
            return answer(404, { error: { message, type: "NoSuchTableException", code: 404 } });
        }
        if (name !== undefined && kind === "tables" && method === "POST") {
            const wanted = JSON.parse(body) as { name: string; schema: object };
            if (content?.includes(wanted.name)) {
                const message = `Table already exists: ${name}.${wanted.name}`;
                return answer(409, { error: { message, type: "AlreadyExistsException", code: 409 } });
            }
            content?.push(wanted.name);
            return answer(200, loaded(idOf(name, wanted.name)));
        }
        if (name !== undefined && kind === "tables") {
            const identifiers = (content ?? []).map((one) => ({ namespace: [name], name: one }));
            return answer(200, { identifiers });
        }
        if (name !== undefined && kind === "properties") {
            const change = JSON.parse(body) as { updates: Record<string, string>; removals: string[] };
            const next = { ...properties.get(name), ...change.updates };
            for (const key of change.removals) delete next[key];
            properties.set(name, next);
            return answer(200, { updated: [], removed: [], missing: [] });
        }
        if (name !== undefined && method === "GET") {
            return answer(200, { namespace: name.split("\u001f"), properties: properties.get(name) ?? {} });
        }
        if (name !== undefined && method === "DELETE") return answer(namespaces.delete(name) ? 204 : 404);
        return answer(404, { error: { message: "no such path", type: "NotFoundException", code: 404 } });
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        namespaces,
        properties,
        requests,
        close: () =>
            new Promise((resolve) => {
                server.close(() => resolve());
                server.closeAllConnections();
            }),
    };
}

/** A table as the catalog tells it, as far as anybody here looks. */
function loaded(id: string): object {
    return {
        "metadata-location": "s3://stub/metadata.json",
        metadata: { "format-version": 2, "table-uuid": id },
    };
}
