import * as z from "zod";
import type { Context, ResourceDefinition, Review } from "../resource.ts";
import { VvpClient } from "./client.ts";
import { connectionEffect, connectionSchema } from "./connection.ts";
import { dialect } from "./dialect.ts";
import { settled } from "./settle.ts";

const path = z.string().regex(/^\/\S*$/, { error: "must be a path that starts with /" });
const endpoints = /^[^:,\s]+:\d+(,[^:,\s]+:\d+)*$/;

const inputs = z.strictObject({
    connection: connectionSchema,
    name: z.string().min(1),
    bootstrapServers: z.string().regex(endpoints, { error: "must be host:port, several joined with commas" }),
    externalEndpoint: z.string().min(1).optional(),
    username: z.string().min(1).optional(),
    password: z.string().min(1).optional(),
    required: z.boolean().default(false),
    pagePath: path.default(dialect.flussConsole.page),
    clustersPath: path.default(dialect.flussConsole.clusters),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    registered: boolean;
    reason?: string;
    health: string;
    /** The console's id; empty while it never was registered. */
    clusterId: string;
}

type Cluster = z.output<typeof dialect.flussConsole.answer>;

/**
 * A registration in the Fluss Console. Since nothing of that API is confirmed, whatever goes wrong is an output, unless
 * the stack asks for more; the next run after a refresh tries again.
 */
export const flussConsoleCluster: ResourceDefinition<Inputs, Outputs> = {
    kind: "Fluss Console cluster",
    inputs,
    fields: {
        connection: connectionEffect,
        name: "replace",
        bootstrapServers: "update",
        externalEndpoint: "update",
        username: "update",
        password: "update",
        required: "update",
        pagePath: "update",
        clustersPath: "update",
    },
    secretInputs: ["password"],

    review,

    // Once a refresh has seen that the console answers.
    needsUpdate: (state, wanted) => !state.registered && (wanted.required || state.reason === undefined),

    async create(wanted, context) {
        return { id: wanted.name, outputs: await register(wanted, context) };
    },

    async read(_id, state, context) {
        const api = calls(state, context);
        try {
            await api.page();
            const found = await api.find(state.name);
            if (!found) {
                const none = { registered: false, reason: undefined, health: "UNKNOWN", clusterId: "" };
                return state.registered ? undefined : { outputs: none };
            }
            const { bootstrapServers, externalEndpoint, username } = found;
            // A password that did not arrive cannot be seen: the next run tells the console everything again.
            const { registered } = state;
            return {
                inputs: { bootstrapServers, externalEndpoint, username },
                outputs: { ...toOutputs(found), registered },
            };
        } catch (error) {
            if (state.required) throw error;
            const { registered, clusterId } = state;
            return { outputs: { registered, clusterId, health: "UNKNOWN", reason: short(error) } };
        }
    },

    async update(_id, state, wanted, context) {
        return register(wanted, context, state.clusterId);
    },

    async delete(_id, state, context) {
        // One whose change failed is still there.
        if (!state.registered && state.clusterId === "") return;
        try {
            await calls(state, context).remove(state.clusterId);
        } catch (error) {
            if (state.required) throw error;
            console.warn(`VVP: ${short(error)}\nThe registration of '${state.name}' is left to the console`);
        }
    },
};

function review({ new: { username, password } }: Review<Inputs>) {
    if ((username === undefined) === (password === undefined)) return {};
    return { faults: ["give username and password, or neither"] };
}

/** @param before id of the registration so far, which a failed change leaves in the console */
async function register(wanted: Inputs, context: Context, before = ""): Promise<Outputs> {
    const api = calls(wanted, context);
    try {
        await api.page();
        const found = await api.find(wanted.name);
        if (found) return toOutputs(await api.change(found.id));
        return toOutputs(await settled(api.create, () => api.find(wanted.name)));
    } catch (error) {
        if (wanted.required) throw error;
        const reason = short(error);
        console.warn(`VVP: the Fluss Console was not told of cluster '${wanted.name}': ${reason}`);
        return { registered: false, reason, health: "UNKNOWN", clusterId: before };
    }
}

function calls(of: Inputs, context: Context) {
    const client = new VvpClient(of.connection, context);
    const { clustersPath } = of;
    const json = dialect.flussConsole.body(of);
    return {
        page: () =>
            client.send({
                method: "GET",
                path: of.pagePath,
                action:
                    "open the Fluss Console (it needs chart 3.1.4 or later with global.flussManager.enabled; " +
                    "pagePath and clustersPath say where it is)",
            }),
        /** By name: a registration that exists is taken over, since the console has no other use for a name. */
        find: async (name: string): Promise<Cluster | undefined> => {
            const all = await client.list(
                { path: clustersPath, action: "list the clusters of the Fluss Console" },
                dialect.flussConsole.answer,
            );
            return all.find((cluster) => cluster.name === name);
        },
        create: () =>
            client.call(
                {
                    method: "POST",
                    path: clustersPath,
                    json,
                    action: `register cluster '${of.name}' in the Fluss Console`,
                },
                dialect.flussConsole.answer,
            ),
        change: (id: string) =>
            client.call(
                {
                    method: "PUT",
                    path: dialect.flussConsole.item(clustersPath, id),
                    json,
                    action: `change cluster '${of.name}' in the Fluss Console`,
                },
                dialect.flussConsole.answer,
            ),
        remove: (id: string) =>
            client.delete(
                {
                    path: dialect.flussConsole.item(clustersPath, id),
                    action: `delete cluster '${of.name}' from the Fluss Console`,
                },
                async () => false,
            ),
    };
}

function toOutputs(found: Cluster): Outputs {
    return { registered: true, reason: undefined, health: found.health, clusterId: found.id };
}

function short(error: unknown): string {
    return (error instanceof Error ? error.message : String(error)).slice(0, 400);
}
