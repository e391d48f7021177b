import * as z from "zod";
import { pathSegment } from "../http/path-segment.ts";
import type { ResourceDefinition } from "../resource.ts";
import { hasType, isAmbiguous, isNotFound, LakekeeperClient, repeated } from "./client.ts";
import { connectionEffect, connectionSchema } from "./connection.ts";
import { projectId, visibleText } from "./ids.ts";
import { allPages } from "./pages.ts";
import { infoIfThere, neededVersion, sharedInfo } from "./server-info.ts";
import { refuseHiddenProject } from "./visibility.ts";
import { describeProject } from "./warehouse-api.ts";

const inputs = z
    .strictObject({
        connection: connectionSchema,
        /** Default: the server's default project. */
        projectId: projectId.optional(),
        /** Unique in the project, whatever its case. */
        name: visibleText,
        description: z.string().min(1).optional(),
        /** Where the role comes from, together with its id there (0.12 and newer). Default: Lakekeeper itself. */
        providerId: visibleText.optional(),
        sourceId: visibleText.optional(),
        /** Take over a role of this name. Default false. */
        adopt: z.boolean().default(false),
    })
    .refine(({ providerId, sourceId }) => (providerId === undefined) === (sourceId === undefined), {
        error: "providerId and sourceId must be given together",
    });

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** The project in which it really is. */
    project: string;
    /** True when the role was there before. */
    adopted: boolean;
}

/** A role of a project: users and other roles are its members, grants can name it. */
export const role: ResourceDefinition<Inputs, Outputs> = {
    kind: "Lakekeeper role",
    inputs,
    fields: {
        connection: connectionEffect,
        projectId: "replace",
        name: "update",
        description: "update",
        providerId: "update",
        sourceId: "update",
        adopt: "ignore",
    },
    secretInputs: ["connection"],

    async review({ old, new: wanted, known }, context) {
        if (!known("providerId")) return {};
        const unset = old?.providerId !== undefined && wanted.providerId === undefined;
        if (unset) return { faults: ["providerId and sourceId cannot be taken away again, only changed"] };
        if (!known("connection") || old?.providerId === wanted.providerId) return {};
        const info = await infoIfThere(new LakekeeperClient(wanted.connection, context));
        const fault = info && neededVersion(info, "providerId and sourceId", "0.12.0");
        return fault ? { faults: [fault] } : {};
    },

    async create(wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context);
        await refuseOldServer(client, wanted);
        const existing = await findByName(client, wanted);
        if (existing && !wanted.adopt) {
            throw new Error(
                `Lakekeeper: role '${existing.name}' exists already in ${describeProject(wanted.projectId)}, and this stack did not make it.\n` +
                    "What to do: set adopt: true to take it over, or choose another name",
            );
        }
        const found = existing ?? (await create(client, wanted));
        await bring(client, found, wanted);
        return { id: found.id, outputs: { project: found["project-id"], adopted: existing !== undefined } };
    },

    async read(id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        const found = await find(client, id, state.projectId);
        if (!found) {
            await refuseHiddenProject(client, state.projectId);
            return undefined;
        }
        const origin = { providerId: found["provider-id"], sourceId: found["source-id"] ?? undefined };
        return {
            inputs: {
                name: found.name,
                description: found.description ?? undefined,
                // What the program leaves to the server is no drift.
                ...(state.providerId === undefined ? {} : origin),
            },
            outputs: { project: found["project-id"], adopted: state.adopted },
        };
    },

    async update(id, state, wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context);
        await refuseOldServer(client, wanted);
        const found = await find(client, id, wanted.projectId);
        if (!found) {
            throw new Error(
                `Lakekeeper: role '${wanted.name}' (id ${id}) is not there any more.\n` +
                    "What to do: `pulumi refresh`, then `pulumi up` makes it anew",
            );
        }
        await bring(client, found, wanted);
        return { project: found["project-id"], adopted: state.adopted };
    },

    async delete(id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        const { projectId: project, name } = state;
        try {
            const action = `delete role '${name}'`;
            await client.send({ method: "DELETE", path: pathOf(id), action, project });
        } catch (error) {
            if (isNotFound(error)) return;
            if (isAmbiguous(error) && !(await find(client, id, project))) return;
            throw error;
        }
    },
};

const roleAnswer = z.looseObject({
    id: z.string(),
    name: z.string(),
    description: z.string().nullish(),
    "project-id": z.string(),
    "provider-id": z.string().optional(),
    "source-id": z.string().nullish(),
});

type RoleAnswer = z.output<typeof roleAnswer>;

async function find(
    client: LakekeeperClient,
    id: string,
    project: string | undefined,
): Promise<RoleAnswer | undefined> {
    try {
        const call = { method: "GET", path: pathOf(id), action: `read role ${id}`, project } as const;
        return await client.call(call, roleAnswer);
    } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
    }
}

async function findByName(
    client: LakekeeperClient,
    { projectId: project, name }: Pick<Inputs, "projectId" | "name">,
): Promise<RoleAnswer | undefined> {
    const action = `list the roles of ${describeProject(project)}`;
    const call = { method: "GET", path: "/management/v1/role", action, project } as const;
    const roles = await allPages(client, call, "roles", roleAnswer);
    return roles.find((one) => one.name.toLowerCase() === name.toLowerCase());
}

async function create(client: LakekeeperClient, wanted: Inputs): Promise<RoleAnswer> {
    try {
        return await client.call(
            {
                method: "POST",
                path: "/management/v1/role",
                action: `create role '${wanted.name}' in ${describeProject(wanted.projectId)}`,
                project: wanted.projectId,
                json: {
                    name: wanted.name,
                    description: wanted.description,
                    "provider-id": wanted.providerId,
                    "source-id": wanted.sourceId,
                },
            },
            roleAnswer,
        );
    } catch (error) {
        // It was not there a moment ago, so one that is there now is ours.
        const made = isAmbiguous(error) ? await findByName(client, wanted) : undefined;
        if (!made) throw error;
        return made;
    }
}

async function bring(client: LakekeeperClient, found: RoleAnswer, wanted: Inputs): Promise<void> {
    const { projectId: project, providerId, sourceId } = wanted;
    if (found.name !== wanted.name || (found.description ?? undefined) !== wanted.description) {
        await repeated(() =>
            client.send({
                method: "POST",
                path: pathOf(found.id),
                action: `change role '${found.name}'`,
                project,
                // A description that is left out is removed.
                json: { name: wanted.name, description: wanted.description },
            }),
        );
    }
    if (providerId === undefined) return;
    if (found["provider-id"] === providerId && found["source-id"] === sourceId) return;
    await repeated(() =>
        client.send({
            method: "PUT",
            path: `${pathOf(found.id)}/source-system`,
            action: `change where role '${wanted.name}' comes from`,
            project,
            json: { "provider-id": providerId, "source-id": sourceId },
        }),
    );
}

async function refuseOldServer(client: LakekeeperClient, wanted: Inputs): Promise<void> {
    if (wanted.providerId === undefined) return;
    const fault = neededVersion(await sharedInfo(client), "providerId and sourceId", "0.12.0");
    if (!fault) return;
    throw new Error(
        `Lakekeeper: role '${wanted.name}': ${fault}.\nWhat to do: leave them out, or upgrade the server`,
    );
}

function pathOf(id: string): string {
    return `/management/v1/role/${pathSegment(id)}`;
}

/** True for the error of a role that is not there, or not visible. */
export function isRoleGone(error: unknown): boolean {
    return hasType(error, "RoleNotFoundInProject", "RoleNotFound");
}
