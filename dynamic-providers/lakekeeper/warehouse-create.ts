import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { PartialCreateError } from "../resource.ts";
import { hasType, isAmbiguous, type LakekeeperClient } from "./client.ts";
import { refuseUnsupported } from "./server-gate.ts";
import { secretsOf } from "./storage/credential.ts";
import { describeLocation, fromProfile, overlaps, samePlace } from "./storage/index.ts";
import {
    createBody,
    describeProject,
    listWarehouses,
    sameName,
    type WarehouseAnswer,
    type WarehouseBody,
    WarehouseCalls,
    warehouseAnswer,
} from "./warehouse-api.ts";
import { forgetList, noteMade, sharedList } from "./warehouse-list.ts";

/** What a new warehouse is made of, and how it is made. */
export interface NewWarehouse extends WarehouseBody {
    projectId?: string;
    adopt: boolean;
    storageWaitSeconds: number;
}

/**
 * Makes a warehouse once. One with the same name and location is taken over when asked; one that is in the way is an
 * error before anything is sent, since the server's own check has gaps; a lost answer is settled by looking.
 */
export async function createWarehouse(
    client: LakekeeperClient,
    wanted: NewWarehouse,
): Promise<{ found: WarehouseAnswer; adopted: boolean }> {
    const release = claim(client, wanted);
    try {
        await refuseUnsupported(client, `warehouse '${wanted.name}'`, wanted);
        const siblings = await sharedList(client, wanted.projectId);
        const listed = siblings.find((sibling) => sameName(sibling.name, wanted.name));
        // The list may be some seconds old.
        const existing = listed && (await new WarehouseCalls(client, listed.warehouseId, listed.name).find());
        if (existing) return { found: takeOver(existing, wanted), adopted: true };
        refuseOverlap(
            siblings.filter((sibling) => sibling !== listed),
            wanted,
        );
        // After a failure the server may have made it all the same, so that the list is no longer true.
        const found = await post(client, wanted).catch((error: unknown) => {
            forgetList(client);
            throw error;
        });
        noteMade(client, wanted.projectId, found);
        return { found, adopted: false };
    } finally {
        release();
    }
}

/**
 * Looks for a warehouse that a change would clash with. The server answers a taken name with a 503 that looks like an
 * outage, and does not look for an overlap at all when a storage is changed (0.13.3 observed).
 */
export async function refuseClash(
    client: LakekeeperClient,
    id: string,
    wanted: Pick<NewWarehouse, "name" | "projectId" | "storage">,
): Promise<void> {
    const siblings = (await sharedList(client, wanted.projectId)).filter(
        (sibling) => sibling.warehouseId !== id,
    );
    const taken = siblings.find((sibling) => sameName(sibling.name, wanted.name));
    if (taken) {
        throw new Error(
            `Lakekeeper: the name '${wanted.name}' is taken by another warehouse of ${describeProject(wanted.projectId)} ` +
                `(id ${taken.warehouseId}).\nWhat to do: choose another name`,
        );
    }
    refuseOverlap(siblings, wanted);
}

function takeOver(existing: WarehouseAnswer, wanted: NewWarehouse): WarehouseAnswer {
    const place = fromProfile(existing["storage-profile"]);
    const where = describeLocation(place);
    const what = `Lakekeeper: warehouse '${existing.name}' exists already in ${describeProject(wanted.projectId)}`;
    if (!samePlace(wanted.storage, place)) {
        throw new Error(
            `${what}, with another location: ${where}, not ${describeLocation(wanted.storage)}.\n` +
                "What to do: choose another name, or give the location that it has",
        );
    }
    if (wanted.adopt) return existing;
    throw new Error(
        `${what} at ${where}, and this stack did not make it.\n` +
            "What to do: set adopt: true to take it over, or choose another name and keyPrefix",
    );
}

function refuseOverlap(siblings: WarehouseAnswer[], wanted: Pick<NewWarehouse, "name" | "storage">): void {
    const other = siblings.find((sibling) =>
        overlaps(wanted.storage, fromProfile(sibling["storage-profile"])),
    );
    if (other)
        throw overlapError(wanted, other.name, describeLocation(fromProfile(other["storage-profile"])));
}

function overlapError(wanted: Pick<NewWarehouse, "name" | "storage">, other: string, where: string): Error {
    return new Error(
        `Lakekeeper: warehouse '${wanted.name}' at ${describeLocation(wanted.storage)} would share objects with ` +
            `warehouse '${other}' at ${where}.\nWhat to do: give them separate folders by keyPrefix`,
    );
}

// The server checks for overlaps without a lock: of six parallel creates at one place it made five (0.13.3 observed).
const claims = new Map<string, NewWarehouse[]>();

/** Announces a create to the others in this process; returns what ends it. */
function claim(client: LakekeeperClient, wanted: NewWarehouse): () => void {
    const key = `${client.url} ${wanted.projectId ?? ""}`;
    const running = claims.get(key) ?? [];
    const other = running.find((claimed) => overlaps(wanted.storage, claimed.storage));
    if (other) throw overlapError(wanted, other.name, describeLocation(other.storage));
    claims.set(key, [...running, wanted]);
    return () =>
        claims.set(
            key,
            (claims.get(key) ?? []).filter((claimed) => claimed !== wanted),
        );
}

/** Refusals that end by themselves when key or bucket were just made. */
const settling = ["PermissionDenied", "ConfigInvalid", "NotFound"];

async function post(client: LakekeeperClient, wanted: NewWarehouse): Promise<WarehouseAnswer> {
    const started = Date.now();
    for (;;) {
        try {
            const answer = await client.call(
                {
                    method: "POST",
                    path: "/management/v1/warehouse",
                    action: `create warehouse '${wanted.name}' at ${describeLocation(wanted.storage)}`,
                    project: wanted.projectId,
                    credential: wanted.credential !== undefined,
                    secrets: secretsOf(wanted.credential),
                    json: createBody(wanted),
                },
                createAnswer,
            );
            return await completed(client, wanted, answer);
        } catch (error) {
            if (isAmbiguous(error)) {
                const made = await findMade(client, wanted);
                if (made) return made;
                throw error;
            }
            const passed = Date.now() - started;
            if (!hasType(error, ...settling) || passed >= wanted.storageWaitSeconds * 1000) throw error;
            await sleep(2000);
        }
    }
}

/** Servers up to 0.10 answer only the id. */
const createAnswer = z.union([warehouseAnswer, z.looseObject({ "warehouse-id": z.string() })]);

async function completed(
    client: LakekeeperClient,
    wanted: NewWarehouse,
    answer: z.output<typeof createAnswer>,
): Promise<WarehouseAnswer> {
    const whole = warehouseAnswer.safeParse(answer);
    if (whole.success) return whole.data;
    const id = String(answer["warehouse-id"]);
    const calls = new WarehouseCalls(client, id, `'${wanted.name}'`);
    const found = await calls.find().catch((error: Error) => {
        // It is there: the state must know it, and learns the rest from the next update.
        const known = { project: wanted.projectId, catalogUri: `${client.url}/catalog`, adopted: false };
        throw new PartialCreateError(
            id,
            known,
            `warehouse '${wanted.name}' was created, but then: ${error.message}`,
        );
    });
    if (found) return found;
    throw new Error(`Lakekeeper: warehouse '${wanted.name}' (id ${id}) was created, but is gone again`);
}

/** After a lost answer: what is at our place under our name is ours, since it was not there before. */
async function findMade(
    client: LakekeeperClient,
    wanted: NewWarehouse,
): Promise<WarehouseAnswer | undefined> {
    // A server that still works on the request when the connection breaks gets time for it.
    for (const milliseconds of [0, 2000]) {
        await sleep(milliseconds);
        const siblings = await listWarehouses(client, wanted.projectId);
        const made = siblings.find(
            (sibling) =>
                sameName(sibling.name, wanted.name) &&
                samePlace(wanted.storage, fromProfile(sibling["storage-profile"])),
        );
        if (made) return made;
    }
    return undefined;
}
