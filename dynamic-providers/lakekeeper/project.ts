import * as z from "zod";
import type { ResourceDefinition } from "../resource.ts";
import { isAmbiguous, isNotFound, LakekeeperClient, repeated } from "./client.ts";
import { connectionEffect, connectionSchema } from "./connection.ts";
import { visibleText } from "./ids.ts";
import { listWarehouses } from "./warehouse-api.ts";

const inputs = z.strictObject({
    connection: connectionSchema,
    /** Chosen by the program, so that a create whose answer got lost finds its own project again. */
    projectId: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, {
        error: "must be 1 to 128 letters, digits, hyphens and underscores",
    }),
    /** Need not be unique. */
    name: z
        .string()
        .refine((name) => name.trim() !== "" && new TextEncoder().encode(name).length <= 128, {
            error: "must not be blank, and not longer than 128 bytes",
        })
        .pipe(visibleText),
    /** Take over a project with this id that exists already. Default false. */
    adopt: z.boolean().default(false),
    /** Refuse to delete or replace it. Default true. */
    deletionProtection: z.boolean().default(true),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** True when the project was there before. */
    adopted: boolean;
}

/** A project: a tenant of the server with its own warehouses, names and locations. */
export const project: ResourceDefinition<Inputs, Outputs> = {
    kind: "Lakekeeper project",
    inputs,
    fields: {
        connection: connectionEffect,
        projectId: "replace",
        name: "update",
        adopt: "ignore",
        deletionProtection: "update",
    },
    secretInputs: ["connection"],

    review({ old, new: wanted, known }) {
        const replaced = old && known("projectId") && old.projectId !== wanted.projectId;
        if (!replaced || old.deletionProtection === false) return {};
        return {
            faults: [
                `projectId '${old.projectId}' cannot change to '${wanted.projectId}': that would delete the project with all that is in it. ` +
                    "To do it anyway, first run `pulumi up` with deletionProtection: false",
            ],
        };
    },

    async create(wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context);
        const id = wanted.projectId;
        const existing = await find(client, id);
        if (existing && !wanted.adopt) {
            throw new Error(
                `Lakekeeper: project '${id}' exists already (name '${existing}'), and this stack did not make it.\n` +
                    "What to do: set adopt: true to take it over, or choose another projectId",
            );
        }
        if (!existing) await create(client, wanted);
        else if (existing !== wanted.name) await rename(client, wanted);
        return { id, outputs: { adopted: existing !== undefined } };
    },

    async read(id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        const name = await find(client, id);
        if (name === undefined) return undefined;
        return { inputs: { name }, outputs: { adopted: state.adopted } };
    },

    async update(_id, state, wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context);
        if (state.name !== wanted.name) await rename(client, wanted);
        return { adopted: state.adopted };
    },

    async delete(id, state, context) {
        if (state.deletionProtection !== false) {
            throw new Error(
                `Lakekeeper: project '${id}' is not deleted, since deletionProtection is on.\n` +
                    "What to do: run `pulumi up` with deletionProtection: false first",
            );
        }
        const client = new LakekeeperClient(state.connection, context);
        const warehouses = (await listWarehouses(client, id)).map((warehouse) => warehouse.name);
        if (warehouses.length > 0) {
            throw new Error(
                `Lakekeeper: project '${id}' is not deleted, since it has warehouses: ${warehouses.join(", ")}.\n` +
                    "What to do: delete them first",
            );
        }
        try {
            const action = `delete project '${id}'`;
            await client.send({ method: "DELETE", path: "/management/v1/project", action, project: id });
        } catch (error) {
            if (isNotFound(error)) return;
            if (isAmbiguous(error) && (await find(client, id)) === undefined) return;
            throw error;
        }
    },
};

const projectAnswer = z.looseObject({ "project-id": z.string(), "project-name": z.string() });

/** The project's name; undefined when there is none with this id. */
async function find(client: LakekeeperClient, id: string): Promise<string | undefined> {
    const action = `read project '${id}'`;
    try {
        const found = await client.call(
            { method: "GET", path: "/management/v1/project", action, project: id },
            projectAnswer,
        );
        return found["project-name"];
    } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
    }
}

async function create(client: LakekeeperClient, wanted: Inputs): Promise<void> {
    try {
        await client.send({
            method: "POST",
            path: "/management/v1/project",
            action: `create project '${wanted.projectId}'`,
            json: { "project-id": wanted.projectId, "project-name": wanted.name },
        });
    } catch (error) {
        // It was not there a moment ago, so one that is there now is ours.
        if (!isAmbiguous(error) || (await find(client, wanted.projectId)) === undefined) throw error;
    }
}

async function rename(client: LakekeeperClient, wanted: Inputs): Promise<void> {
    await repeated(() =>
        client.send({
            method: "POST",
            path: "/management/v1/project/rename",
            action: `rename project '${wanted.projectId}' to '${wanted.name}'`,
            project: wanted.projectId,
            json: { "new-name": wanted.name },
        }),
    );
}
