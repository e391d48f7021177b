import { type Answer, refuse } from "./answers.ts";
import { decodeBody } from "./decode.ts";
import type { Request, Route } from "./http.ts";
import type { IcebergCatalog } from "./iceberg.ts";
import type { Store, Warehouse } from "./state.ts";
import { notFound } from "./warehouse-not-found.ts";

/** Protection of tables, which is management and not Iceberg. */
export function tableProtectionRoutes(store: Store, iceberg: IcebergCatalog): Route[] {
    const path = "/management/v1/warehouse/{warehouse_id}/table/{table_id}/protection";
    return [
        {
            method: "GET",
            path,
            operationId: "get_table_protection",
            handle: async (request) => {
                const { warehouse, id } = await find(store, iceberg, request);
                return show(isProtected(warehouse, id), warehouse.protectedTables?.[id] ?? null);
            },
        },
        {
            method: "POST",
            path,
            operationId: "set_table_protection",
            handle: async (request) => {
                const wanted = decodeBody(request.headers["content-type"], request.body, (body) =>
                    body.boolean("protected"),
                );
                const { warehouse, id } = await find(store, iceberg, request);
                const now = new Date().toISOString();
                if (wanted) warehouse.protectedTables = { ...warehouse.protectedTables, [id]: now };
                else unprotect(store, warehouse, id);
                store.save();
                return show(wanted, now);
            },
        },
    ];
}

export function isProtected(warehouse: Warehouse, tableId: string): boolean {
    return warehouse.protectedTables?.[tableId] !== undefined;
}

/** Takes the protection off, or forgets it with the table. */
export function unprotect(store: Store, warehouse: Warehouse, tableId: string): void {
    if (!isProtected(warehouse, tableId)) return;
    delete warehouse.protectedTables?.[tableId];
    store.save();
}

/** @throws {Refusal} 404; the text for a table follows that for a namespace and was not observed */
async function find(
    store: Store,
    iceberg: IcebergCatalog,
    request: Request,
): Promise<{ warehouse: Warehouse; id: string }> {
    const { warehouse_id: warehouseId = "", table_id: id = "" } = request.params;
    const warehouse = store.warehouse(warehouseId);
    if (!warehouse) throw notFound(warehouseId);
    for (const namespace of warehouse.namespaces) {
        if (await holds(iceberg, [namespace], id)) return { warehouse, id };
    }
    throw refuse(404, "NoSuchTableException", `Table with id '${id}' does not exist`, [
        "Tabular not found or access denied",
    ]);
}

async function holds(iceberg: IcebergCatalog, namespace: string[], id: string): Promise<boolean> {
    for (const table of await iceberg.tablesOf(namespace)) {
        if ((await iceberg.tableId(namespace, table)) === id) return true;
    }
    for (const child of await iceberg.childrenOf(namespace)) {
        if (await holds(iceberg, child, id)) return true;
    }
    return false;
}

function show(isOn: boolean, changedAt: string | null): Answer {
    return { status: 200, json: { protected: isOn, updated_at: changedAt } };
}
