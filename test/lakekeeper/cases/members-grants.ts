import type { Bag } from "../lead.ts";
import type { World } from "../world.ts";
import { all, type Case, management, openFga, since, warehouses } from "./case.ts";

const one = ({ user: id }: World) => ({ type: "user", id });
const other = ({ otherUser: id }: World) => ({ type: "user", id });
const membersPath = (id: unknown) => `${management}/role/${id}/members`;

/** A role for each case, since members of one role would meet. */
const members =
    (more: Bag = {}) =>
    (world: World, slug: string): Bag => ({
        connection: world.connection,
        projectId: world.project,
        roleId: world.roleFor(slug),
        members: [one(world)],
        ...more,
    });

const membersLack = since("0.13.0");

export const roleMembers: Case[] = [
    {
        kind: "roleMembers",
        title: "one more",
        lacks: membersLack,
        given: members(),
        change: { with: (world) => ({ members: [other(world), one(world)] }), is: "update" },
        outside: {
            title: "one taken out",
            does: (world, { given }) =>
                world.outside(
                    "DELETE",
                    `${membersPath(given["roleId"])}/user/${encodeURIComponent(world.user)}`,
                ),
            refresh: "update",
        },
    },
    {
        kind: "roleMembers",
        title: "one less",
        lacks: membersLack,
        given: members(),
        change: { with: () => ({ members: [] }), is: "update" },
        outside: {
            title: "one added, which is theirs",
            does: (world, { given }) =>
                world.outside("POST", membersPath(given["roleId"]), { members: [other(world)] }),
            refresh: "none",
        },
    },
    {
        kind: "roleMembers",
        title: "exclusive",
        lacks: membersLack,
        given: members(),
        // Nobody else is in it yet: nothing is to be taken away.
        change: { with: () => ({ exclusive: true }), is: "update", writes: 0 },
        outside: {
            title: "one added, which is taken away",
            does: (world, { given }) =>
                world.outside("POST", membersPath(given["roleId"]), { members: [other(world)] }),
            refresh: "update",
        },
    },
    {
        kind: "roleMembers",
        title: "a role as a member",
        lacks: membersLack,
        given: members(),
        change: {
            with: (world) => ({ members: [one(world), { type: "role", id: world.role }] }),
            is: "update",
        },
        outside: {
            title: "the role deleted",
            does: (world, { given }) => world.outside("DELETE", `${management}/role/${given["roleId"]}`),
            refresh: "gone",
            again: false,
        },
    },
    {
        kind: "roleMembers",
        title: "order",
        lacks: membersLack,
        given: (world, slug) => ({ ...members()(world, slug), members: [one(world), other(world)] }),
        change: { with: (world) => ({ members: [other(world), one(world)] }), is: "none" },
    },
    {
        kind: "roleMembers",
        title: "roleId",
        lacks: membersLack,
        given: members(),
        change: { with: (world) => ({ roleId: world.otherRole }), is: "replace" },
    },
];

/** Where grants are given, with a relation that each has beside another one. */
const places: [
    kind: string,
    relation: string,
    on: (world: World, slug: string) => Bag,
    path: (on: Bag) => string,
][] = [
    ["server", "admin", () => ({ type: "server" }), () => "server"],
    ["project", "describe", ({ project }) => ({ type: "project", projectId: project }), () => "project"],
    [
        "warehouse",
        "select",
        ({ warehouse }) => ({ type: "warehouse", warehouseId: warehouse }),
        (on) => `warehouse/${on["warehouseId"]}`,
    ],
    [
        "namespace",
        "modify",
        ({ namespace }) => ({ type: "namespace", namespaceId: namespace }),
        (on) => `namespace/${on["namespaceId"]}`,
    ],
    [
        "role",
        "ownership",
        (world, slug) => ({ type: "role", roleId: world.roleFor(slug), projectId: world.project }),
        (on) => `role/${on["roleId"]}`,
    ],
];

/** Users of their own, since grants of several cases on one object would meet. */
const grantee = (world: World, slug: string, which = "a") => `oidc~${world.run}-${slug}-${which}`;

export const grants: Case[] = places.flatMap(([kind, relation, on, object]): Case[] => {
    const lacks = ["warehouse", "namespace"].includes(kind) ? all(openFga, warehouses) : openFga;
    const path = (given: Bag) => `${management}/permissions/${object(given["on"] as Bag)}/assignments`;
    const given = (world: World, slug: string): Bag => ({
        connection: world.connection,
        on: on(world, slug),
        grants: [{ relation, user: grantee(world, slug) }],
    });
    const both = (world: World, slug: string): Bag => ({
        grants: [
            { relation, user: grantee(world, slug, "b") },
            { relation, user: grantee(world, slug) },
        ],
    });
    return [
        {
            kind: "grants",
            title: `on a ${kind}: one more`,
            lacks,
            given,
            change: { with: both, is: "update" },
            outside: {
                title: "one revoked",
                does: (world, made) =>
                    world.outside("POST", path(made.given), {
                        writes: [],
                        deletes: [{ type: relation, user: grantee(world, made.slug) }],
                    }),
                refresh: "update",
            },
        },
        {
            kind: "grants",
            title: `on a ${kind}: one less`,
            lacks,
            given,
            change: { with: () => ({ grants: [] }), is: "update" },
            outside: {
                title: "one given, which is theirs",
                does: (world, made) =>
                    world.outside("POST", path(made.given), {
                        writes: [{ type: relation, user: grantee(world, made.slug, "c") }],
                        deletes: [],
                    }),
                refresh: "none",
            },
        },
    ];
});

grants.push(
    {
        kind: "grants",
        title: "to a role, another relation",
        lacks: openFga,
        given: (world, slug) => ({
            connection: world.connection,
            on: { type: "project", projectId: world.project },
            grants: [{ relation: "select", role: world.roleFor(slug) }],
        }),
        change: {
            with: (world, slug) => ({ grants: [{ relation: "create", role: world.roleFor(slug) }] }),
            is: "update",
        },
    },
    {
        kind: "grants",
        title: "exclusive",
        lacks: openFga,
        given: (world, slug) => ({
            connection: world.connection,
            on: { type: "role", roleId: world.roleFor(slug), projectId: world.project },
            grants: [{ relation: "assignee", user: world.user }],
        }),
        change: { with: () => ({ exclusive: true }), is: "update", writes: 0 },
        outside: {
            title: "one given, which is taken away",
            does: (world, { given }) =>
                world.outside(
                    "POST",
                    `${management}/permissions/role/${(given["on"] as Bag)["roleId"]}/assignments`,
                    {
                        writes: [{ type: "assignee", user: world.otherUser }],
                        deletes: [],
                    },
                ),
            refresh: "update",
        },
    },
    {
        kind: "grants",
        title: "on",
        lacks: openFga,
        given: (world, slug) => ({
            connection: world.connection,
            on: { type: "project", projectId: world.project },
            grants: [{ relation: "describe", user: grantee(world, slug) }],
        }),
        change: {
            with: ({ otherProject }) => ({ on: { type: "project", projectId: otherProject } }),
            is: "replace",
        },
    },
);
