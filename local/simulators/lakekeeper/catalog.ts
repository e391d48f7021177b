import {
    request as httpRequest,
    type IncomingHttpHeaders,
    type IncomingMessage,
    type ServerResponse,
} from "node:http";
import { gunzipSync } from "node:zlib";
import { type Answer, type Refusal, refuse } from "./answers.ts";
import { DeletedTables, isHidden, namespacePath } from "./deleted-tables.ts";
import type { Request, Route } from "./http.ts";
import { uuidFault } from "./ids.ts";
import { forgetNamespace, namespaceFacts } from "./namespaces.ts";
import { selectProject } from "./projects.ts";
import { registerUser } from "./server-info.ts";
import { defaultProjectId, type Store, type Warehouse } from "./state.ts";
import { startPurge } from "./tasks.ts";
import { notFound } from "./warehouse-not-found.ts";
import type { StatusCache } from "./warehouses.ts";

/**
 * The Iceberg side: a real REST catalog behind Lakekeeper's addresses, token and warehouse ids.
 * One catalog holds the content of all warehouses; a namespace belongs to the warehouse through which it was created.
 */
export class CatalogProxy {
    readonly #store: Store;
    readonly #cache: StatusCache;
    readonly #backendUrl: string | undefined;
    readonly #deleted: DeletedTables;

    /** @param backendUrl base URL of the Iceberg catalog; it may start later */
    constructor(store: Store, cache: StatusCache, backendUrl: string | undefined) {
        this.#store = store;
        this.#cache = cache;
        this.#backendUrl = backendUrl?.replace(/\/+$/, "");
        this.#deleted = new DeletedTables(store, (method, path, json) => this.#ask(path, method, json));
    }

    routes(): Route[] {
        return [
            {
                method: "GET",
                path: "/catalog/v1/config",
                operationId: "getConfig",
                handle: (request) => this.#config(request),
            },
            ...this.#deleted.routes(),
        ];
    }

    /** Hands a catalog request on; false when the path is none. */
    async take(request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> {
        const parts = /^\/catalog\/v1\/([^/]+)(\/.+)$/.exec(url.pathname);
        const prefix = parts?.[1] ?? "";
        if (!parts || uuidFault(prefix)) return false;
        const warehouse = this.#store.warehouse(prefix);
        if (!warehouse || this.#cache.of(warehouse) === "inactive") throw notFound(prefix);
        const path = parts[2] ?? "";
        await this.#deleted.settle();
        if (await this.#softDelete(request, response, warehouse, path, url)) return true;
        if (request.method === "GET" && path === "/namespaces" && !url.searchParams.get("parent")) {
            await this.#listNamespaces(warehouse, response, url);
            return true;
        }
        const single = /^\/namespaces\/([^/]+)$/.exec(path)?.[1];
        const namespace = single === undefined ? undefined : decodeURIComponent(single).split("\u001f");
        if (namespace && request.method === "DELETE") await this.#prepareDrop(warehouse, namespace, url);
        const tables = request.method === "GET" && /^\/namespaces\/[^/]+\/tables$/.test(path);
        const named = request.method === "GET" ? namespace !== undefined : path === "/namespaces";
        const change =
            named && ["GET", "POST"].includes(request.method ?? "")
                ? (body: string) => this.#withId(warehouse, body, url)
                : tables
                  ? withoutHidden
                  : undefined;
        const status = await this.#forward(request, response, `/v1${path}${url.search}`, change);
        if (namespace && request.method === "DELETE" && status < 300) {
            this.#disown(warehouse, namespace.join("\u001f"));
            forgetNamespace(this.#store, warehouse, namespace);
        }
        return true;
    }

    /** Top-level namespaces of a warehouse; what was seen through the proxy when the catalog is not running. */
    async namespacesOf(warehouse: Warehouse): Promise<string[]> {
        await this.#deleted.settle().catch(() => undefined);
        const all = await this.#ask("/v1/namespaces").catch(() => undefined);
        if (all?.status !== 200) return warehouse.namespaces;
        return this.#visible(warehouse, all.json).map((namespace) => namespace[0] ?? "");
    }

    async #config(request: Request): Promise<Answer> {
        const wanted = request.query.get("warehouse");
        if (!wanted) {
            const message =
                "No warehouse specified. Please specify the 'warehouse' parameter in the GET /config request.";
            throw refuse(400, "GetConfigNoWarehouseProvided", message);
        }
        registerUser(this.#store);
        const slash = wanted.indexOf("/");
        const projectId = slash < 0 ? selectProject(request.headers) : wanted.slice(0, slash);
        const name = wanted.slice(slash + 1);
        const warehouse = this.#store.warehouseByName(projectId || defaultProjectId, name);
        if (!warehouse || this.#cache.of(warehouse) === "inactive") {
            throw refuse(404, "NoSuchWarehouseException", `A warehouse '${name}' does not exist`);
        }
        const answer = await this.#ask("/v1/config");
        const backend = answer.json as {
            defaults?: Record<string, string>;
            overrides?: Record<string, string>;
            endpoints?: string[];
        };
        return {
            status: 200,
            json: {
                // What the catalog offers beside, like tokens by OAuth, Lakekeeper does not serve.
                endpoints: backend.endpoints?.filter((endpoint) => / \/v1\//.test(endpoint)),
                defaults: { ...backend.defaults, prefix: warehouse.id },
                overrides: { ...backend.overrides, uri: `${externalUrl(request.headers)}/catalog` },
            },
        };
    }

    async #listNamespaces(warehouse: Warehouse, response: ServerResponse, url: URL): Promise<void> {
        const answer = await this.#ask(`/v1/namespaces${url.search}`);
        const json =
            answer.status === 200
                ? { ...(answer.json as object), namespaces: this.#visible(warehouse, answer.json) }
                : answer.json;
        response.writeHead(answer.status, { "content-type": "application/json" });
        response.end(JSON.stringify(json));
    }

    /** The namespaces in a list that do not belong to another warehouse. */
    #visible(warehouse: Warehouse, list: unknown): string[][] {
        const { namespaces = [] } = list as { namespaces?: string[][] };
        const foreign = this.#store.state.warehouses
            .filter((other) => other !== warehouse)
            .flatMap((other) => other.namespaces);
        return namespaces.filter((namespace) => !foreign.includes(namespace[0] ?? ""));
    }

    /** Takes the drop of a table in a warehouse where that can be undone. */
    async #softDelete(
        request: IncomingMessage,
        response: ServerResponse,
        warehouse: Warehouse,
        path: string,
        { searchParams }: URL,
    ): Promise<boolean> {
        const [, namespace = "", table] = /^\/namespaces\/([^/]+)\/tables\/([^/]+)$/.exec(path) ?? [];
        const soft = warehouse.deleteProfile.type === "soft" && searchParams.get("force") !== "true";
        if (request.method !== "DELETE" || table === undefined || !soft) return false;
        const refused = await this.#deleted.drop(warehouse, {
            namespace: decodeURIComponent(namespace).split("\u001f"),
            name: decodeURIComponent(table),
            purge: searchParams.get("purgeRequested") === "true",
        });
        response.writeHead(refused?.status ?? 204, refused ? { "content-type": "application/json" } : {});
        response.end(refused && JSON.stringify(refused.json));
        return true;
    }

    /**
     * The rules of a drop that the Iceberg catalog behind does not know: protection, and `recursive`, for which
     * everything inside is dropped one by one.
     */
    async #prepareDrop(warehouse: Warehouse, namespace: string[], url: URL): Promise<void> {
        const flag = (name: string) => url.searchParams.get(name) === "true";
        const name = namespace.join(".");
        const stack = ["Error dropping Namespace in catalog"];
        if (namespaceFacts(this.#store, warehouse, namespace).protected && !flag("force")) {
            const message = `Namespace with name '${name}' is protected and force flag not set. Cannot delete protected namespace.`;
            throw refuse(409, "NamespaceProtected", message, stack);
        }
        const [tables, children] = [await this.#tablesOf(namespace), await this.#childrenOf(namespace)];
        const deleted = this.#deleted.in(warehouse, namespace);
        if (!flag("recursive")) {
            if (tables.length + children.length + deleted.length === 0) return;
            throw refuse(409, "NamespaceNotEmptyException", `Namespace with name '${name}' is not empty.`, [
                `Contains ${tables.length} tables/views/generic tables, ${deleted.length} soft-deleted tables/views/generic tables and ${children.length} child namespaces.`,
                "Use 'recursive' flag to delete all content.",
                ...stack,
            ]);
        }
        if (warehouse.deleteProfile.type === "soft" && !flag("force")) {
            const message = "Cannot recursively delete namespace with soft-deletion without force flag";
            throw refuse(400, "NamespaceDeleteNotAllowed", message);
        }
        await this.#empty(warehouse, namespace, flag("purge"));
    }

    async #empty(warehouse: Warehouse, namespace: string[], purge: boolean): Promise<void> {
        for (const child of await this.#childrenOf(namespace)) {
            await this.#empty(warehouse, child, purge);
            await this.#ask(namespacePath(child), "DELETE");
            forgetNamespace(this.#store, warehouse, child);
        }
        for (const table of this.#deleted.in(warehouse, namespace)) await this.#deleted.forget(table);
        for (const table of await this.#tablesOf(namespace)) {
            await this.#ask(`${namespacePath(namespace)}/tables/${encodeURIComponent(table)}`, "DELETE");
            if (purge) startPurge(this.#store, warehouse.id, [...namespace, table]);
        }
    }

    /** Names of the tables that can be seen. */
    async #tablesOf(namespace: string[]): Promise<string[]> {
        const { json } = await this.#ask(`${namespacePath(namespace)}/tables`);
        const { identifiers = [] } = json as { identifiers?: { name: string }[] };
        return identifiers.map(({ name }) => name).filter((name) => !isHidden(name));
    }

    async #childrenOf(namespace: string[]): Promise<string[][]> {
        const parent = encodeURIComponent(namespace.join("\u001f"));
        const { json } = await this.#ask(`/v1/namespaces?parent=${parent}`);
        const { namespaces = [] } = json as { namespaces?: string[][] };
        return namespaces;
    }

    /** A namespace's answer with the id that Lakekeeper gives it. */
    #withId(warehouse: Warehouse, body: string, url: URL): string {
        const answer = JSON.parse(body) as { namespace?: string[]; properties?: object };
        const { namespace } = answer;
        if (!namespace) return body;
        this.#own(warehouse, namespace[0] ?? "");
        const { id } = namespaceFacts(this.#store, warehouse, namespace);
        return JSON.stringify({
            ...answer,
            ...(url.searchParams.get("returnUuid") === "true" ? { "namespace-uuid": id } : {}),
            properties: { ...answer.properties, namespace_id: id },
        });
    }

    #own(warehouse: Warehouse, namespace: string): void {
        if (warehouse.namespaces.includes(namespace)) return;
        warehouse.namespaces.push(namespace);
        this.#store.save();
    }

    #disown(warehouse: Warehouse, namespace: string): void {
        warehouse.namespaces = warehouse.namespaces.filter((name) => name !== namespace);
        this.#store.save();
    }

    async #ask(path: string, method = "GET", json?: unknown): Promise<{ status: number; json: unknown }> {
        const body = json === undefined ? {} : { body: JSON.stringify(json) };
        const headers = { "content-type": "application/json" };
        const answer = await fetch(`${this.#backend()}${path}`, { method, headers, ...body }).catch(
            (error: Error) => {
                throw this.#notRunning(error.cause instanceof Error ? error.cause.message : error.message);
            },
        );
        return { status: answer.status, json: await answer.json().catch(() => ({})) };
    }

    /** Streams request and answer; only the small answers that `change` rewrites are held back. */
    #forward(
        request: IncomingMessage,
        response: ServerResponse,
        path: string,
        change: ((body: string) => string) | undefined,
    ): Promise<number> {
        const { authorization: _token, host: _host, connection: _connection, ...headers } = request.headers;
        const target = `${this.#backend()}${path}`;
        return new Promise((resolve, reject) => {
            const outgoing = httpRequest(target, { method: request.method, headers }, (answer) => {
                const status = answer.statusCode ?? 502;
                const { connection: _, ...answered } = answer.headers;
                answer.on("error", reject);
                if (!change || status >= 300) {
                    response.writeHead(status, answered);
                    answer.on("end", () => resolve(status));
                    answer.pipe(response);
                    return;
                }
                const chunks: Buffer[] = [];
                answer.on("data", (chunk: Buffer) => chunks.push(chunk));
                answer.on("end", () => {
                    const { "content-length": _length, "content-encoding": coding, ...rest } = answered;
                    const raw = Buffer.concat(chunks);
                    const plain = coding === "gzip" ? gunzipSync(raw) : raw;
                    response.writeHead(status, rest);
                    response.end(change(plain.toString("utf8")));
                    resolve(status);
                });
            });
            outgoing.on("error", (error) => reject(this.#notRunning(error.message)));
            request.pipe(outgoing);
        });
    }

    #backend(): string {
        if (this.#backendUrl) return this.#backendUrl;
        throw this.#notRunning("none is configured");
    }

    #notRunning(reason: string): Refusal {
        const where = this.#backendUrl ? ` at ${this.#backendUrl}` : "";
        return refuse(
            503,
            "CatalogBackendError",
            `The Iceberg catalog behind the simulated Lakekeeper${where} does not answer (${reason}). It starts during the first "up"; try again once it runs.`,
        );
    }
}

/** A list of tables without those that were dropped. */
function withoutHidden(body: string): string {
    const list = JSON.parse(body) as { identifiers?: { name: string }[] };
    return JSON.stringify({
        ...list,
        identifiers: list.identifiers?.filter(({ name }) => !isHidden(name)),
    });
}

/** The address under which the caller reached us, which a proxy in between may tell. */
function externalUrl(headers: IncomingHttpHeaders): string {
    const one = (name: string) => {
        const value = headers[name];
        return typeof value === "string" && value !== "" ? value : undefined;
    };
    const host = one("x-forwarded-host") ?? one("host");
    if (!host) {
        throw refuse(
            400,
            "NoHostHeader",
            "base_uri is not set and neither x-forwarded-host nor host header are set. Either send the appropriate headers or configure the base_uri according to the documentation.",
        );
    }
    const port = one("x-forwarded-port");
    const prefix = (one("x-forwarded-prefix") ?? "").replace(/\/+$/, "");
    return `${one("x-forwarded-proto") ?? "http"}://${host}${port ? `:${port}` : ""}${prefix}`;
}
