import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { pathSegment } from "../http/path-segment.ts";
import type { ResourceDefinition } from "../resource.ts";
import { hasType, isAmbiguous, isNotFound, LakekeeperClient } from "./client.ts";
import { connectionEffect, connectionSchema } from "./connection.ts";
import { projectId, serverId } from "./ids.ts";
import { type Info, infoIfThere, sharedInfo } from "./server-info.ts";
import { changes, observed, shared } from "./sets.ts";

const onData = ["ownership", "pass_grants", "manage_grants", "describe", "select", "create", "modify"];

/** Relations that can be given on each kind of object. */
const relations: Record<Inputs["on"]["type"], string[]> = {
    server: ["admin", "operator"],
    project: [
        "project_admin",
        "security_admin",
        "data_admin",
        "role_creator",
        "describe",
        "select",
        "create",
        "modify",
    ],
    warehouse: onData,
    namespace: onData,
    role: ["assignee", "ownership"],
};

const id = z.string().min(1);

const grant = z
    .strictObject({
        relation: id,
        /** Id of a user, `oidc~alice`. */
        user: id.optional(),
        /** Id of a role. */
        role: id.optional(),
    })
    .refine(({ user, role }) => (user === undefined) !== (role === undefined), {
        error: "must name either a user or a role",
    });

const inputs = z
    .strictObject({
        connection: connectionSchema,
        on: z.discriminatedUnion("type", [
            z.strictObject({ type: z.literal("server") }),
            z.strictObject({ type: z.literal("project"), projectId: projectId.optional() }),
            z.strictObject({ type: z.literal("warehouse"), warehouseId: serverId("warehouse") }),
            /** `namespaceId` of a namespace resource. */
            z.strictObject({ type: z.literal("namespace"), namespaceId: serverId("namespace") }),
            z.strictObject({
                type: z.literal("role"),
                roleId: serverId("role"),
                projectId: projectId.optional(),
            }),
        ]),
        /** Whose order does not matter. */
        grants: z.array(grant).transform((grants) => grants.toSorted(byText)),
        /** Take away grants on the object that are not listed. Default false: they stay. */
        exclusive: z.boolean().default(false),
    })
    .superRefine(({ on, grants }, issues) => {
        for (const [index, { relation }] of grants.entries()) {
            if (relations[on.type].includes(relation)) continue;
            issues.addIssue({
                code: "custom",
                path: ["grants", index, "relation"],
                message: `must be one of ${relations[on.type].join(", ")} on a ${on.type}`,
            });
        }
    });

type Inputs = z.output<typeof inputs>;
type Grant = z.output<typeof grant>;

/** Who may do what on one object of a server with OpenFGA, kept by difference. */
export const grants: ResourceDefinition<Inputs, object> = {
    kind: "Lakekeeper grants",
    inputs,
    fields: { connection: connectionEffect, on: "replace", grants: "update", exclusive: "update" },
    secretInputs: ["connection"],

    async review({ old, new: wanted, known }, context) {
        if (!known("connection") || (old && isDeepStrictEqual(old.grants, wanted.grants))) return {};
        const info = await infoIfThere(new LakekeeperClient(wanted.connection, context));
        const reason = info && withoutGrants(info);
        return reason ? { faults: [reason] } : {};
    },

    async create(wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context);
        const reason = withoutGrants(await sharedInfo(client));
        if (reason) throw new Error(`Lakekeeper: ${reason}`);
        await bring(client, [], wanted);
        return { id: labelOf(wanted.on), outputs: {} };
    },

    async read(_id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        try {
            const now = await list(client, state.on);
            const found = observed(now, state.grants, state.exclusive).sort(byText);
            return { inputs: { grants: found }, outputs: {} };
        } catch (error) {
            // The object is gone, and its grants with it.
            if (isNotFound(error)) return undefined;
            throw error;
        }
    },

    async update(_id, state, wanted, context) {
        await bring(new LakekeeperClient(wanted.connection, context), state.grants, wanted);
        return {};
    },

    async delete(_id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        try {
            await change(client, state.on, async () => ({
                add: [],
                remove: shared(await list(client, state.on), state.grants),
            }));
        } catch (error) {
            if (!isNotFound(error)) throw error;
        }
    },
};

function withoutGrants(info: Info): string | undefined {
    const backend = info["authz-backend"];
    if (backend === "openfga") return undefined;
    const all = backend === "allow-all" ? ": it lets everybody who can log in do everything" : "";
    return `grants need a server with OpenFGA, and this one has the authorizer ${backend}${all}. Leave the grants out, or install the server with OpenFGA`;
}

/** @param owned grants that the last update asked for */
function bring(client: LakekeeperClient, owned: Grant[], wanted: Inputs): Promise<void> {
    return change(client, wanted.on, async () =>
        changes(await list(client, wanted.on), owned, wanted.grants, wanted.exclusive),
    );
}

const assignment = z.looseObject({
    type: z.string(),
    user: z.string().optional(),
    role: z.string().optional(),
});

async function list(client: LakekeeperClient, on: Inputs["on"]): Promise<Grant[]> {
    const { assignments } = await client.call(
        {
            method: "GET",
            path: pathOf(on),
            action: `read the grants on ${labelOf(on)}`,
            project: projectOf(on),
        },
        z.looseObject({ assignments: z.array(assignment) }),
    );
    return assignments.map(({ type, user, role }) => ({
        relation: type,
        ...(user === undefined ? {} : { user }),
        ...(role === undefined ? {} : { role }),
    }));
}

/**
 * Makes a change, which the server does whole or not at all. It refuses to add what is there and to take what is not:
 * then somebody else, or a call whose answer got lost, was faster, and the difference is taken anew.
 */
async function change(
    client: LakekeeperClient,
    on: Inputs["on"],
    difference: () => Promise<{ add: Grant[]; remove: Grant[] }>,
): Promise<void> {
    for (let attempt = 1; ; attempt++) {
        const { add, remove } = await difference();
        if (add.length + remove.length === 0) return;
        try {
            await client.send({
                method: "POST",
                path: pathOf(on),
                action: `change the grants on ${labelOf(on)}`,
                project: projectOf(on),
                json: { writes: add.map(toAssignment), deletes: remove.map(toAssignment) },
            });
            return;
        } catch (error) {
            const raced =
                hasType(error, "TupleAlreadyExistsError", "TupleNotFoundError") || isAmbiguous(error);
            if (!raced || attempt === 3) throw error;
        }
    }
}

function toAssignment({ relation, user, role }: Grant): Record<string, string | undefined> {
    return { type: relation, user, role };
}

function pathOf(on: Inputs["on"]): string {
    // A project is chosen by the header.
    const object = on.type === "project" ? "project" : labelOf(on).split("/").map(pathSegment).join("/");
    return `/management/v1/permissions/${object}/assignments`;
}

function projectOf(on: Inputs["on"]): string | undefined {
    return on.type === "project" || on.type === "role" ? on.projectId : undefined;
}

/** `warehouse/<id>`. */
function labelOf(on: Inputs["on"]): string {
    switch (on.type) {
        case "server":
            return "server";
        case "project":
            return `project/${on.projectId ?? "default"}`;
        case "warehouse":
            return `warehouse/${on.warehouseId}`;
        case "namespace":
            return `namespace/${on.namespaceId}`;
        case "role":
            return `role/${on.roleId}`;
    }
}

function byText(one: Grant, other: Grant): number {
    return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
