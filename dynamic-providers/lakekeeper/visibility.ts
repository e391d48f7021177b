import { hasType, isNotFound, type LakekeeperClient } from "./client.ts";
import { describeProject, WarehouseCalls } from "./warehouse-api.ts";

/**
 * "Not found" may mean "not visible": what is in a project that the caller cannot see is not gone.
 * @throws {ApiError} when the project may not be read; a project that is gone is fine
 */
export async function refuseHiddenProject(client: LakekeeperClient, project?: string): Promise<void> {
    const action = `read ${describeProject(project)}`;
    try {
        await client.send({ method: "GET", path: "/management/v1/project", action, project });
    } catch (error) {
        if (!isNotFound(error)) throw error;
    }
}

/**
 * What a 404 about something in a warehouse means.
 * @returns whether the warehouse is there, deactivated: then what is in it cannot be seen, but is not gone
 */
export async function isDeactivated(client: LakekeeperClient, id: string, error: unknown): Promise<boolean> {
    if (!hasType(error, "NoSuchWarehouseException")) return false;
    return (await new WarehouseCalls(client, id, id).find()) !== undefined;
}

/** The project of a warehouse, by which it is told later whether the caller still sees it. */
export async function projectOfWarehouse(client: LakekeeperClient, id: string): Promise<string | undefined> {
    return (await new WarehouseCalls(client, id, id).find())?.["project-id"];
}
