import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { pathSegment } from "../http/path-segment.ts";
import type { ResourceDefinition } from "../resource.ts";
import { isNotFound, LakekeeperClient, repeated } from "./client.ts";
import { connectionEffect, connectionSchema } from "./connection.ts";
import { projectId, serverId } from "./ids.ts";
import { type Info, infoIfThere, sharedInfo } from "./server-info.ts";
import { isDeactivated, projectOfWarehouse, refuseHiddenProject } from "./visibility.ts";
import { describeProject } from "./warehouse-api.ts";

/** The only queue of a project; the others belong to a warehouse. */
const projectQueue = "task_log_cleanup";

const inputs = z
    .strictObject({
        connection: connectionSchema,
        /** Id of the warehouse; left out for the queue of a project. */
        warehouseId: serverId("warehouse").optional(),
        /** Project of the queue `task_log_cleanup`. Default: the server's default project. */
        projectId: projectId.optional(),
        /**
         * Of a warehouse `tabular_expiration` (which newer servers call `soft_deletion`; both names work) or
         * `tabular_purge`; of a project `task_log_cleanup` (0.11 and newer).
         */
        queue: z.string().regex(/^\w+$/, { error: "must be the name of a queue, like tabular_purge" }),
        /**
         * What the queue takes beside the limit: `task_log_cleanup` takes `cleanup-period` and `retention-period` as
         * ISO 8601 durations (`P1D`), the others take nothing. Default empty.
         */
        config: z.record(z.string(), z.json()).default({}),
        /** A task without a sign of life for so long is started again. Default: the server's. */
        maxSecondsSinceLastHeartbeat: z.int().positive().optional(),
    })
    .refine(({ queue, warehouseId }) => (queue === projectQueue) === (warehouseId === undefined), {
        error: `warehouseId must be given, but not for ${projectQueue}, which belongs to a project`,
    })
    .refine(({ queue, projectId }) => queue === projectQueue || projectId === undefined, {
        error: `projectId belongs to ${projectQueue}`,
    });

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** The queue as this server calls it. */
    queueName: string;
    /** Id of the project in which the warehouse is. */
    project?: string;
}

/**
 * Settings of a queue of background tasks, of a warehouse or of a project. They always exist: deleting this sets the
 * server's defaults.
 */
export const taskQueue: ResourceDefinition<Inputs, Outputs> = {
    kind: "Lakekeeper task queue",
    inputs,
    fields: {
        connection: connectionEffect,
        warehouseId: "replace",
        projectId: "replace",
        queue: "replace",
        config: "update",
        maxSecondsSinceLastHeartbeat: "update",
    },
    secretInputs: ["connection"],

    async review({ old, new: wanted, known }, context) {
        if (old?.queue === wanted.queue || !known("connection", "queue")) return {};
        const info = await infoIfThere(new LakekeeperClient(wanted.connection, context));
        const fault = info && nameOn(info, wanted.queue).fault;
        return fault ? { faults: [fault] } : {};
    },

    async create(wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context);
        const { name: queueName, fault } = nameOn(await sharedInfo(client), wanted.queue);
        if (fault) throw new Error(`Lakekeeper: ${fault}`);
        await set(client, queueName, wanted);
        const { warehouseId, projectId = "default" } = wanted;
        const project = warehouseId && (await projectOfWarehouse(client, warehouseId));
        return { id: `${warehouseId ?? projectId}/${queueName}`, outputs: { queueName, project } };
    },

    async read(_id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        const outputs = { queueName: state.queueName, project: state.project };
        try {
            const found = await client.call(
                {
                    method: "GET",
                    path: pathOf(state.warehouseId, state.queueName),
                    action: `read the settings of queue ${state.queueName}`,
                    project: state.projectId,
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
            if (state.warehouseId && (await isDeactivated(client, state.warehouseId, error)))
                return { outputs };
            await refuseHiddenProject(client, state.project ?? state.projectId);
            return undefined;
        }
    },

    async update(_id, state, wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context);
        const changed =
            !isDeepStrictEqual(state.config, wanted.config) ||
            state.maxSecondsSinceLastHeartbeat !== wanted.maxSecondsSinceLastHeartbeat;
        if (changed) await set(client, state.queueName, wanted);
        return { queueName: state.queueName, project: state.project };
    },

    async delete(_id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        const { warehouseId, projectId } = state;
        try {
            await set(client, state.queueName, { warehouseId, projectId, config: {} });
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
function nameOn({ queues }: Info, queue: string): { name: string; fault?: string } {
    // During maintenance it tells none.
    if (queues.length === 0 || queues.includes(queue)) return { name: queue };
    const alias = aliases[queue];
    if (alias && queues.includes(alias)) return { name: alias };
    return {
        name: queue,
        fault: `the server has no queue '${queue}', and would keep settings for it without a word: choose one of ${queues.join(", ")}`,
    };
}

async function set(
    client: LakekeeperClient,
    queueName: string,
    wanted: Pick<Inputs, "warehouseId" | "projectId" | "config" | "maxSecondsSinceLastHeartbeat">,
): Promise<void> {
    const { warehouseId, projectId } = wanted;
    const where = warehouseId ? `warehouse ${warehouseId}` : describeProject(projectId);
    await repeated(() =>
        client.send({
            method: "POST",
            path: pathOf(warehouseId, queueName),
            action: `change the settings of queue ${queueName} of ${where}`,
            project: projectId,
            json: {
                "queue-config": wanted.config,
                "max-seconds-since-last-heartbeat": wanted.maxSecondsSinceLastHeartbeat,
            },
        }),
    );
}

function pathOf(warehouseId: string | undefined, queue: string): string {
    const owner = warehouseId ? `warehouse/${pathSegment(warehouseId)}` : "project";
    return `/management/v1/${owner}/task-queue/${pathSegment(queue)}/config`;
}
