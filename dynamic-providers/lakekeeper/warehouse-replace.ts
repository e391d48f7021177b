import type { Context, Review } from "../resource.ts";
import { LakekeeperClient } from "./client.ts";
import { contentOf, enumerate } from "./content.ts";
import { describeLocation, movingFields } from "./storage/index.ts";
import type { WarehouseInputs } from "./warehouse.ts";
import { describeProject } from "./warehouse-api.ts";
import { findListed } from "./warehouse-list.ts";

/**
 * Why a warehouse is not replaced: deletion protection is on, or something is in it that nobody asked to drop. What is
 * in it is looked up, so that the preview can name it.
 */
export async function refusedReplaces(
    { old, new: wanted, known }: Review<WarehouseInputs>,
    context: Context,
): Promise<string[]> {
    if (!old) return [];
    const moves: string[] = [];
    const moving = known("storage") && old.storage ? movingFields(old.storage, wanted.storage) : [];
    if (moving.length > 0) {
        const [from, to] = [old.storage, wanted.storage].map(describeLocation);
        moves.push(`storage cannot change from ${from} to ${to} (${moving.join(", ")})`);
    }
    if (known("projectId") && old.projectId !== wanted.projectId) {
        const [from, to] = [old.projectId, wanted.projectId].map(describeProject);
        moves.push(`it cannot move from ${from} to ${to}`);
    }
    if (moves.length === 0) return [];
    if (old.deletionProtection !== false) return moves.map(whileProtected);
    // What the last `up` asked for is what the delete will do.
    if (old.drain || !known("connection")) return [];
    const content = await contentByName(new LakekeeperClient(wanted.connection, context), old);
    return content.length > 0 ? moves.map((move) => withContent(move, old.name, content)) : [];
}

async function contentByName(client: LakekeeperClient, old: WarehouseInputs): Promise<string[]> {
    const found = await findListed(client, old.name, old.projectId);
    return found ? contentOf(client, found.warehouseId) : [];
}

function whileProtected(move: string): string {
    return (
        `${move}: that would delete the warehouse and make an empty one elsewhere, while its tables stay in the old place. ` +
        "To do it anyway, first run `pulumi up` with deletionProtection: false"
    );
}

function withContent(move: string, name: string, content: string[]): string {
    return (
        `${move}: that would delete warehouse '${name}', which is not empty: ${enumerate(content)}. ` +
        "To do it anyway, drop these first, or run `pulumi up` with drain"
    );
}
