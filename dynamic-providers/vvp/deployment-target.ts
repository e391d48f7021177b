import * as z from "zod";
import { deploymentTargetName } from "../../model/names.ts";
import type { Context, ResourceDefinition } from "../resource.ts";
import { VvpClient } from "./client.ts";
import { connectionEffect, connectionSchema, unlessMoved } from "./connection.ts";
import { dialect } from "./dialect.ts";
import { createOnce } from "./settle.ts";

const inputs = z.strictObject({
    connection: connectionSchema,
    name: deploymentTargetName,
    kubernetesNamespace: z.string().regex(/^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, {
        error: "must be the name of a Kubernetes namespace: lower-case letters, digits, inner hyphens, at most 63",
    }),
    adopt: z.boolean().default(false),
    mark: z.string().optional(),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** The id that SQL drafts name the target by. */
    targetId: string;
    /** ONLINE or OFFLINE, when the platform says it. */
    status?: string;
}

/** The Kubernetes namespace that deployments and session clusters run in, under a name (v1, synchronous). */
export const deploymentTarget: ResourceDefinition<Inputs, Outputs> = {
    kind: "VVP deployment target",
    inputs,
    deleteBeforeReplace: unlessMoved,
    fields: {
        connection: connectionEffect,
        name: "replace",
        // The platform does not change the spec of a target.
        kubernetesNamespace: "replace",
        adopt: "ignore",
        mark: "ignore",
    },

    async create(wanted, context) {
        const api = calls(wanted, context);
        const { object } = await createOnce({
            what: `deployment target '${wanted.name}' in namespace '${api.client.namespace}'`,
            adopt: wanted.adopt,
            mark: wanted.mark,
            find: api.find,
            create: () =>
                api.client.call(
                    {
                        method: "POST",
                        path: api.collection,
                        json: dialect.deploymentTarget.body(wanted),
                        action: `create deployment target '${wanted.name}'`,
                    },
                    dialect.deploymentTarget.answer,
                ),
        });
        if (object.kubernetesNamespace !== wanted.kubernetesNamespace) {
            throw new Error(
                `VVP: deployment target '${wanted.name}' exists with the Kubernetes namespace '${object.kubernetesNamespace}', not ` +
                    `'${wanted.kubernetesNamespace}', and the platform cannot change that.\n` +
                    "What to do: give the namespace that it has, delete it first, or choose another name",
            );
        }
        return { id: wanted.name, outputs: toOutputs(object) };
    },

    async read(_id, state, context) {
        const found = await calls(state, context).find();
        if (!found) return undefined;
        return { inputs: { kubernetesNamespace: found.kubernetesNamespace }, outputs: toOutputs(found) };
    },

    async update(_id, _state, wanted, context) {
        // Only the address can differ; a target that was deleted meanwhile must not look fine.
        const found = await calls(wanted, context).find();
        if (found) return toOutputs(found);
        throw new Error(
            `VVP: deployment target '${wanted.name}' is not there at ${wanted.connection.url}. What to do: \`pulumi refresh\``,
        );
    },

    async delete(_id, state, context) {
        const api = calls(state, context);
        await api.client.delete(
            {
                path: api.item,
                action: `delete deployment target '${state.name}' (deployments and session clusters that use it must go first)`,
            },
            async () => (await api.find()) === undefined,
        );
    },
};

function calls({ connection, name }: Pick<Inputs, "connection" | "name">, context: Context) {
    const client = new VvpClient(connection, context);
    const collection = dialect.deploymentTarget.collection(client.namespace);
    const item = dialect.deploymentTarget.item(client.namespace, name);
    return {
        client,
        collection,
        item,
        find: () =>
            client.find(
                { path: item, action: `read deployment target '${name}'` },
                collection,
                dialect.deploymentTarget.answer,
            ),
    };
}

function toOutputs(found: z.output<typeof dialect.deploymentTarget.answer>): Outputs {
    return { targetId: found.id, status: found.state };
}
