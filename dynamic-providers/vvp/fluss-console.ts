import * as z from "zod";
import type { Context, ResourceDefinition, Review } from "../resource.ts";
import { VvpClient } from "./client.ts";
import { connectionEffect, connectionSchema, unlessMoved } from "./connection.ts";
import { dialect } from "./dialect.ts";
import { oncePerRun, RunList } from "./once.ts";
import { settled } from "./settle.ts";
import { waitFor } from "./waiting.ts";

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
    healthSeconds: z.number().nonnegative().default(30),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    registered: boolean;
    reason?: string;
    health: string;
    /** Why the console does not show it as HEALTHY, or why that is not known. */
    finding?: string;
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
    deleteBeforeReplace: unlessMoved,
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
        healthSeconds: "ignore",
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
                // The console answers now: the next run registers it.
                const none = { registered: false, reason: undefined, finding: undefined };
                return state.registered
                    ? undefined
                    : { outputs: { ...none, health: unknownHealth, clusterId: "" } };
            }
            const { bootstrapServers, externalEndpoint, username } = found;
            // A password that did not arrive cannot be seen: the next run tells the console everything again.
            const { registered } = state;
            return {
                inputs: { bootstrapServers, externalEndpoint, username },
                outputs: { ...toOutputs(found, state, "tells no health"), registered },
            };
        } catch (error) {
            if (state.required) throw error;
            const { registered, clusterId } = state;
            return { outputs: { registered, clusterId, ...notKnown(error) } };
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
        const registered = found
            ? await api.change(found.id)
            : await settled(api.create, () => api.look(wanted.name));
        await api.put(registered);
        return await withHealth(registered, api, wanted);
    } catch (error) {
        if (wanted.required) throw error;
        console.warn(`VVP: the Fluss Console was not told of cluster '${wanted.name}': ${short(error)}`);
        return { registered: false, clusterId: before, ...notKnown(error) };
    }
}

/** The console needs a moment to look at a new cluster. That it tells nothing fails nothing: the registration stands. */
async function withHealth(
    registered: Cluster,
    api: ReturnType<typeof calls>,
    { name, healthSeconds, ...rest }: Inputs,
): Promise<Outputs> {
    let last = registered;
    let why = `told no health within ${healthSeconds} s`;
    if (last.health === unknownHealth) {
        try {
            await waitFor({
                what: `the Fluss Console to look at cluster '${name}'`,
                deadlineSeconds: healthSeconds,
                probe: async () => (last = (await api.look(name)) ?? last),
                done: ({ health }) => health !== unknownHealth,
                describe: ({ health }) => `its health is ${health}`,
            });
        } catch (error) {
            if (!/^VVP: waited/.test(short(error)))
                why = `could not be asked for its health: ${short(error)}`;
        }
    }
    return toOutputs(last, { name, ...rest }, why);
}

function calls(of: Inputs, context: Context) {
    const client = new VvpClient(of.connection, context, of.password === undefined ? [] : [of.password]);
    const { clustersPath } = of;
    const json = dialect.flussConsole.body(of);
    const list = () =>
        client.list(
            { path: clustersPath, action: "list the clusters of the Fluss Console" },
            dialect.flussConsole.answer,
        );
    const seen = new RunList(context, client.key("clusters", client.namespace, clustersPath), list);
    const named = (name: string) => (cluster: Cluster) => cluster.name === name;
    return {
        /** Asked for once a run. */
        page: () =>
            oncePerRun(context, client.key("page", client.namespace, of.pagePath), () =>
                client.send({
                    method: "GET",
                    path: of.pagePath,
                    action:
                        "open the Fluss Console (it needs chart 3.1.4 or later with global.flussManager.enabled; " +
                        "pagePath and clustersPath say where it is)",
                }),
            ),
        /**
         * By name, in the list that is read once a run: a registration that exists is taken over, since the console has no
         * other use for a name.
         */
        find: async (name: string): Promise<Cluster | undefined> => (await seen.all()).find(named(name)),
        /** As {@link find}, read anew. */
        look: async (name: string): Promise<Cluster | undefined> => (await list()).find(named(name)),
        put: (cluster: Cluster) => seen.put(cluster, named(cluster.name)),
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
        remove: async (id: string) => {
            await client.delete(
                {
                    path: dialect.flussConsole.item(clustersPath, id),
                    action: `delete cluster '${of.name}' from the Fluss Console`,
                },
                async () => (await list()).every((cluster) => cluster.id !== id),
            );
            await seen.drop((cluster) => cluster.id === id);
        },
    };
}

const unknownHealth = "UNKNOWN";

/** @param why what the console did, when it told no health */
function toOutputs(
    { health, id }: Cluster,
    { name, bootstrapServers, pagePath }: Pick<Inputs, "name" | "bootstrapServers" | "pagePath">,
    why: string,
): Outputs {
    const finding =
        health === "HEALTHY"
            ? undefined
            : health === unknownHealth
              ? `the Fluss Console knows the cluster, but ${why}. Its API is not public, so that the answer may have another form: look at ${pagePath} of the platform`
              : `the Fluss Console shows the cluster as ${health}. Its Servers page says which server; the platform's namespace must reach ${bootstrapServers}`;
    if (finding) console.warn(`warning: Fluss Console cluster '${name}': ${finding}`);
    return { registered: true, reason: undefined, health, finding, clusterId: id };
}

function notKnown(error: unknown): Pick<Outputs, "health" | "reason" | "finding"> {
    const reason = short(error);
    return { health: unknownHealth, reason, finding: `the Fluss Console could not be asked: ${reason}` };
}

function short(error: unknown): string {
    return (error instanceof Error ? error.message : String(error)).slice(0, 400);
}
