import * as z from "zod";
import { type Context, PartialCreateError, type ResourceDefinition } from "../resource.ts";
import { VvpClient } from "./client.ts";
import { connectionEffect, connectionSchema } from "./connection.ts";
import { dialect } from "./dialect.ts";
import { RunList } from "./once.ts";
import { settled } from "./settle.ts";
import { waitFor } from "./waiting.ts";

const inputs = z.strictObject({
    connection: connectionSchema,
    deploymentId: z.string().min(1),
    description: z.string().optional(),
    nativeFormat: z.boolean().optional(),
    trigger: z.string().optional(),
    timeoutSeconds: z.number().positive().default(600),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    savepointId: string;
    jobId: string;
    location: string;
    status: string;
}

type Savepoint = z.output<typeof dialect.savepoint.answer>;

/** A savepoint of a running job (v2, asynchronous). One that failed leaves no resource behind. */
export const savepoint: ResourceDefinition<Inputs, Outputs> = {
    kind: "VVP savepoint",
    inputs,
    fields: {
        connection: connectionEffect,
        deploymentId: "replace",
        description: "replace",
        nativeFormat: "replace",
        trigger: "replace",
        timeoutSeconds: "ignore",
    },
    // The old one is worth something until there is a new one.
    deleteBeforeReplace: false,

    async create(wanted, context) {
        const api = calls(wanted, context);
        // Read before one is taken, so that one that is there afterwards is new.
        await api.seen.all();
        const taken = await settled(
            () => api.take(),
            async () => {
                // Another resource may be taking one of the same job at this moment, or have taken it.
                const known = new Set((await api.seen.all()).map(({ id }) => id));
                return (await api.list()).find(
                    ({ id, description }) => !known.has(id) && description === wanted.description,
                );
            },
        );
        await api.seen.put({ id: taken.id }, ({ id }) => id === taken.id);
        return { id: taken.id, outputs: await complete(api, taken, wanted) };
    },

    async read(id, state, context) {
        const found = await calls(state, context).find(id);
        return found && { outputs: toOutputs(found) };
    },

    async update(id, _state, wanted, context) {
        const api = calls(wanted, context);
        const found = await api.find(id);
        if (found) return complete(api, found, wanted);
        throw new Error(`VVP: savepoint ${id} is not there any more. What to do: \`pulumi refresh\``);
    },

    async delete(id, state, context) {
        await calls(state, context).remove(id);
    },
};

/** Waits for its end. One that is not ready at the deadline is recorded, so that the next run goes on waiting. */
async function complete(api: Calls, taken: Savepoint, wanted: Inputs): Promise<Outputs> {
    let seen = taken;
    try {
        const done = await waitFor({
            what: `savepoint ${taken.id} of deployment ${wanted.deploymentId} to be COMPLETED`,
            deadlineSeconds: wanted.timeoutSeconds,
            probe: async () => {
                seen = (await api.find(taken.id)) ?? {
                    ...seen,
                    state: "FAILED",
                    failure: "its record is gone",
                };
                return seen;
            },
            done: ({ state }) => state === "COMPLETED",
            failed: ({ state, failure }) =>
                state === "FAILED"
                    ? `it FAILED: ${api.client.clean(failure ?? "the platform gives no reason")}`
                    : undefined,
            describe: ({ state }) => `it is still ${state}`,
        });
        return toOutputs(done);
    } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (seen.state !== "FAILED") throw new PartialCreateError(taken.id, toOutputs(seen), message);
        // Worth nothing, and in the way of the next try.
        await api.remove(taken.id).catch(() => undefined);
        throw error;
    }
}

type Calls = ReturnType<typeof calls>;

function calls(
    of: Pick<Inputs, "connection" | "deploymentId" | "description" | "nativeFormat">,
    context: Context,
) {
    const client = new VvpClient(of.connection, context);
    const collection = dialect.savepoint.collection(client.namespace);
    const what = `savepoint of deployment ${of.deploymentId}`;
    const item = (id: string) => dialect.savepoint.item(client.namespace, id);
    const find = (id: string) =>
        client.find({ path: item(id), action: `read savepoint ${id}` }, collection, dialect.savepoint.answer);
    return {
        client,
        find,
        /** Those of the whole namespace, as this run saw them first, and what it took since. */
        seen: new RunList(context, client.key(collection), () =>
            client.list({ path: collection, action: "list the savepoints" }, dialect.savepoint.identity),
        ),
        list: () =>
            client.list(
                {
                    path: collection,
                    query: dialect.savepoint.deploymentQuery(of.deploymentId),
                    action: `list the ${what}`,
                },
                dialect.savepoint.answer,
            ),
        take: () =>
            client.call(
                {
                    method: "POST",
                    path: collection,
                    json: dialect.savepoint.body(of),
                    action: `take a ${what}`,
                },
                dialect.savepoint.answer,
            ),
        remove: (id: string) =>
            client.delete(
                { path: item(id), action: `delete savepoint ${id}` },
                async () => (await find(id)) === undefined,
            ),
    };
}

function toOutputs(found: Savepoint): Outputs {
    return { savepointId: found.id, jobId: found.jobId, location: found.location, status: found.state };
}
