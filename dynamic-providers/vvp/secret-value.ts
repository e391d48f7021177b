import * as z from "zod";
import { secretValueName } from "../../model/names.ts";
import { type Context, PartialCreateError, type ResourceDefinition } from "../resource.ts";
import { VvpClient } from "./client.ts";
import { connectionEffect, connectionSchema, unlessMoved } from "./connection.ts";
import { DeploymentCalls } from "./deployment-calls.ts";
import { dialect } from "./dialect.ts";
import {
    type RestartOptions,
    restartNote,
    restartUsers,
    runningUsers,
    unrecorded,
} from "./secret-restart.ts";
import { createOnce, settled } from "./settle.ts";

const inputs = z.strictObject({
    connection: connectionSchema,
    name: secretValueName,
    value: z.string().min(1, { error: "is empty" }),
    restartJobs: z.enum(["NEVER", "WITH_STATE", "WITHOUT_STATE"]).default("NEVER"),
    timeoutSeconds: z.number().positive().default(900),
    adopt: z.boolean().default(false),
    mark: z.string().optional(),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** The platform's count of changes after our last write; the value itself can never be read. */
    version: string;
    /** True when a refresh found that somebody else has written since. */
    changedOutside: boolean;
    /** Ids of deployments whose job could not be restarted with the new value. */
    restartPending?: string[];
}

/** A secret of the namespace, named by jobs as `${secret_values.<name>}` (v1). Its value goes in and never comes out. */
export const secretValue: ResourceDefinition<Inputs, Outputs> = {
    kind: "VVP secret value",
    inputs,
    deleteBeforeReplace: unlessMoved,
    fields: {
        connection: connectionEffect,
        name: "replace",
        value: "update",
        restartJobs: "ignore",
        timeoutSeconds: "ignore",
        adopt: "ignore",
        mark: "ignore",
    },
    secretInputs: ["value"],

    needsUpdate: (state) => state.changedOutside || (state.restartPending ?? []).length > 0,

    async create(wanted, context) {
        const api = calls(wanted, context);
        const { object, adopted } = await createOnce({
            what: `secret value '${wanted.name}' in namespace '${api.client.namespace}'`,
            adopt: wanted.adopt,
            mark: wanted.mark,
            find: api.find,
            create: () =>
                api.client.call(
                    {
                        method: "POST",
                        path: api.collection,
                        json: dialect.secretValue.body(wanted),
                        action: `create secret value '${wanted.name}'`,
                    },
                    dialect.secretValue.answer,
                ),
        });
        if (!adopted) return { id: wanted.name, outputs: toOutputs(object) };
        return { id: wanted.name, outputs: toOutputs(await api.write()) };
    },

    async read(_id, state, context) {
        const found = await calls(state, context).find();
        if (!found) return undefined;
        const changedOutside = state.changedOutside || found.version !== state.version;
        const { version, restartPending } = state;
        // That of our last write, which a note of restarts is told by.
        return { outputs: { version, changedOutside, restartPending } };
    },

    async update(id, state, wanted, context) {
        const api = calls(wanted, context);
        const changed = state.value !== wanted.value || state.changedOutside;
        let object: Awaited<ReturnType<typeof api.find>>;
        let stopped: string[] = [];
        try {
            if (!changed) object = await api.find();
            else if (wanted.restartJobs === "NEVER") object = await api.write();
            else {
                stopped = unrecorded((await api.find())?.restart, state.version);
                const reference = dialect.secretValue.reference(wanted.name);
                const running = await runningUsers(
                    new DeploymentCalls(wanted.connection, context),
                    reference,
                );
                const ids = [...new Set([...stopped, ...running])];
                object = await api.write(restartNote({ from: state.version, ids }));
            }
        } catch (error) {
            if (!changed) throw error;
            // Whether the new value arrived is not known: the next run writes it again.
            const message = error instanceof Error ? error.message : String(error);
            throw new PartialCreateError(id, { version: state.version, changedOutside: true }, message);
        }
        if (object) {
            const left = changed ? undefined : (state.restartPending ?? []);
            const restartPending = await restartJobs(wanted, object, { left, stopped }, context);
            return { ...toOutputs(object), restartPending };
        }
        throw new Error(
            `VVP: secret value '${wanted.name}' is not there at ${wanted.connection.url}. What to do: \`pulumi refresh\``,
        );
    },

    async delete(_id, state, context) {
        const api = calls(state, context);
        await api.client.delete(
            { path: api.item, action: `delete secret value '${state.name}'` },
            async () => (await api.find()) === undefined,
        );
    },
};

/** Restarts what uses the value, when that is asked for. @throws with those that are left, for the next run */
async function restartJobs(
    wanted: Inputs,
    object: z.output<typeof dialect.secretValue.answer>,
    before: Pick<RestartOptions, "left" | "stopped">,
    context: Context,
): Promise<string[]> {
    if (wanted.restartJobs === "NEVER" || before.left?.length === 0) return [];
    const { left, reasons } = await restartUsers(new DeploymentCalls(wanted.connection, context), {
        reference: dialect.secretValue.reference(wanted.name),
        withState: wanted.restartJobs === "WITH_STATE",
        timeoutSeconds: wanted.timeoutSeconds,
        ...before,
    });
    if (left.length === 0) return [];
    throw new PartialCreateError(
        wanted.name,
        { ...toOutputs(object), restartPending: left },
        `VVP: secret value '${wanted.name}' is written, but jobs that use it could not be restarted with it:\n${reasons.join("\n")}`,
    );
}

function calls(
    { connection, name, value, mark }: Pick<Inputs, "connection" | "name" | "value" | "mark">,
    context: Context,
) {
    const client = new VvpClient(connection, context, [value]);
    const collection = dialect.secretValue.collection(client.namespace);
    const item = dialect.secretValue.item(client.namespace, name);
    const find = () =>
        client.find(
            { path: item, action: `read secret value '${name}'` },
            collection,
            dialect.secretValue.answer,
        );
    const patch = (restart: string | undefined) =>
        client.call(
            {
                method: "PATCH",
                path: item,
                json: dialect.secretValue.patch({ value, mark, restart }),
                action: `change secret value '${name}'`,
            },
            dialect.secretValue.answer,
        );
    return {
        client,
        collection,
        item,
        find,
        /**
         * Writing the same value twice does no harm, so a lost answer is settled by writing again.
         * @param restart a note of the jobs that will be restarted
         */
        write: (restart?: string) =>
            settled(
                () => patch(restart),
                () => patch(restart),
            ),
    };
}

function toOutputs(found: z.output<typeof dialect.secretValue.answer>): Outputs {
    return { version: found.version, changedOutside: false };
}
