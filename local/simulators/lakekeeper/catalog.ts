import type { IncomingMessage, ServerResponse } from "node:http";
import { type Answer, type Refusal, refuse } from "./answers.ts";
import { DeletedTables } from "./deleted-tables.ts";
import { Drops } from "./drops.ts";
import { externalUrl } from "./external-url.ts";
import type { Request, Route } from "./http.ts";
import { IcebergCatalog, isHidden, type Rewrite } from "./iceberg.ts";
import { uuidFault } from "./ids.ts";
import { forgetNamespace, namespaceFacts } from "./namespaces.ts";
import { selectProject } from "./projects.ts";
import { registerUser } from "./server-info.ts";
import type { Store, Warehouse } from "./state.ts";
import type { StatusCache } from "./status-cache.ts";
import { tableProtectionRoutes } from "./table-protection.ts";
import { notFound } from "./warehouse-not-found.ts";

/**
 * The Iceberg side: a real REST catalog behind Lakekeeper's addresses, token and warehouse ids.
 * One catalog holds the content of all warehouses; a namespace belongs to the warehouse through which it or a table in it was
 * created, and one that was made in the catalog itself to the oldest warehouse.
 */
export class CatalogProxy {
    readonly #store: Store;
    readonly #cache: StatusCache;
    readonly #iceberg: IcebergCatalog;
    readonly #baseUri: string | undefined;
    readonly #deleted: DeletedTables;
    readonly #drops: Drops;

    /** @param backendUrl base URL of the Iceberg catalog; it may start later */
    constructor(
        store: Store,
        cache: StatusCache,
        backendUrl: string | undefined,
        baseUri: string | undefined,
    ) {
        this.#baseUri = baseUri;
        this.#store = store;
        this.#cache = cache;
        this.#iceberg = new IcebergCatalog(backendUrl);
        this.#deleted = new DeletedTables(store, this.#iceberg);
        this.#drops = new Drops(store, this.#iceberg, this.#deleted);
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
            ...tableProtectionRoutes(this.#store, this.#iceberg),
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
        const table = request.method === "DELETE" ? tableOf(path) : undefined;
        const dropped = table && (await this.#drops.prepareTable(warehouse, table, url));
        if (table && (await this.#softDelete(response, warehouse, table, url))) return true;
        if (request.method === "GET" && path === "/namespaces" && !url.searchParams.get("parent")) {
            await this.#listNamespaces(warehouse, response, url);
            return true;
        }
        const single = /^\/namespaces\/([^/]+)$/.exec(path)?.[1];
        const namespace = single === undefined ? undefined : decodeURIComponent(single).split("\u001f");
        if (namespace && request.method === "DELETE") {
            await this.#drops.prepareNamespace(warehouse, namespace, url);
        }
        const rewrite = this.#rewrite(request.method, path, warehouse, url);
        const status = await this.#iceberg.forward(request, response, `${path}${url.search}`, rewrite);
        if (status < 300) dropped?.();
        if (namespace && request.method === "DELETE" && status < 300) {
            this.#disown(warehouse, namespace.join("\u001f"));
            forgetNamespace(this.#store, warehouse, namespace);
        }
        return true;
    }

    /** What of the Iceberg catalog's answer is told otherwise. */
    #rewrite(method: string | undefined, path: string, warehouse: Warehouse, url: URL): Rewrite {
        const named = (body: string) => this.#withId(warehouse, body, url);
        const tables = /^\/namespaces\/([^/]+)\/tables$/.exec(path);
        if (method === "GET" && tables) return { done: withoutHidden };
        if (method === "GET" && /^\/namespaces\/[^/]+$/.test(path)) return { done: named };
        if (method !== "POST") return {};
        if (path === "/namespaces") return { done: named, clash: (body) => namespaceClash(warehouse, body) };
        return tables ? { clash: tableClash, done: (body) => this.#ownOf(warehouse, tables[1]!, body) } : {};
    }

    /** Top-level namespaces of a warehouse; what was seen through the proxy when the catalog is not running. */
    async namespacesOf(warehouse: Warehouse): Promise<string[]> {
        await this.#deleted.settle().catch(() => undefined);
        const all = await this.#iceberg.ask("GET", "/v1/namespaces").catch(() => undefined);
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
        registerUser(this.#store, request.caller);
        const slash = wanted.indexOf("/");
        const projectId = slash < 0 ? selectProject(this.#store, request.headers) : wanted.slice(0, slash);
        const name = wanted.slice(slash + 1);
        const warehouse = this.#store.warehouseByName(projectId, name);
        if (!warehouse || this.#cache.of(warehouse) === "inactive") {
            throw refuse(404, "NoSuchWarehouseException", `A warehouse '${name}' does not exist`);
        }
        const answer = await this.#iceberg.ask("GET", "/v1/config");
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
                overrides: {
                    ...backend.overrides,
                    uri: `${externalUrl(request.headers, this.#baseUri)}/catalog`,
                },
            },
        };
    }

    async #listNamespaces(warehouse: Warehouse, response: ServerResponse, url: URL): Promise<void> {
        const answer = await this.#iceberg.ask("GET", `/v1/namespaces${url.search}`);
        const namespaces = this.#visible(warehouse, answer.json);
        const ids = () => namespaces.map((name) => namespaceFacts(this.#store, warehouse, name).id);
        const uuids = url.searchParams.get("returnUuids") === "true" ? { "namespace-uuids": ids() } : {};
        const json =
            answer.status === 200 ? { ...(answer.json as object), namespaces, ...uuids } : answer.json;
        response.writeHead(answer.status, { "content-type": "application/json" });
        response.end(JSON.stringify(json));
    }

    /** The namespaces in a list that belong to a warehouse; those that came past the simulator, to the oldest one. */
    #visible(warehouse: Warehouse, list: unknown): string[][] {
        const { namespaces = [] } = list as { namespaces?: string[][] };
        const { warehouses } = this.#store.state;
        const ownerOf = (namespace: string) =>
            warehouses.find((other) => other.namespaces.includes(namespace)) ?? warehouses[0];
        return namespaces.filter((namespace) => ownerOf(namespace[0] ?? "") === warehouse);
    }

    /** Takes the drop of a table in a warehouse where that can be undone. */
    async #softDelete(
        response: ServerResponse,
        warehouse: Warehouse,
        table: { namespace: string[]; name: string },
        { searchParams }: URL,
    ): Promise<boolean> {
        if (warehouse.deleteProfile.type !== "soft" || searchParams.get("force") === "true") return false;
        const refused = await this.#deleted.drop(warehouse, {
            ...table,
            purge: searchParams.get("purgeRequested") === "true",
        });
        response.writeHead(refused?.status ?? 204, refused ? { "content-type": "application/json" } : {});
        response.end(refused && JSON.stringify(refused.json));
        return true;
    }

    /** A namespace's answer with the id that Lakekeeper gives it, and the location where it has none of its own. */
    #withId(warehouse: Warehouse, body: string, url: URL): string {
        const answer = JSON.parse(body) as { namespace?: string[]; properties?: object };
        const { namespace } = answer;
        if (!namespace) return body;
        this.#own(warehouse, namespace[0] ?? "");
        const { id } = namespaceFacts(this.#store, warehouse, namespace);
        return JSON.stringify({
            ...answer,
            ...(url.searchParams.get("returnUuid") === "true" ? { "namespace-uuid": id } : {}),
            properties: { ...locationIn(warehouse), ...answer.properties, namespace_id: id },
        });
    }

    /** Some Iceberg catalogs make the namespace of a new table by themselves. */
    #ownOf(warehouse: Warehouse, encoded: string, body: string): string {
        this.#own(warehouse, decodeURIComponent(encoded).split("\u001f")[0] ?? "");
        return body;
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
}

function tableOf(path: string): { namespace: string[]; name: string } | undefined {
    const [, namespace, name] = /^\/namespaces\/([^/]+)\/tables\/([^/]+)$/.exec(path) ?? [];
    if (namespace === undefined || name === undefined) return undefined;
    return { namespace: decodeURIComponent(namespace).split("\u001f"), name: decodeURIComponent(name) };
}

/** Where a namespace's tables go by default; of clouds other than S3 it was not observed. */
function locationIn({ profile }: Warehouse): { location?: string } {
    if (profile.type !== "s3") return {};
    const prefix = profile["key-prefix"];
    return { location: `s3://${profile.bucket}${prefix ? `/${prefix}` : ""}` };
}

/** Lakekeeper's words for a name that is taken. @param body the Iceberg catalog's answer, which ends with the name */
function namespaceClash({ id }: Warehouse, body: string): Refusal {
    const { error } = JSON.parse(body) as { error?: { message?: string } };
    const name = /: (.+)$/.exec(error?.message ?? "")?.[1] ?? "";
    return refuse(
        409,
        "AlreadyExistsException",
        `Namespace name '${name}' already exist in warehouse '${id}'`,
        ["Error creating Namespace in catalog"],
    );
}

function tableClash(): Refusal {
    const message = "Tabular with the same name already exists in the namespace";
    return refuse(409, "AlreadyExistsException", message, ["Error creating tabular in catalog"]);
}

/** A list of tables without those that were dropped. */
function withoutHidden(body: string): string {
    const list = JSON.parse(body) as { identifiers?: { name: string }[] };
    return JSON.stringify({
        ...list,
        identifiers: list.identifiers?.filter(({ name }) => !isHidden(name)),
    });
}
