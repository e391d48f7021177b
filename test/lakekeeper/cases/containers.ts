import type { Bag } from "../lead.ts";
import type { World } from "../world.ts";
import { type Case, management, since, warehouses } from "./case.ts";

const moved = ({ connection }: World): Bag => ({ connection: { ...connection, url: `${connection.url}/` } });

const server = ({ connection }: World): Bag => ({ connection, acceptTermsOfUse: true, waitSeconds: 5 });

export const servers: Case[] = [
    ...(
        [
            ["isOperator", { isOperator: true }],
            ["userName", { userName: "Pulumi" }],
            ["userType", { userType: "human" }],
            ["waitSeconds", { waitSeconds: 6 }],
        ] satisfies [string, Bag][]
    ).map(
        ([title, change]): Case => ({
            kind: "server",
            title,
            given: server,
            change: { with: () => change, is: "none" },
        }),
    ),
    {
        kind: "server",
        title: "connection.url",
        given: server,
        change: { with: moved, is: "update", writes: 0 },
    },
];

const project = ({ connection, run }: World, slug: string): Bag => ({
    connection,
    projectId: `${run}-${slug}`,
    name: "Desk",
    deletionProtection: false,
});

/** A project is chosen by the header, so each call about it is made with its own id. */
const inProject = (world: World, id: string, method: string, path: string, json?: unknown) =>
    world.outside(method, `${management}${path}`, json, id);

export const projects: Case[] = [
    {
        kind: "project",
        title: "name",
        given: project,
        change: {
            with: () => ({ name: "Renamed" }),
            is: "update",
            shows: {
                path: (_world, id) => `${management}/project/${id}`,
                has: { "project-name": "Renamed" },
            },
        },
        outside: {
            title: "another name",
            does: (world, { id }) =>
                inProject(world, id, "POST", "/project/rename", { "new-name": "theirs" }),
            refresh: "update",
        },
    },
    {
        kind: "project",
        title: "projectId",
        given: project,
        change: { with: ({ run }, slug) => ({ projectId: `${run}-${slug}-b` }), is: "replace" },
        outside: {
            title: "deleted",
            does: (world, { id }) => inProject(world, id, "DELETE", "/project"),
            refresh: "gone",
        },
    },
    {
        kind: "project",
        title: "deletionProtection",
        given: (world, slug) => ({ ...project(world, slug), deletionProtection: true }),
        change: { with: () => ({ deletionProtection: false }), is: "update", writes: 0 },
    },
    {
        kind: "project",
        title: "adopt",
        given: project,
        change: { with: () => ({ adopt: true }), is: "none" },
    },
    {
        kind: "project",
        title: "connection.url",
        given: project,
        change: { with: moved, is: "update", writes: 0 },
    },
];

const namespacePath = (given: Bag) => `/catalog/v1/${given["warehouseId"]}/namespaces/${given["namespace"]}`;

const namespace = ({ connection, warehouse, run }: World, slug: string): Bag => ({
    connection,
    warehouseId: warehouse,
    namespace: `${run}_${slug}`.replaceAll("-", "_"),
    properties: { owner: "desk" },
    deletionProtection: false,
});

const shown = (has: Bag) => ({
    path: (_world: World, id: string) => {
        const [warehouse, name = ""] = id.split("/");
        return `/catalog/v1/${warehouse}/namespaces/${name}`;
    },
    has: { properties: has },
});

const setProperties = (updates: Bag, removals: string[] = []) => ({
    does: (world: World, { given }: { given: Bag }) =>
        world.outside("POST", `${namespacePath(given)}/properties`, { updates, removals }),
});

async function protect(world: World, given: Bag, wanted: boolean): Promise<void> {
    const { properties } = await world.outside("GET", namespacePath(given));
    const id = (properties as Bag)["namespace_id"];
    const path = `${management}/warehouse/${given["warehouseId"]}/namespace/${id}/protection`;
    await world.outside("POST", path, { protected: wanted });
}

export const namespaces: Case[] = [
    {
        kind: "namespace",
        title: "a property",
        lacks: warehouses,
        given: namespace,
        change: {
            with: () => ({ properties: { owner: "team" } }),
            is: "update",
            shows: shown({ owner: "team" }),
        },
        outside: { title: "the property changed", ...setProperties({ owner: "theirs" }), refresh: "update" },
    },
    {
        kind: "namespace",
        title: "another property in its place",
        lacks: warehouses,
        given: namespace,
        change: { with: () => ({ properties: { team: "a" } }), is: "update", shows: shown({ team: "a" }) },
        outside: { title: "the property removed", ...setProperties({}, ["team"]), refresh: "update" },
    },
    {
        kind: "namespace",
        title: "no properties",
        lacks: warehouses,
        given: namespace,
        change: { with: () => ({ properties: {} }), is: "update" },
        outside: {
            title: "a property added, which is theirs",
            ...setProperties({ comment: "by an engine" }),
            refresh: "none",
        },
    },
    {
        kind: "namespace",
        title: "protected",
        lacks: warehouses,
        given: (world, slug) => ({ ...namespace(world, slug), protected: true }),
        change: { with: () => ({ protected: false }), is: "update" },
        outside: {
            title: "protected",
            does: (world, { given }) => protect(world, given, true),
            refresh: "update",
        },
    },
    {
        kind: "namespace",
        title: "namespace",
        lacks: warehouses,
        given: namespace,
        change: {
            with: (world, slug) => ({ namespace: `${namespace(world, slug)["namespace"]}_b` }),
            is: "replace",
        },
        outside: {
            title: "dropped",
            does: (world, { given }) => world.outside("DELETE", namespacePath(given)),
            refresh: "gone",
        },
    },
    {
        kind: "namespace",
        title: "warehouseId",
        lacks: warehouses,
        given: namespace,
        change: { with: ({ otherWarehouse }) => ({ warehouseId: otherWarehouse }), is: "replace" },
    },
    {
        kind: "namespace",
        title: "inside another one",
        lacks: warehouses,
        given: (world, slug) => ({ ...namespace(world, slug), namespace: ["base", slug] }),
        change: { with: () => ({ properties: { owner: "team" } }), is: "update" },
    },
    {
        kind: "namespace",
        title: "deletionProtection",
        lacks: warehouses,
        given: (world, slug) => ({ ...namespace(world, slug), deletionProtection: true }),
        change: { with: () => ({ deletionProtection: false }), is: "update", writes: 0 },
    },
    {
        kind: "namespace",
        title: "adopt",
        lacks: warehouses,
        given: namespace,
        change: { with: () => ({ adopt: true }), is: "none" },
    },
];

const queuePath = (given: Bag) =>
    `${management}/warehouse/${given["warehouseId"]}/task-queue/tabular_purge/config`;

/** A queue is one for each warehouse, so the cases take turns. */
export const taskQueues: Case[] = [
    {
        kind: "taskQueue",
        title: "maxSecondsSinceLastHeartbeat",
        lacks: warehouses,
        given: ({ connection, warehouse: warehouseId }) => ({
            connection,
            warehouseId,
            queue: "tabular_purge",
            maxSecondsSinceLastHeartbeat: 600,
        }),
        change: { with: () => ({ maxSecondsSinceLastHeartbeat: 60 }), is: "update" },
        outside: {
            title: "another limit",
            does: (world, { given }) => world.outside("POST", queuePath(given), { "queue-config": {} }),
            refresh: "update",
        },
    },
    {
        kind: "taskQueue",
        title: "queue",
        lacks: warehouses,
        given: ({ connection, otherWarehouse: warehouseId }) => ({
            connection,
            warehouseId,
            queue: "tabular_purge",
        }),
        change: { with: () => ({ queue: "tabular_expiration" }), is: "replace" },
    },
    {
        kind: "taskQueue",
        title: "config, of a project",
        lacks: since("0.11.0"),
        given: ({ connection, project: projectId }) => ({
            connection,
            projectId,
            queue: "task_log_cleanup",
            config: { "cleanup-period": "P1D", "retention-period": "P90D" },
        }),
        change: {
            with: () => ({ config: { "cleanup-period": "P2D", "retention-period": "P90D" } }),
            is: "update",
        },
        outside: {
            title: "other periods",
            does: (world) =>
                world.outside("POST", `${management}/project/task-queue/task_log_cleanup/config`, {
                    "queue-config": { "cleanup-period": "P7D", "retention-period": "P30D" },
                }),
            refresh: "update",
        },
    },
    {
        kind: "taskQueue",
        title: "warehouseId",
        lacks: warehouses,
        given: ({ connection, warehouse: warehouseId }) => ({
            connection,
            warehouseId,
            queue: "tabular_expiration",
            maxSecondsSinceLastHeartbeat: 300,
        }),
        change: { with: ({ thirdWarehouse }) => ({ warehouseId: thirdWarehouse }), is: "replace" },
    },
];
