import { setTimeout as sleep } from "node:timers/promises";
import { hasType, isAmbiguous, isNotFound, type LakekeeperClient } from "./client.ts";
import { contentOf, enumerate } from "./content.ts";
import { WarehouseCalls } from "./warehouse-api.ts";

/** Purging the files of a dropped table takes seconds; what takes longer is told and tried by the next run. */
const taskSeconds = 60;

/**
 * Deletes a warehouse that is empty. What is in it is listed before anything is sent.
 * @throws {Error} while deletion protection is on, or when something is in it
 */
export async function deleteWarehouse(
    client: LakekeeperClient,
    id: string,
    state: { name: string; deletionProtection: boolean; active: boolean },
): Promise<void> {
    if (state.deletionProtection !== false) {
        throw new Error(
            `Lakekeeper: warehouse '${state.name}' is not deleted, since deletionProtection is on.\n` +
                "What to do: run `pulumi up` with deletionProtection: false first",
        );
    }
    await refuseContent(client, id, state.name);
    const calls = new WarehouseCalls(client, id, `'${state.name}'`);
    const deadline = Date.now() + taskSeconds * 1000;
    for (;;) {
        try {
            return await calls.delete();
        } catch (error) {
            if (isNotFound(error)) return;
            if (isAmbiguous(error) && (await calls.find()) === undefined) return;
            // Somebody may have made a table since.
            if (hasType(error, "WarehouseNotEmpty")) await refuseContent(client, id, state.name);
            const tasks = hasType(error, "WarehouseHasUnfinishedTasks") && Date.now() < deadline;
            if (!tasks) throw error;
            await sleep(2000);
        }
    }
}

async function refuseContent(client: LakekeeperClient, id: string, name: string): Promise<void> {
    const content = await contentOf(client, id);
    if (content.length === 0) return;
    throw new Error(
        `Lakekeeper: warehouse '${name}' is not deleted, since it is not empty: ${enumerate(content)}.\n` +
            "What to do: drop these tables and namespaces first, or keep the warehouse and remove it from the state " +
            "with `pulumi state delete`",
    );
}
