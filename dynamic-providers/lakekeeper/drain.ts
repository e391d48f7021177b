import * as z from "zod";
import { ApiError } from "../http/api-error.ts";
import { pathSegment } from "../http/path-segment.ts";
import { isNotFound, type LakekeeperClient } from "./client.ts";
import { namespacePath, topNamespaces } from "./content.ts";
import { WarehouseCalls } from "./warehouse-api.ts";

/** How a warehouse is emptied before it is deleted. */
export interface Drain {
    deadlineSeconds: number;
    /** Delete the files too. */
    purge: boolean;
    /** Also what is protected or could still be brought back. */
    force: boolean;
}

/**
 * Drops every namespace of a warehouse with all that is in it.
 * @throws {ApiError} when something in it is protected, or can still be brought back, and `force` is off
 */
export async function drainWarehouse(
    client: LakekeeperClient,
    id: string,
    name: string,
    { purge, force, deadlineSeconds }: Drain,
): Promise<void> {
    const deadline = Date.now() + deadlineSeconds * 1000;
    const calls = new WarehouseCalls(client, id, `'${name}'`);
    const found = await calls.find();
    if (!found) return;
    // The catalog does not serve a deactivated one.
    if (found.status !== "active") await calls.setActive(true);
    // A page of the list may be shorter than what is there.
    let namespaces = await topNamespaces(client, id);
    while (namespaces.length > 0 && Date.now() < deadline) {
        for (const namespace of namespaces) {
            try {
                await client.send({
                    method: "DELETE",
                    path: namespacePath(id, namespace),
                    query: { recursive: true, purge, force },
                    action: `drop namespace '${namespace.join(".")}' of warehouse '${name}' with all that is in it`,
                });
            } catch (error) {
                if (!isNotFound(error)) throw error;
            }
        }
        namespaces = await topNamespaces(client, id);
    }
}

const taskList = z.looseObject({
    tasks: z.array(
        z.looseObject({
            "queue-name": z.string(),
            status: z.string(),
            "entity-name": z.array(z.string()).nullish(),
        }),
    ),
});

const finished = ["SUCCESS", "CANCELLED", "FAILED", "STOPPED"];

/** What the server still does in a warehouse, for people; empty when it does not tell. */
export async function unfinishedTasks(client: LakekeeperClient, id: string): Promise<string[]> {
    try {
        const path = `/management/v1/warehouse/${pathSegment(id)}/task/list`;
        const action = "list the tasks of the warehouse";
        const { tasks } = await client.call({ method: "POST", path, action, json: {} }, taskList);
        return tasks
            .filter(({ status }) => !finished.includes(status.toUpperCase()))
            .map(
                (task) =>
                    `${task["queue-name"]} of ${task["entity-name"]?.join(".") ?? "the warehouse"} (${task.status.toLowerCase()})`,
            );
    } catch (error) {
        if (error instanceof ApiError) return [];
        throw error;
    }
}
