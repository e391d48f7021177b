import * as z from "zod";
import { pathSegment } from "../http/path-segment.ts";
import type { ResourceDefinition } from "../resource.ts";
import { isNotFound, LakekeeperClient, repeated } from "./client.ts";
import { connectionEffect, connectionSchema } from "./connection.ts";
import { projectId, serverId, visibleText } from "./ids.ts";
import { allPages } from "./pages.ts";
import { isRoleGone } from "./role.ts";
import { type Info, infoIfThere, neededVersion, sharedInfo } from "./server-info.ts";
import { changes, observed, shared } from "./sets.ts";
import { refuseHiddenProject } from "./visibility.ts";

const member = z.strictObject({
    type: z.enum(["user", "role"]),
    /** Id of the user (`oidc~alice`) or of the role. */
    id: visibleText.refine((text) => text !== "." && text !== "..", {
        error: "must be the id of a user, like oidc~alice, or of a role",
    }),
});

const inputs = z.strictObject({
    connection: connectionSchema,
    /** Project of the role. Default: the server's default project. */
    projectId: projectId.optional(),
    roleId: serverId("role"),
    /** Whose order does not matter. */
    members: z.array(member).transform((members) => members.toSorted(byTypeAndId)),
    /** Take away members that are not listed. Default false: they stay. */
    exclusive: z.boolean().default(false),
});

type Inputs = z.output<typeof inputs>;
type Member = z.output<typeof member>;

/** Members of a role, kept by difference (0.13 and newer, whatever the authorizer). */
export const roleMembers: ResourceDefinition<Inputs, object> = {
    kind: "Lakekeeper role members",
    inputs,
    fields: {
        connection: connectionEffect,
        projectId: "replace",
        roleId: "replace",
        members: "update",
        exclusive: "update",
    },
    secretInputs: ["connection"],

    async review({ old, new: wanted, known }, context) {
        if (old || !known("connection")) return {};
        const info = await infoIfThere(new LakekeeperClient(wanted.connection, context));
        const fault = info && tooOld(info);
        return fault ? { faults: [fault] } : {};
    },

    async create(wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context);
        const fault = tooOld(await sharedInfo(client));
        if (fault) throw new Error(`Lakekeeper: ${fault}`);
        await bring(client, [], wanted);
        return { id: wanted.roleId, outputs: {} };
    },

    async read(_id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        try {
            const now = await list(client, state);
            const members = observed(now, state.members, state.exclusive).sort(byTypeAndId);
            return { inputs: { members }, outputs: {} };
        } catch (error) {
            if (!isRoleGone(error)) throw error;
            await refuseHiddenProject(client, state.projectId);
            return undefined;
        }
    },

    async update(_id, state, wanted, context) {
        await bring(new LakekeeperClient(wanted.connection, context), state.members, wanted);
        return {};
    },

    async delete(_id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        try {
            for (const one of shared(await list(client, state), state.members)) {
                await remove(client, state, one);
            }
        } catch (error) {
            if (!isRoleGone(error)) throw error;
        }
    },
};

function tooOld(info: Info): string | undefined {
    const fault = neededVersion(info, "members of a role", "0.13.0");
    return (
        fault &&
        `${fault}. Upgrade the server, or on one with OpenFGA give the relation assignee by grants on the role`
    );
}

/** @param owned members that the last update asked for */
async function bring(client: LakekeeperClient, owned: Member[], wanted: Inputs): Promise<void> {
    const now = await list(client, wanted);
    const { add, remove: gone } = changes(now, owned, wanted.members, wanted.exclusive);
    if (add.length > 0) {
        await repeated(() =>
            client.send({
                method: "POST",
                path: pathOf(wanted),
                action: `add ${add.map(({ id }) => id).join(", ")} to role ${wanted.roleId}`,
                project: wanted.projectId,
                json: { members: add },
            }),
        );
    }
    for (const one of gone) await remove(client, wanted, one);
}

async function list(client: LakekeeperClient, role: Pick<Inputs, "roleId" | "projectId">): Promise<Member[]> {
    const call = {
        method: "GET",
        path: pathOf(role),
        action: `list the members of role ${role.roleId}`,
        project: role.projectId,
    } as const;
    const found = await allPages(client, call, "members", z.looseObject(member.shape));
    return found.map(({ type, id }) => ({ type, id }));
}

/** The server does not mind one that is no member. */
async function remove(client: LakekeeperClient, role: Inputs, { type, id }: Member): Promise<void> {
    try {
        await repeated(() =>
            client.send({
                method: "DELETE",
                path: `${pathOf(role)}/${type}/${pathSegment(id)}`,
                action: `take ${type} ${id} out of role ${role.roleId}`,
                project: role.projectId,
            }),
        );
    } catch (error) {
        if (isRoleGone(error) || !isNotFound(error)) throw error;
    }
}

function pathOf({ roleId }: Pick<Inputs, "roleId">): string {
    return `/management/v1/role/${pathSegment(roleId)}/members`;
}

function byTypeAndId(one: Member, other: Member): number {
    return `${one.type} ${one.id}` < `${other.type} ${other.id}` ? -1 : 1;
}
