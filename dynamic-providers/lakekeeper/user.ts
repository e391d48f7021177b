import * as z from "zod";
import { pathSegment } from "../http/path-segment.ts";
import type { ResourceDefinition } from "../resource.ts";
import { hasType, isAmbiguous, isNotFound, LakekeeperClient, repeated } from "./client.ts";
import { connectionEffect, connectionSchema } from "./connection.ts";
import { visibleText } from "./ids.ts";

const inputs = z.strictObject({
    connection: connectionSchema,
    /** As the server calls the subject of a token: `oidc~<subject>`, `kubernetes~<uid of the service account>`. */
    userId: visibleText.regex(/^[^~]+~.+$/, {
        error: "must be the identity provider and the subject, like oidc~alice or kubernetes~<uid>",
    }),
    name: visibleText,
    email: z.string().min(1).optional(),
    /** Default `human`. */
    userType: z.enum(["human", "application"]).default("human"),
    /** Take over a user that the server knows, for example since they have logged in. Default false. */
    adopt: z.boolean().default(false),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** True when the server knew the user before. */
    adopted: boolean;
}

/** Somebody whom the server knows by name before their first login, so that roles and grants can name them. */
export const user: ResourceDefinition<Inputs, Outputs> = {
    kind: "Lakekeeper user",
    inputs,
    fields: {
        connection: connectionEffect,
        userId: "replace",
        name: "update",
        email: "update",
        userType: "update",
        adopt: "ignore",
    },
    secretInputs: ["connection"],

    async create(wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context);
        const adopted = !(await create(client, wanted));
        if (adopted && !wanted.adopt) {
            throw new Error(
                `Lakekeeper: user '${wanted.userId}' exists already, and this stack did not make it.\n` +
                    "What to do: set adopt: true to take it over; deleting it later takes its roles away",
            );
        }
        if (adopted) await put(client, wanted);
        return { id: wanted.userId, outputs: { adopted } };
    },

    async read(id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        const found = await find(client, id);
        if (!found) return undefined;
        return {
            inputs: { name: found.name, email: found.email ?? undefined, userType: found["user-type"] },
            outputs: { adopted: state.adopted },
        };
    },

    async update(_id, state, wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context);
        const { name, email, userType } = state;
        const changed = name !== wanted.name || email !== wanted.email || userType !== wanted.userType;
        if (changed) await put(client, wanted);
        return { adopted: state.adopted };
    },

    async delete(id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        try {
            await client.send({ method: "DELETE", path: pathOf(id), action: `delete user '${id}'` });
        } catch (error) {
            if (isNotFound(error)) return;
            if (isAmbiguous(error) && !(await find(client, id))) return;
            throw error;
        }
    },
};

const userAnswer = z.looseObject({
    name: z.string(),
    email: z.string().nullish(),
    "user-type": z.enum(["human", "application"]),
});

async function find(client: LakekeeperClient, id: string): Promise<z.output<typeof userAnswer> | undefined> {
    try {
        const call = { method: "GET", path: pathOf(id), action: `read user '${id}'` } as const;
        return await client.call(call, userAnswer);
    } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
    }
}

/** False when there is one with this id. */
async function create(client: LakekeeperClient, wanted: Inputs): Promise<boolean> {
    if (await find(client, wanted.userId)) return false;
    try {
        await client.send({
            method: "POST",
            path: "/management/v1/user",
            action: `create user '${wanted.userId}'`,
            json: {
                id: wanted.userId,
                name: wanted.name,
                email: wanted.email,
                "user-type": wanted.userType,
            },
        });
        return true;
    } catch (error) {
        // They may have logged in at the same time.
        if (hasType(error, "UserAlreadyExists")) return false;
        if (isAmbiguous(error) && (await find(client, wanted.userId))) return true;
        throw error;
    }
}

/** The whole user: an e-mail address that is left out is removed. */
async function put(client: LakekeeperClient, wanted: Inputs): Promise<void> {
    await repeated(() =>
        client.send({
            method: "PUT",
            path: pathOf(wanted.userId),
            action: `change user '${wanted.userId}'`,
            json: { name: wanted.name, email: wanted.email, "user-type": wanted.userType },
        }),
    );
}

function pathOf(id: string): string {
    return `/management/v1/user/${pathSegment(id)}`;
}
