import { ApiError } from "../http/api-error.ts";
import type { LakekeeperClient } from "./client.ts";
import { listWarehouses, sameName, type WarehouseAnswer } from "./warehouse-api.ts";

/**
 * How long one list serves all warehouses of a run. What others do in the meantime the server's own check finds, and
 * what this process does is added.
 */
const sharedMilliseconds = 10_000;

interface SharedList {
    until: number;
    listed: Promise<WarehouseAnswer[]>;
    made: WarehouseAnswer[];
}

const lists = new Map<string, SharedList>();

/** The active warehouses of a project, asked once for all that are made at the same time. */
export async function sharedList(client: LakekeeperClient, project?: string): Promise<WarehouseAnswer[]> {
    const list = current(client, project) ?? start(client, project);
    const listed = await list.listed;
    const ids = new Set(listed.map(({ warehouseId }) => warehouseId));
    return [...listed, ...list.made.filter(({ warehouseId }) => !ids.has(warehouseId))];
}

/** The active warehouse of a name, for a preview: undefined also when the server does not answer. */
export async function findListed(
    client: LakekeeperClient,
    name: string,
    project?: string,
): Promise<WarehouseAnswer | undefined> {
    try {
        return (await sharedList(client, project)).find((listed) => sameName(listed.name, name));
    } catch (error) {
        if (error instanceof ApiError) return undefined;
        throw error;
    }
}

/** A warehouse that was made since the list was asked for. */
export function noteMade(client: LakekeeperClient, project: string | undefined, made: WarehouseAnswer): void {
    // The default project can be asked for with and without its id.
    for (const key of new Set([project, made["project-id"]])) current(client, key)?.made.push(made);
}

/** After a change to a warehouse: the next one asks anew. */
export function forgetList(client: LakekeeperClient): void {
    for (const key of lists.keys()) if (key.startsWith(`${client.url} `)) lists.delete(key);
}

function start(client: LakekeeperClient, project?: string): SharedList {
    const key = keyOf(client, project);
    const listed = listWarehouses(client, project);
    const list = { until: Date.now() + sharedMilliseconds, listed, made: [] };
    lists.set(key, list);
    listed.catch(() => lists.delete(key));
    return list;
}

function current(client: LakekeeperClient, project?: string): SharedList | undefined {
    const list = lists.get(keyOf(client, project));
    return list && list.until > Date.now() ? list : undefined;
}

function keyOf(client: LakekeeperClient, project: string | undefined): string {
    return `${client.url} ${project ?? ""}`;
}
