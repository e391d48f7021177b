import { refuse } from "./answers.ts";
import type { DeletedTables } from "./deleted-tables.ts";
import { type IcebergCatalog, namespacePath, tablePath } from "./iceberg.ts";
import { forgetNamespace, namespaceFacts } from "./namespaces.ts";
import type { Store, Warehouse } from "./state.ts";
import { isProtected, unprotect } from "./table-protection.ts";
import { startPurge } from "./tasks.ts";

/** The rules of a drop that the Iceberg catalog behind does not know: protection, and `recursive`. */
export class Drops {
    readonly #store: Store;
    readonly #iceberg: IcebergCatalog;
    readonly #deleted: DeletedTables;

    constructor(store: Store, iceberg: IcebergCatalog, deleted: DeletedTables) {
        this.#store = store;
        this.#iceberg = iceberg;
        this.#deleted = deleted;
    }

    /**
     * What comes before the drop of a namespace: with `recursive` everything inside is dropped, one by one.
     * @throws {Refusal}
     */
    async prepareNamespace(warehouse: Warehouse, namespace: string[], { searchParams }: URL): Promise<void> {
        const flag = (name: string) => searchParams.get(name) === "true";
        const name = namespace.join(".");
        const stack = ["Error dropping Namespace in catalog"];
        if (namespaceFacts(this.#store, warehouse, namespace).protected && !flag("force")) {
            const message = `Namespace with name '${name}' is protected and force flag not set. Cannot delete protected namespace.`;
            throw refuse(409, "NamespaceProtected", message, stack);
        }
        if (!flag("recursive")) return this.#refuseContent(warehouse, namespace, stack);
        if (warehouse.deleteProfile.type === "soft" && !flag("force")) {
            const message = "Cannot recursively delete namespace with soft-deletion without force flag";
            throw refuse(400, "NamespaceDeleteNotAllowed", message);
        }
        if (!flag("force") && (await this.#holdsProtected(warehouse, namespace))) {
            const message = `Namespace with name '${name}' has protected child tables or views and force flag was not specified.`;
            throw refuse(409, "ChildTabularProtected", message, stack);
        }
        await this.#empty(warehouse, namespace, flag("purge"));
    }

    /**
     * What comes before the drop of a table.
     * @returns what to do after it
     * @throws {Refusal} when it is protected
     */
    async prepareTable(
        warehouse: Warehouse,
        { namespace, name }: { namespace: string[]; name: string },
        { searchParams }: URL,
    ): Promise<() => void> {
        const id = await this.#iceberg.tableId(namespace, name);
        if (id === undefined) return () => undefined;
        if (searchParams.get("force") !== "true" && isProtected(warehouse, id)) {
            throw refuse(
                409,
                "ProtectedTabularDeletionWithoutForce",
                `Cannot delete protected tabular Table ID '${id}' without force flag`,
                ["Error dropping tabular in catalog"],
            );
        }
        return () => {
            unprotect(this.#store, warehouse, id);
            if (searchParams.get("purgeRequested") !== "true" || warehouse.deleteProfile.type === "soft")
                return;
            startPurge(this.#store, {
                warehouseId: warehouse.id,
                entityId: id,
                entityName: [...namespace, name],
            });
        };
    }

    async #refuseContent(warehouse: Warehouse, namespace: string[], stack: string[]): Promise<void> {
        const tables = await this.#iceberg.tablesOf(namespace);
        const children = await this.#iceberg.childrenOf(namespace);
        const deleted = this.#deleted.in(warehouse, namespace);
        if (tables.length + children.length + deleted.length === 0) return;
        const name = namespace.join(".");
        throw refuse(409, "NamespaceNotEmptyException", `Namespace with name '${name}' is not empty.`, [
            `Contains ${tables.length} tables/views/generic tables, ${deleted.length} soft-deleted tables/views/generic tables and ${children.length} child namespaces.`,
            "Use 'recursive' flag to delete all content.",
            ...stack,
        ]);
    }

    async #holdsProtected(warehouse: Warehouse, namespace: string[]): Promise<boolean> {
        if (Object.keys(warehouse.protectedTables ?? {}).length === 0) return false;
        for (const table of await this.#iceberg.tablesOf(namespace)) {
            const id = await this.#iceberg.tableId(namespace, table);
            if (id !== undefined && isProtected(warehouse, id)) return true;
        }
        for (const child of await this.#iceberg.childrenOf(namespace)) {
            if (await this.#holdsProtected(warehouse, child)) return true;
        }
        return false;
    }

    async #empty(warehouse: Warehouse, namespace: string[], purge: boolean): Promise<void> {
        for (const child of await this.#iceberg.childrenOf(namespace)) {
            await this.#empty(warehouse, child, purge);
            await this.#iceberg.ask("DELETE", namespacePath(child));
            forgetNamespace(this.#store, warehouse, child);
        }
        for (const table of this.#deleted.in(warehouse, namespace)) await this.#deleted.forget(table);
        for (const table of await this.#iceberg.tablesOf(namespace)) {
            const entityId = await this.#iceberg.tableId(namespace, table);
            await this.#iceberg.ask("DELETE", tablePath(namespace, table));
            if (entityId !== undefined) unprotect(this.#store, warehouse, entityId);
            if (!purge) continue;
            const entityName = [...namespace, table];
            startPurge(this.#store, { warehouseId: warehouse.id, entityName, entityId });
        }
    }
}
