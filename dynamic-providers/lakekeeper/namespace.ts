import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { pathSegment } from "../http/path-segment.ts";
import { PartialCreateError, type ResourceDefinition } from "../resource.ts";
import { isAmbiguous, isNotFound, LakekeeperClient, repeated } from "./client.ts";
import { connectionEffect, connectionSchema } from "./connection.ts";
import { namespacePath } from "./content.ts";
import { serverId, visibleText } from "./ids.ts";
import { isDeactivated, projectOfWarehouse, refuseHiddenProject } from "./visibility.ts";

// A path cannot say the names "." and "..": everybody between here and the server takes them for steps.
const part = visibleText.refine((text) => text !== "." && text !== "..", {
    error: "must not be a dot or two dots, which no path of the API can name",
});

/** What the server fills itself. */
const reserved = ["location", "namespace_id"];

const inputs = z.strictObject({
    connection: connectionSchema,
    /** Id of the warehouse. */
    warehouseId: serverId("warehouse"),
    /** One name, or the names from the outermost to the innermost. */
    namespace: z.preprocess(
        (given) => (typeof given === "string" ? [given] : given),
        z.array(part, { error: "must be a name, or a list of names" }).min(1),
    ),
    /** Properties that this resource keeps; others are left alone. */
    properties: z
        .record(z.string(), z.string())
        .refine((properties) => !reserved.some((key) => key in properties), {
            error: `must not hold ${reserved.join(" or ")}, which the server fills; give location as an argument`,
        })
        .default({}),
    /** Where new tables go. Default: the server's choice below the warehouse's location. */
    location: z.string().min(1).optional(),
    /** Lakekeeper's own protection from deletion, by whomever. Default false. */
    protected: z.boolean().default(false),
    /** Take over a namespace that exists already. Default false. */
    adopt: z.boolean().default(false),
    /** Refuse to delete or replace it. Default true. */
    deletionProtection: z.boolean().default(true),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** The server's own id, which grants are about. */
    namespaceId: string;
    /** Id of the warehouse's project. */
    project?: string;
    /** True when the namespace was there before. */
    adopted: boolean;
}

/** A namespace of a warehouse's catalog, with properties and protection. It is deleted only when it is empty. */
export const namespace: ResourceDefinition<Inputs, Outputs> = {
    kind: "Lakekeeper namespace",
    inputs,
    fields: {
        connection: connectionEffect,
        warehouseId: "replace",
        namespace: "replace",
        location: "replace",
        properties: "update",
        protected: "update",
        adopt: "ignore",
        deletionProtection: "update",
    },
    secretInputs: ["connection"],

    review({ old, new: wanted, known }) {
        if (!old || old.deletionProtection === false) return {};
        const moved = (["warehouseId", "namespace", "location"] as const).filter(
            (field) => known(field) && !isDeepStrictEqual(old[field], wanted[field]),
        );
        return {
            faults: moved.map(
                (field) =>
                    `${field} cannot change: that would drop the namespace and make another one. ` +
                    "To do it anyway, first run `pulumi up` with deletionProtection: false",
            ),
        };
    },

    async create(wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context);
        const existing = await find(client, wanted);
        if (existing && !wanted.adopt) {
            throw new Error(
                `Lakekeeper: namespace '${nameOf(wanted)}' exists already in warehouse ${wanted.warehouseId}, and this stack did not make it.\n` +
                    "What to do: set adopt: true to take it over, or choose another name",
            );
        }
        // Before anything is made: what fails afterwards leaves a namespace that the state does not know.
        const project = await projectOfWarehouse(client, wanted.warehouseId);
        const found = existing ?? (await create(client, wanted));
        const outputs = { namespaceId: found.id, project, adopted: existing !== undefined };
        const id = `${wanted.warehouseId}/${nameOf(wanted)}`;
        try {
            await bring(client, found, {}, wanted);
        } catch (error) {
            const reason = error instanceof Error ? error.message : String(error);
            throw new PartialCreateError(
                id,
                outputs,
                `namespace '${nameOf(wanted)}' was created, but then: ${reason}`,
            );
        }
        return { id, outputs };
    },

    async read(_id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        const found = await find(client, state);
        if (!found) {
            if (state.project !== undefined) await refuseHiddenProject(client, state.project);
            return undefined;
        }
        const kept = Object.keys(state.properties).filter((key) => key in found.properties);
        return {
            inputs: {
                properties: Object.fromEntries(kept.map((key) => [key, found.properties[key] ?? ""])),
                protected: await isProtected(client, state, found.id),
            },
            outputs: { namespaceId: found.id, project: state.project, adopted: state.adopted },
        };
    },

    async update(_id, state, wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context);
        const found = await find(client, wanted);
        if (!found) {
            throw new Error(
                `Lakekeeper: namespace '${nameOf(wanted)}' is not there any more.\n` +
                    "What to do: `pulumi refresh`, then `pulumi up` makes it anew",
            );
        }
        await bring(client, found, state.properties, wanted);
        return { namespaceId: found.id, project: state.project, adopted: state.adopted };
    },

    async delete(_id, state, context) {
        if (state.deletionProtection !== false) {
            throw new Error(
                `Lakekeeper: namespace '${nameOf(state)}' is not dropped, since deletionProtection is on.\n` +
                    "What to do: run `pulumi up` with deletionProtection: false first",
            );
        }
        const client = new LakekeeperClient(state.connection, context);
        const path = namespacePath(state.warehouseId, state.namespace);
        try {
            await client.send({ method: "DELETE", path, action: `drop namespace '${nameOf(state)}'` });
        } catch (error) {
            if (isNotFound(error) && !(await isDeactivated(client, state.warehouseId, error))) return;
            if (isAmbiguous(error) && !(await find(client, state))) return;
            throw error;
        }
    },
};

type Place = Pick<Inputs, "warehouseId" | "namespace">;

const answer = z.looseObject({
    "namespace-uuid": z.string().optional(),
    properties: z.record(z.string(), z.string()).default({}),
});

interface Found {
    id: string;
    properties: Record<string, string>;
}

/** Undefined when it is gone; a warehouse that is deactivated hides it, which is an error. */
async function find(client: LakekeeperClient, place: Place): Promise<Found | undefined> {
    const path = namespacePath(place.warehouseId, place.namespace);
    const action = `read namespace '${nameOf(place)}'`;
    try {
        const found = await client.call({ method: "GET", path, query: { returnUuid: true }, action }, answer);
        return toFound(found);
    } catch (error) {
        if (!isNotFound(error) || (await isDeactivated(client, place.warehouseId, error))) throw error;
        return undefined;
    }
}

async function create(client: LakekeeperClient, wanted: Inputs): Promise<Found> {
    const location = wanted.location ? { location: wanted.location } : {};
    try {
        const made = await client.call(
            {
                method: "POST",
                path: `/catalog/v1/${pathSegment(wanted.warehouseId)}/namespaces`,
                action: `create namespace '${nameOf(wanted)}'`,
                json: { namespace: wanted.namespace, properties: { ...wanted.properties, ...location } },
            },
            answer,
        );
        return toFound(made);
    } catch (error) {
        // It was not there a moment ago, so one that is there now is ours.
        const found = isAmbiguous(error) ? await find(client, wanted) : undefined;
        if (!found) throw error;
        return found;
    }
}

/** @param owned properties that the last update asked for; what of them is no longer wanted is removed */
async function bring(
    client: LakekeeperClient,
    found: Found,
    owned: Record<string, string>,
    wanted: Inputs,
): Promise<void> {
    const updates = Object.entries(wanted.properties).filter(
        ([key, value]) => found.properties[key] !== value,
    );
    const removals = Object.keys(owned).filter(
        (key) => !(key in wanted.properties) && key in found.properties,
    );
    if (updates.length + removals.length > 0) {
        await repeated(() =>
            client.send({
                method: "POST",
                path: `${namespacePath(wanted.warehouseId, wanted.namespace)}/properties`,
                action: `change the properties of namespace '${nameOf(wanted)}'`,
                json: { updates: Object.fromEntries(updates), removals },
            }),
        );
    }
    if ((await isProtected(client, wanted, found.id)) === wanted.protected) return;
    await repeated(() =>
        client.send({
            method: "POST",
            path: protectionPath(wanted, found.id),
            action: `${wanted.protected ? "protect" : "unprotect"} namespace '${nameOf(wanted)}'`,
            json: { protected: wanted.protected },
        }),
    );
}

async function isProtected(client: LakekeeperClient, place: Place, id: string): Promise<boolean> {
    const action = `read the protection of namespace '${nameOf(place)}'`;
    const found = await client.call(
        { method: "GET", path: protectionPath(place, id), action },
        z.looseObject({ protected: z.boolean() }),
    );
    return found.protected;
}

function protectionPath(place: Place, id: string): string {
    const warehouse = pathSegment(place.warehouseId);
    return `/management/v1/warehouse/${warehouse}/namespace/${pathSegment(id)}/protection`;
}

function toFound(found: z.output<typeof answer>): Found {
    return {
        id: found["namespace-uuid"] ?? found.properties["namespace_id"] ?? "",
        properties: found.properties,
    };
}

function nameOf({ namespace: parts }: Pick<Inputs, "namespace">): string {
    return parts.join(".");
}
