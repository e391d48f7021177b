import { empty, refuse } from "./answers.ts";
import { decodeBody } from "./decode.ts";
import type { Route } from "./http.ts";
import { hiddenName, type IcebergCatalog, tablePath } from "./iceberg.ts";
import { uuidv7 } from "./ids.ts";
import { endingPage } from "./page.ts";
import type { DeletedTable, Store, Warehouse } from "./state.ts";
import { cancelTask, startPurge, startTask } from "./tasks.ts";
import { notFound } from "./warehouse-not-found.ts";

/**
 * Tables that were dropped in a warehouse with `soft` deletion: until they expire they can be brought back, and they
 * keep their namespace and warehouse from being deleted. The Iceberg catalog behind knows nothing of that: there such a
 * table gets another name, which is never shown.
 */
export class DeletedTables {
    readonly #store: Store;
    readonly #iceberg: IcebergCatalog;

    constructor(store: Store, iceberg: IcebergCatalog) {
        this.#store = store;
        this.#iceberg = iceberg;
    }

    /** Those in a namespace itself. */
    in(warehouse: Warehouse, namespace: string[]): DeletedTable[] {
        return this.#store.state.deletedTables.filter(
            (table) => table.warehouseId === warehouse.id && same(table.namespace, namespace),
        );
    }

    /** Drops a table so that it can be brought back. @returns the catalog's answer when it cannot */
    async drop(
        warehouse: Warehouse,
        table: { namespace: string[]; name: string; purge: boolean },
    ): Promise<{ status: number; json: unknown } | undefined> {
        const { namespace, name, purge } = table;
        const id = (await this.#iceberg.tableId(namespace, name)) ?? uuidv7();
        const renamed = await this.#rename(namespace, name, hiddenName(name, id));
        if (renamed.status >= 300) return renamed;
        const seconds =
            warehouse.deleteProfile.type === "soft" ? warehouse.deleteProfile["expiration-seconds"] : 0;
        const [now, endsAt] = [new Date().toISOString(), Date.now() + seconds * 1000];
        this.#store.state.deletedTables.push({
            id,
            name,
            namespace,
            warehouseId: warehouse.id,
            createdAt: now,
            deletedAt: now,
            expiresAt: new Date(endsAt).toISOString(),
            purge,
        });
        const entityName = [...namespace, name];
        startTask(this.#store, {
            warehouseId: warehouse.id,
            queue: "tabular_expiration",
            entityId: id,
            entityName,
            endsAt,
        });
        return undefined;
    }

    /** Drops for good what has expired. */
    async settle(): Promise<void> {
        const due = this.#store.state.deletedTables.filter(
            ({ expiresAt }) => Date.parse(expiresAt) <= Date.now(),
        );
        for (const table of due) {
            await this.forget(table);
            const { warehouseId, id: entityId, namespace, name } = table;
            if (table.purge) {
                startPurge(this.#store, { warehouseId, entityId, entityName: [...namespace, name] });
            }
        }
    }

    /** Drops one for good. */
    async forget(table: DeletedTable): Promise<void> {
        await this.#iceberg.ask("DELETE", tablePath(table.namespace, hiddenName(table.name, table.id)));
        cancelTask(this.#store, table.id);
        this.#remove(table);
    }

    routes(): Route[] {
        const base = "/management/v1/warehouse/{warehouse_id}/deleted-tabulars";
        return [
            {
                method: "GET",
                path: base,
                operationId: "list_deleted_tabulars",
                handle: async (request) => {
                    await this.settle();
                    const { id } = this.#find(request.params["warehouse_id"] ?? "");
                    const all = this.#store.state.deletedTables.filter(
                        ({ warehouseId }) => warehouseId === id,
                    );
                    const { items, token } = endingPage(all, request.query);
                    return { status: 200, json: { tabulars: items.map(show), "next-page-token": token } };
                },
            },
            {
                method: "POST",
                path: `${base}/undrop`,
                operationId: "undrop_tabulars",
                handle: async (request) => {
                    const { id } = this.#find(request.params["warehouse_id"] ?? "");
                    const wanted = decodeBody(request.headers["content-type"], request.body, (body) =>
                        body.objects("targets").map((target) => target.string("id")),
                    );
                    const tables = wanted.map((one) => this.#deleted(id, one));
                    for (const table of tables) {
                        await this.#rename(table.namespace, hiddenName(table.name, table.id), table.name);
                        cancelTask(this.#store, table.id);
                        this.#remove(table);
                    }
                    return empty(204);
                },
            },
        ];
    }

    #find(id: string): Warehouse {
        const warehouse = this.#store.warehouse(id);
        if (!warehouse) throw notFound(id);
        return warehouse;
    }

    #deleted(warehouseId: string, id: string): DeletedTable {
        const found = this.#store.state.deletedTables.find(
            (table) => table.warehouseId === warehouseId && table.id === id,
        );
        if (found) return found;
        throw refuse(404, "NoSuchTabularException", `Tabular with id '${id}' does not exist`);
    }

    #rename(namespace: string[], from: string, to: string): ReturnType<IcebergCatalog["ask"]> {
        return this.#iceberg.ask("POST", "/v1/tables/rename", {
            source: { namespace, name: from },
            destination: { namespace, name: to },
        });
    }

    #remove(table: DeletedTable): void {
        this.#store.state.deletedTables = this.#store.state.deletedTables.filter((other) => other !== table);
        this.#store.save();
    }
}

function same(one: string[], other: string[]): boolean {
    return one.join("\u001f") === other.join("\u001f");
}

function show(table: DeletedTable): Record<string, unknown> {
    return {
        id: table.id,
        name: table.name,
        namespace: table.namespace,
        typ: "table",
        "warehouse-id": table.warehouseId,
        "created-at": table.createdAt,
        "deleted-at": table.deletedAt,
        "expiration-date": table.expiresAt,
    };
}
