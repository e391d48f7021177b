import { setTimeout as sleep } from "node:timers/promises";
import { hasType, isAmbiguous, isNotFound, type LakekeeperClient } from "./client.ts";
import { contentOf, enumerate } from "./content.ts";
import { type Drain, drainWarehouse, unfinishedTasks } from "./drain.ts";
import { WarehouseCalls } from "./warehouse-api.ts";
import { forgetList } from "./warehouse-list.ts";

/** Purging the files of a dropped table takes seconds; what takes longer is told and tried by the next run. */
const taskSeconds = 60;

/**
 * Deletes a warehouse that is empty, or after it was emptied when that is asked for.
 * @throws {Error} while deletion protection is on, or when something is in it; what is in it is listed before
 *   anything is sent, and what blocks longer than the deadline is named
 */
export async function deleteWarehouse(
    client: LakekeeperClient,
    id: string,
    state: { name: string; deletionProtection: boolean; drain?: Drain },
): Promise<void> {
    if (state.deletionProtection !== false) {
        throw new Error(
            `Lakekeeper: warehouse '${state.name}' is not deleted, since deletionProtection is on.\n` +
                "What to do: run `pulumi up` with deletionProtection: false first",
        );
    }
    const calls = new WarehouseCalls(client, id, `'${state.name}'`);
    const seconds = state.drain?.deadlineSeconds ?? taskSeconds;
    const deadline = Date.now() + seconds * 1000;
    if (state.drain) await drainWarehouse(client, id, state.name, state.drain);
    else await refuseContent(client, id, state.name);
    for (let pause = 500; ; pause = Math.min(pause * 2, 5000)) {
        try {
            await calls.delete();
            return forgetList(client);
        } catch (error) {
            if (isNotFound(error)) return;
            if (isAmbiguous(error) && (await calls.find()) === undefined) return;
            // Somebody may have made a table since.
            if (hasType(error, "WarehouseNotEmpty")) await refuseContent(client, id, state.name);
            if (!hasType(error, "WarehouseHasUnfinishedTasks")) throw error;
            if (Date.now() >= deadline) throw await stillBusy(client, id, state.name, seconds, error);
            await sleep(Math.max(50, Math.min(pause, deadline - Date.now())));
        }
    }
}

async function stillBusy(
    client: LakekeeperClient,
    id: string,
    name: string,
    seconds: number,
    error: Error,
): Promise<Error> {
    const tasks = await unfinishedTasks(client, id);
    if (tasks.length === 0) return error;
    return new Error(
        `Lakekeeper: warehouse '${name}' is not deleted: after ${seconds} s the server still has work to do in it: ` +
            `${enumerate(tasks)}.\n` +
            "What to do: try again later, or look into the log of the server's pod why these tasks do not end",
        { cause: error },
    );
}

async function refuseContent(client: LakekeeperClient, id: string, name: string): Promise<void> {
    const content = await contentOf(client, id);
    if (content.length === 0) return;
    throw new Error(
        `Lakekeeper: warehouse '${name}' is not deleted, since it is not empty: ${enumerate(content)}.\n` +
            "What to do: drop these tables and namespaces first, or let `drain` do it, or keep the warehouse and " +
            "remove it from the state with `pulumi state delete`",
    );
}
