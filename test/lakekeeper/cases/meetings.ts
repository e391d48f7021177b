import type { Bag } from "../lead.ts";
import type { World } from "../world.ts";
import { type Kind, management, openFga, since, warehouses } from "./case.ts";

/** What is there before, and what the provider does about it. */
export interface Adoption {
    kind: Kind;
    slug: string;
    lacks?: (world: World) => string | undefined;
    /** Somebody else makes it. */
    first: (world: World) => Promise<unknown>;
    given: (world: World) => Bag;
    /** What is said without `adopt`. */
    refusal: RegExp;
    /** What it is brought to. */
    shows: { path: (world: World, id: string) => string; has: Bag };
}

const common = ({ connection, project }: World): Bag => ({ connection, projectId: project });

export const adoptions: Adoption[] = [
    {
        kind: "project",
        slug: "a0",
        first: (world) =>
            world.outside("POST", `${management}/project`, {
                "project-id": `${world.run}-a0`,
                "project-name": "theirs",
            }),
        given: (world) => ({
            connection: world.connection,
            projectId: `${world.run}-a0`,
            name: "ours",
            deletionProtection: false,
        }),
        refusal: /project '.*-a0' exists already \(name 'theirs'\).*adopt: true/s,
        shows: { path: (_world, id) => `${management}/project/${id}`, has: { "project-name": "ours" } },
    },
    {
        kind: "warehouse",
        slug: "a1",
        lacks: warehouses,
        first: (world) => world.makeWarehouse("w-a1", "a1"),
        given: (world) => ({
            ...common(world),
            name: "w-a1",
            storage: world.storage("a1"),
            credential: world.credential,
            deleteProfile: { type: "soft", expirationSeconds: 60 },
            deletionProtection: false,
        }),
        refusal: /warehouse 'w-a1' exists already.*adopt: true/s,
        shows: {
            path: (_world, id) => `${management}/warehouse/${id}`,
            has: { "delete-profile": { type: "soft", "expiration-seconds": 60 } },
        },
    },
    {
        kind: "namespace",
        slug: "a2",
        lacks: warehouses,
        first: ({ outside, warehouse }) =>
            outside("POST", `/catalog/v1/${warehouse}/namespaces`, { namespace: ["a2"] }),
        given: ({ connection, warehouse }) => ({
            connection,
            warehouseId: warehouse,
            namespace: "a2",
            properties: { owner: "desk" },
            deletionProtection: false,
        }),
        refusal: /namespace 'a2' exists already.*adopt: true/s,
        shows: {
            path: ({ warehouse }) => `/catalog/v1/${warehouse}/namespaces/a2`,
            has: { properties: { owner: "desk" } },
        },
    },
    {
        kind: "user",
        slug: "a3",
        first: ({ outside, run }) =>
            outside("POST", `${management}/user`, {
                id: `oidc~${run}-a3`,
                name: "theirs",
                "user-type": "application",
            }),
        given: ({ connection, run }) => ({ connection, userId: `oidc~${run}-a3`, name: "ours" }),
        refusal: /user '.*-a3' exists already.*adopt: true/s,
        shows: {
            path: (_world, id) => `${management}/user/${encodeURIComponent(id)}`,
            has: { name: "ours", "user-type": "human" },
        },
    },
    {
        kind: "role",
        slug: "a4",
        first: ({ outside }) => outside("POST", `${management}/role`, { name: "Role-A4" }),
        given: (world) => ({ ...common(world), name: "role-a4", description: "ours" }),
        refusal: /role 'Role-A4' exists already.*adopt: true/s,
        shows: {
            path: (_world, id) => `${management}/role/${id}`,
            has: { name: "role-a4", description: "ours" },
        },
    },
];

/** Calls whose answers can get lost, by the step of the resource's life. */
export interface Losable {
    kind: Kind;
    slug: string;
    lacks?: (world: World) => string | undefined;
    given: (world: World) => Bag;
    change: (world: World) => Bag;
    calls: Record<"create" | "update" | "delete", [method: string, path: RegExp][]>;
}

export const losables: Losable[] = [
    {
        kind: "project",
        slug: "l0",
        given: ({ connection, run }) => ({
            connection,
            projectId: `${run}-l0`,
            name: "L",
            deletionProtection: false,
        }),
        change: () => ({ name: "Lost" }),
        calls: {
            create: [["POST", /\/project$/]],
            update: [["POST", /\/project\/rename$/]],
            delete: [["DELETE", /\/project$/]],
        },
    },
    {
        kind: "warehouse",
        slug: "l1",
        lacks: warehouses,
        given: (world) => ({
            ...common(world),
            name: "w-l1",
            storage: world.storage("l1"),
            credential: world.credential,
            deletionProtection: false,
        }),
        change: (world) => ({
            name: "w-l1-renamed",
            storage: { ...world.storage("l1"), pushS3DeleteDisabled: false },
            deleteProfile: { type: "soft", expirationSeconds: 60 },
            active: false,
        }),
        calls: {
            create: [["POST", /\/warehouse$/]],
            update: [
                ["POST", /\/warehouse\/[^/]+\/rename$/],
                ["POST", /\/warehouse\/[^/]+\/storage$/],
                ["POST", /\/warehouse\/[^/]+\/delete-profile$/],
                ["POST", /\/warehouse\/[^/]+\/deactivate$/],
            ],
            delete: [["DELETE", /\/warehouse\/[^/]+$/]],
        },
    },
    {
        kind: "warehouse",
        slug: "l2",
        lacks: warehouses,
        given: (world) => ({
            ...common(world),
            name: "w-l2",
            storage: world.storage("l2"),
            credential: world.credential,
            active: false,
            protected: true,
            deletionProtection: false,
        }),
        change: (world) => ({
            credential: { ...world.credential, externalId: "x" },
            active: true,
            protected: false,
        }),
        calls: {
            create: [["POST", /\/warehouse\/[^/]+\/protection$/]],
            update: [
                ["POST", /\/warehouse\/[^/]+\/storage-credential$/],
                ["POST", /\/warehouse\/[^/]+\/protection$/],
                ["POST", /\/warehouse\/[^/]+\/activate$/],
            ],
            delete: [],
        },
    },
    {
        kind: "namespace",
        slug: "l3",
        lacks: warehouses,
        given: ({ connection, warehouse }) => ({
            connection,
            warehouseId: warehouse,
            namespace: "l3",
            protected: true,
            deletionProtection: false,
        }),
        change: () => ({ properties: { owner: "desk" }, protected: false }),
        calls: {
            create: [
                ["POST", /\/namespaces$/],
                ["POST", /\/namespace\/[^/]+\/protection$/],
            ],
            update: [
                ["POST", /\/l3\/properties$/],
                ["POST", /\/namespace\/[^/]+\/protection$/],
            ],
            delete: [["DELETE", /\/namespaces\/l3$/]],
        },
    },
    {
        kind: "taskQueue",
        slug: "l4",
        lacks: warehouses,
        given: ({ connection, warehouse }) => ({
            connection,
            warehouseId: warehouse,
            queue: "tabular_purge",
            maxSecondsSinceLastHeartbeat: 600,
        }),
        change: () => ({ maxSecondsSinceLastHeartbeat: 60 }),
        calls: {
            create: [["POST", /tabular_purge\/config$/]],
            update: [["POST", /tabular_purge\/config$/]],
            delete: [["POST", /tabular_purge\/config$/]],
        },
    },
    {
        kind: "user",
        slug: "l5",
        given: ({ connection, run }) => ({ connection, userId: `oidc~${run}-l5`, name: "L" }),
        change: () => ({ name: "Lost" }),
        calls: {
            create: [["POST", /\/user$/]],
            update: [["PUT", /\/v1\/user\//]],
            delete: [["DELETE", /\/v1\/user\//]],
        },
    },
    {
        kind: "role",
        slug: "l6",
        lacks: since("0.12.0"),
        given: (world) => ({ ...common(world), name: "role-l6", providerId: "keycloak", sourceId: "l6" }),
        change: () => ({ description: "Lost", sourceId: "l6b" }),
        calls: {
            create: [["POST", /\/role$/]],
            update: [
                ["POST", /\/role\/[^/]+$/],
                ["PUT", /\/source-system$/],
            ],
            delete: [["DELETE", /\/role\/[^/]+$/]],
        },
    },
    {
        kind: "roleMembers",
        slug: "l7",
        lacks: since("0.13.0"),
        given: (world) => ({
            ...common(world),
            roleId: world.role,
            members: [{ type: "user", id: world.user }],
        }),
        change: (world) => ({ members: [{ type: "user", id: world.otherUser }] }),
        calls: {
            create: [["POST", /\/members$/]],
            update: [
                ["POST", /\/members$/],
                ["DELETE", /\/members\//],
            ],
            delete: [["DELETE", /\/members\//]],
        },
    },
    {
        kind: "grants",
        slug: "l8",
        lacks: openFga,
        given: (world) => ({
            connection: world.connection,
            on: { type: "role", roleId: world.otherRole, projectId: world.project },
            grants: [{ relation: "assignee", user: world.user }],
        }),
        change: (world) => ({ grants: [{ relation: "assignee", user: world.otherUser }] }),
        calls: {
            create: [["POST", /\/assignments$/]],
            update: [["POST", /\/assignments$/]],
            delete: [["POST", /\/assignments$/]],
        },
    },
];
