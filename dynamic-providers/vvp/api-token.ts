import { createHash } from "node:crypto";
import * as z from "zod";
import type { Context, ResourceDefinition, Review } from "../resource.ts";
import { isAmbiguous, VvpClient } from "./client.ts";
import { connectionEffect, connectionSchema } from "./connection.ts";
import { dialect } from "./dialect.ts";

const inputs = z.strictObject({
    connection: connectionSchema,
    name: z.string().regex(/^(?=.{1,50}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, {
        error: "must be lower-case letters, digits and inner hyphens, at most 50",
    }),
    role: z.string().min(1),
    expireTime: z.iso
        .datetime({ offset: true, error: "must be a point in time, like 2027-01-31T00:00:00Z" })
        .optional(),
    rotation: z.string().optional(),
    mark: z.string().optional(),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    tokenName: string;
    /** Told once by the platform, when the token is made. */
    secret: string;
    /** Tells this token from a later one of the same name. */
    createTime: string;
}

/**
 * An API token. Its name on the platform ends in a hash of what makes it another token, so that a rotated one stands
 * beside the old one until everything has changed over, and one whose secret got lost is recognised and made anew.
 */
export const apiTokenResource: ResourceDefinition<Inputs, Outputs> = {
    kind: "VVP API token",
    inputs,
    fields: {
        connection: connectionEffect,
        name: "replace",
        role: "replace",
        expireTime: "replace",
        rotation: "replace",
        mark: "ignore",
    },
    deleteBeforeReplace: false,

    review,

    async create(wanted, context) {
        const tokenName = nameOf(wanted);
        const api = calls(wanted, tokenName, context);
        // Only this resource makes this name: a run before lost the secret, which nobody can read again.
        if (await api.find()) await api.remove();
        const made = await api.create(wanted).catch(async (error: unknown) => {
            if (!isAmbiguous(error)) throw error;
            if (await api.find()) await api.remove();
            return api.create(wanted);
        });
        if (made.secret !== undefined) {
            return {
                id: tokenName,
                outputs: { tokenName, secret: made.secret, createTime: made.createTime },
            };
        }
        throw new Error(
            `VVP: the platform made the API token '${tokenName}', but gave no secret with it.\n` +
                `What to do: correct the dialect '${dialect.name}' (apiToken.answer), then run again`,
        );
    },

    async read(id, state, context) {
        const found = await calls(state, id, context).find();
        // Made anew by somebody else, under the same name: ours is gone.
        if (!found || differs(found.createTime, state.createTime)) return undefined;
        const { tokenName, secret, createTime } = state;
        return { inputs: { role: found.role }, outputs: { tokenName, secret, createTime } };
    },

    async update(id, state, wanted, context) {
        const { tokenName, secret, createTime } = state;
        if (await calls(wanted, id, context).find()) return { tokenName, secret, createTime };
        throw new Error(
            `VVP: API token '${id}' is not there at ${wanted.connection.url}. What to do: \`pulumi refresh\``,
        );
    },

    async delete(id, state, context) {
        const api = calls(state, id, context);
        const found = await api.find();
        if (found && !differs(found.createTime, state.createTime)) await api.remove();
    },
};

function review({ old, new: wanted, known }: Review<Inputs>) {
    if (wanted.expireTime === undefined || !known("expireTime")) return {};
    if (Date.parse(wanted.expireTime) > Date.now()) return {};
    const reason = `expireTime ${wanted.expireTime} is past: give a later one, which makes a new token`;
    return old?.expireTime === wanted.expireTime ? { warnings: [reason] } : { faults: [reason] };
}

function nameOf({ name, role, expireTime, rotation, mark }: Inputs): string {
    const hash = createHash("sha256").update(JSON.stringify([mark, role, expireTime, rotation]));
    return `${name}-${hash.digest("hex").slice(0, 10)}`;
}

/** A platform that tells no time of making cannot tell two tokens apart. */
function differs(found: string, known: string): boolean {
    return found !== "" && known !== "" && found !== known;
}

function calls({ connection }: Pick<Inputs, "connection">, tokenName: string, context: Context) {
    const client = new VvpClient(connection, context);
    const collection = dialect.apiToken.collection(client.namespace);
    const path = dialect.apiToken.item(client.namespace, tokenName);
    const find = () =>
        client.find({ path, action: `read API token '${tokenName}'` }, collection, dialect.apiToken.answer);
    return {
        find,
        create: ({ role, expireTime }: Inputs) =>
            client.call(
                {
                    method: "POST",
                    path: collection,
                    json: dialect.apiToken.body(client.namespace, { name: tokenName, role, expireTime }),
                    action: `create API token '${tokenName}'`,
                },
                dialect.apiToken.answer,
            ),
        remove: () =>
            client.delete(
                { path, action: `delete API token '${tokenName}'` },
                async () => (await find()) === undefined,
            ),
    };
}
