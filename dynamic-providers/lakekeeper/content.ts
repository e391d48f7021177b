import * as z from "zod";
import { ApiError } from "../http/api-error.ts";
import { pathSegment } from "../http/path-segment.ts";
import type { LakekeeperClient } from "./client.ts";

/** A list for people need not be complete; what is not named is counted. */
const shown = 10;

/**
 * What is in a warehouse: tables by their full names, and namespaces that have none.
 * Empty when it is empty, or when the catalog does not tell, for example since the warehouse is deactivated: the
 * server itself refuses to delete what is not empty.
 */
export async function contentOf(client: LakekeeperClient, warehouseId: string): Promise<string[]> {
    try {
        const namespaces = await topNamespaces(client, warehouseId);
        const found: string[] = [];
        for (const namespace of namespaces.slice(0, shown)) {
            const tables = await tablesOf(client, warehouseId, namespace);
            found.push(...(tables.length > 0 ? tables : [`${namespace.join(".")} (namespace)`]));
        }
        found.push(...namespaces.slice(shown).map((namespace) => `${namespace.join(".")} (namespace)`));
        return found;
    } catch (error) {
        if (error instanceof ApiError) return [];
        throw error;
    }
}

/** Namespaces of a warehouse that are in no other. */
export async function topNamespaces(client: LakekeeperClient, warehouseId: string): Promise<string[][]> {
    const { namespaces } = await client.call(
        {
            method: "GET",
            path: `/catalog/v1/${pathSegment(warehouseId)}/namespaces`,
            action: "list the namespaces of the warehouse",
            // A catalog that does not answer is told, not waited for.
            retryStatuses: [],
        },
        z.looseObject({ namespaces: z.array(z.array(z.string())) }),
    );
    return namespaces;
}

/** A namespace's path in the catalog. The parts of a nested one are joined by the unit separator. */
export function namespacePath(warehouseId: string, namespace: string[]): string {
    const name = pathSegment(namespace.join("\u001f"));
    return `/catalog/v1/${pathSegment(warehouseId)}/namespaces/${name}`;
}

/** The first names of a list, and how many are left. */
export function enumerate(names: string[]): string {
    const rest = names.length - shown;
    return names.slice(0, shown).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

async function tablesOf(
    client: LakekeeperClient,
    warehouseId: string,
    namespace: string[],
): Promise<string[]> {
    const path = `${namespacePath(warehouseId, namespace)}/tables`;
    const { identifiers } = await client.call(
        { method: "GET", path, action: `list the tables of namespace '${namespace.join(".")}'` },
        z.looseObject({ identifiers: z.array(z.looseObject({ name: z.string() })) }),
    );
    return identifiers.map((table) => [...namespace, table.name].join("."));
}
