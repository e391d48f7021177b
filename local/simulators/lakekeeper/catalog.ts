import {
    request as httpRequest,
    type IncomingHttpHeaders,
    type IncomingMessage,
    type ServerResponse,
} from "node:http";
import { type Answer, type Refusal, refuse } from "./answers.ts";
import type { Request, Route } from "./http.ts";
import { uuidFault } from "./ids.ts";
import { selectProject } from "./projects.ts";
import { registerUser } from "./server-info.ts";
import { defaultProjectId, type Store, type Warehouse } from "./state.ts";
import { notFound, type StatusCache } from "./warehouses.ts";

/**
 * The Iceberg side: a real REST catalog behind Lakekeeper's addresses, token and warehouse ids.
 * One catalog holds the content of all warehouses; a namespace belongs to the warehouse through which it was created.
 */
export class CatalogProxy {
    readonly #store: Store;
    readonly #cache: StatusCache;
    readonly #backendUrl: string | undefined;

    /** @param backendUrl base URL of the Iceberg catalog; it may start later */
    constructor(store: Store, cache: StatusCache, backendUrl: string | undefined) {
        this.#store = store;
        this.#cache = cache;
        this.#backendUrl = backendUrl?.replace(/\/+$/, "");
    }

    routes(): Route[] {
        return [
            {
                method: "GET",
                path: "/catalog/v1/config",
                operationId: "getConfig",
                handle: (request) => this.#config(request),
            },
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
        if (request.method === "GET" && path === "/namespaces" && !url.searchParams.get("parent")) {
            await this.#listNamespaces(warehouse, response, url);
            return true;
        }
        const status = await this.#forward(request, response, `/v1${path}${url.search}`, (body) => {
            const created =
                request.method === "POST" && path === "/namespaces" ? namespaceOf(body) : undefined;
            if (created) this.#own(warehouse, created);
        });
        const dropped = request.method === "DELETE" ? /^\/namespaces\/([^/]+)$/.exec(path)?.[1] : undefined;
        if (dropped && status < 300) this.#disown(warehouse, decodeURIComponent(dropped));
        return true;
    }

    /** Top-level namespaces of a warehouse; what was seen through the proxy when the catalog is not running. */
    async namespacesOf(warehouse: Warehouse): Promise<string[]> {
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

    #own(warehouse: Warehouse, namespace: string): void {
        if (warehouse.namespaces.includes(namespace)) return;
        warehouse.namespaces.push(namespace);
        this.#store.save();
    }

    #disown(warehouse: Warehouse, namespace: string): void {
        warehouse.namespaces = warehouse.namespaces.filter((name) => name !== namespace);
        this.#store.save();
    }

    async #ask(path: string): Promise<{ status: number; json: unknown }> {
        const answer = await fetch(`${this.#backend()}${path}`).catch((error: Error) => {
            throw this.#notRunning(error.cause instanceof Error ? error.cause.message : error.message);
        });
        return { status: answer.status, json: await answer.json().catch(() => ({})) };
    }

    /** Streams request and answer; only the small bodies that name a namespace are looked at. */
    #forward(
        request: IncomingMessage,
        response: ServerResponse,
        path: string,
        onSuccess: (body: string) => void,
    ): Promise<number> {
        const { authorization: _token, host: _host, connection: _connection, ...headers } = request.headers;
        const target = `${this.#backend()}${path}`;
        return new Promise((resolve, reject) => {
            const outgoing = httpRequest(target, { method: request.method, headers }, (answer) => {
                const status = answer.statusCode ?? 502;
                const { connection: _, ...answered } = answer.headers;
                response.writeHead(status, answered);
                const chunks: Buffer[] = [];
                if (status < 300 && path.startsWith("/v1/namespaces") && request.method === "POST") {
                    answer.on("data", (chunk: Buffer) => chunks.push(chunk));
                }
                answer.on("end", () => {
                    if (status < 300) onSuccess(Buffer.concat(chunks).toString("utf8"));
                    resolve(status);
                });
                answer.on("error", reject);
                answer.pipe(response);
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

/** The top-level part of the namespace in a create request's answer. */
function namespaceOf(body: string): string | undefined {
    try {
        const { namespace } = JSON.parse(body) as { namespace?: string[] };
        return namespace?.[0];
    } catch {
        return undefined;
    }
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
