import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { ResourceDefinition } from "../resource.ts";
import { isNotFound, LakekeeperClient, repeated } from "./client.ts";
import { connectionEffect, connectionSchema } from "./connection.ts";
import { sharedInfo } from "./server-info.ts";
import { isDeactivated } from "./visibility.ts";

const inputs = z.strictObject({
    connection: connectionSchema,
    warehouseId: z.string().min(1),
    /** `tabular_expiration` (which newer servers call `soft_deletion`; both names work) or `tabular_purge`. */
    queue: z.string().min(1),
    /** What the queue takes beside the limit; the two known ones take nothing. Default empty. */
    config: z.record(z.string(), z.json()).default({}),
    /** A task without a sign of life for so long is started again. Default: the server's. */
    maxSecondsSinceLastHeartbeat: z.int().positive().optional(),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** The queue as this server calls it. */
    queueName: string;
}

/** Settings of a queue of background tasks of a warehouse. They always exist: deleting this sets the server's defaults. */
export const taskQueue: ResourceDefinition<Inputs, Outputs> = {
    kind: "Lakekeeper task queue",
    inputs,
    fields: {
        connection: connectionEffect,
        warehouseId: "replace",
        queue: "replace",
        config: "update",
        maxSecondsSinceLastHeartbeat: "update",
    },
    secretInputs: ["connection"],

    async create(wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context);
        const queueName = await nameOn(client, wanted.queue);
        await set(client, queueName, wanted);
        return { id: `${wanted.warehouseId}/${queueName}`, outputs: { queueName } };
    },

    async read(_id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        const outputs = { queueName: state.queueName };
        try {
            const found = await client.call(
                {
                    method: "GET",
                    path: pathOf(state.warehouseId, state.queueName),
                    action: `read the settings of queue ${state.queueName}`,
                },
                settingsAnswer,
            );
            const { "queue-name": _, ...config } = found["queue-config"];
            const limit = found["max-seconds-since-last-heartbeat"] ?? undefined;
            return {
                inputs: { config: config as Inputs["config"], maxSecondsSinceLastHeartbeat: limit },
                outputs,
            };
        } catch (error) {
            if (!isNotFound(error)) throw error;
            // A deactivated warehouse does not show them.
            return (await isDeactivated(client, state.warehouseId, error)) ? { outputs } : undefined;
        }
    },

    async update(_id, state, wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context);
        const changed =
            !isDeepStrictEqual(state.config, wanted.config) ||
            state.maxSecondsSinceLastHeartbeat !== wanted.maxSecondsSinceLastHeartbeat;
        if (changed) await set(client, state.queueName, wanted);
        return { queueName: state.queueName };
    },

    async delete(_id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        try {
            await set(client, state.queueName, { warehouseId: state.warehouseId, config: {} });
        } catch (error) {
            // Of a deactivated warehouse the settings cannot be changed; they do nothing there either.
            if (!isNotFound(error)) throw error;
        }
    },
};

const settingsAnswer = z.looseObject({
    "queue-config": z.record(z.string(), z.unknown()),
    "max-seconds-since-last-heartbeat": z.number().nullish(),
});

/** Names of one queue in different versions. */
const aliases: Record<string, string> = {
    tabular_expiration: "soft_deletion",
    soft_deletion: "tabular_expiration",
};

/** The server takes settings for any name, also for queues that it does not have (0.13.3 observed). */
async function nameOn(client: LakekeeperClient, queue: string): Promise<string> {
    const { queues } = await sharedInfo(client);
    // During maintenance it tells none.
    if (queues.length === 0 || queues.includes(queue)) return queue;
    const alias = aliases[queue];
    if (alias && queues.includes(alias)) return alias;
    throw new Error(
        `Lakekeeper: the server has no queue '${queue}', and would keep settings for it without a word.\n` +
            `What to do: choose one of ${queues.join(", ")}`,
    );
}

async function set(
    client: LakekeeperClient,
    queueName: string,
    wanted: Pick<Inputs, "warehouseId" | "config" | "maxSecondsSinceLastHeartbeat">,
): Promise<void> {
    await repeated(() =>
        client.send({
            method: "POST",
            path: pathOf(wanted.warehouseId, queueName),
            action: `change the settings of queue ${queueName} of warehouse ${wanted.warehouseId}`,
            json: {
                "queue-config": wanted.config,
                "max-seconds-since-last-heartbeat": wanted.maxSecondsSinceLastHeartbeat,
            },
        }),
    );
}

function pathOf(warehouseId: string, queue: string): string {
    const warehouse = encodeURIComponent(warehouseId);
    return `/management/v1/warehouse/${warehouse}/task-queue/${encodeURIComponent(queue)}/config`;
}
