import type { Answer } from "./answers.ts";
import { refuse } from "./answers.ts";
import { decodeBody } from "./decode.ts";
import type { Request, Route } from "./http.ts";
import { uuidv7 } from "./ids.ts";
import type { NamespaceFacts, Store, Warehouse } from "./state.ts";
import { notFound } from "./warehouse-not-found.ts";

/** What the server keeps about a namespace beside the Iceberg catalog. Made at the first sight of it. */
export function namespaceFacts(store: Store, warehouse: Warehouse, namespace: string[]): NamespaceFacts {
    const name = namespace.join("\u001f");
    const known = warehouse.namespaceFacts?.[name];
    if (known) return known;
    const facts = { id: uuidv7(), protected: false };
    warehouse.namespaceFacts = { ...warehouse.namespaceFacts, [name]: facts };
    store.save();
    return facts;
}

/** After a drop: a namespace of that name that is made again has another id, and so have those below it. */
export function forgetNamespace(store: Store, warehouse: Warehouse, namespace: string[]): void {
    const name = namespace.join("\u001f");
    const kept = Object.entries(warehouse.namespaceFacts ?? {}).filter(
        ([other]) => other !== name && !other.startsWith(`${name}\u001f`),
    );
    warehouse.namespaceFacts = Object.fromEntries(kept);
    store.save();
}

/** Protection of namespaces, which is management and not Iceberg. */
export function namespaceRoutes(store: Store): Route[] {
    const path = "/management/v1/warehouse/{warehouse_id}/namespace/{namespace_id}/protection";
    return [
        {
            method: "GET",
            path,
            operationId: "get_namespace_protection",
            handle: (request) => showProtection(find(store, request)),
        },
        {
            method: "POST",
            path,
            operationId: "set_namespace_protection",
            handle: (request) => {
                const facts = find(store, request);
                facts.protected = decodeBody(request.headers["content-type"], request.body, (body) =>
                    body.boolean("protected"),
                );
                facts.protectionChangedAt = new Date().toISOString();
                store.save();
                return showProtection(facts);
            },
        },
    ];
}

function find(store: Store, request: Request): NamespaceFacts {
    const { warehouse_id: warehouseId = "", namespace_id: id } = request.params;
    const warehouse = store.warehouse(warehouseId);
    if (!warehouse) throw notFound(warehouseId);
    const facts = Object.values(warehouse.namespaceFacts ?? {}).find((candidate) => candidate.id === id);
    if (!facts) {
        throw refuse(404, "NoSuchNamespaceException", `Namespace with id '${id}' does not exist`, [
            "Namespace not found or access denied",
        ]);
    }
    return facts;
}

function showProtection(facts: NamespaceFacts): Answer {
    const { protected: isProtected, protectionChangedAt = null } = facts;
    return { status: 200, json: { protected: isProtected, updated_at: protectionChangedAt } };
}
