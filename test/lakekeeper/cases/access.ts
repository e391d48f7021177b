import type { Bag } from "../lead.ts";
import type { World } from "../world.ts";
import { type Case, management, since } from "./case.ts";

const userPath = (_world: World, id: string) => `${management}/user/${encodeURIComponent(id)}`;
const rolePath = (_world: World, id: string) => `${management}/role/${id}`;

const user = ({ connection, run }: World, slug: string): Bag => ({
    connection,
    userId: `oidc~${run}-${slug}`,
    name: "Alice",
    email: "alice@example.com",
});

const role = ({ connection, project }: World, slug: string): Bag => ({
    connection,
    projectId: project,
    name: slug,
    description: "They read",
});

const source = { providerId: "keycloak", sourceId: "group" };
const fromSource = (world: World, slug: string): Bag => ({
    ...role(world, slug),
    providerId: source.providerId,
    sourceId: `${source.sourceId}-${slug}`,
});

export const users: Case[] = [
    {
        kind: "user",
        title: "name",
        given: user,
        change: {
            with: () => ({ name: "Alicia" }),
            is: "update",
            shows: { path: userPath, has: { name: "Alicia" } },
        },
        outside: {
            title: "another name",
            does: (world, { id, given }) =>
                world.outside("PUT", userPath(world, id), {
                    name: "Eve",
                    email: given["email"],
                    "user-type": "human",
                }),
            refresh: "update",
        },
    },
    {
        kind: "user",
        title: "email",
        given: user,
        change: {
            with: () => ({ email: "a@example.com" }),
            is: "update",
            shows: { path: userPath, has: { email: "a@example.com" } },
        },
        outside: {
            title: "no e-mail",
            does: (world, { id, given }) =>
                world.outside("PUT", userPath(world, id), { name: given["name"], "user-type": "human" }),
            refresh: "update",
        },
    },
    {
        kind: "user",
        title: "email taken away",
        given: user,
        change: {
            with: () => ({ email: undefined }),
            is: "update",
            shows: { path: userPath, has: { email: null } },
        },
        outside: {
            title: "deleted",
            does: (world, { id }) => world.outside("DELETE", userPath(world, id)),
            refresh: "gone",
        },
    },
    {
        kind: "user",
        title: "userType",
        given: user,
        change: {
            with: () => ({ userType: "application" }),
            is: "update",
            shows: { path: userPath, has: { "user-type": "application" } },
        },
        outside: {
            title: "another type",
            does: (world, { id, given }) =>
                world.outside("PUT", userPath(world, id), {
                    name: given["name"],
                    email: given["email"],
                    "user-type": "human",
                }),
            refresh: "update",
        },
    },
    {
        kind: "user",
        title: "userId",
        given: user,
        change: { with: ({ run }, slug) => ({ userId: `oidc~${run}-${slug}-b` }), is: "replace" },
    },
    { kind: "user", title: "adopt", given: user, change: { with: () => ({ adopt: true }), is: "none" } },
    {
        kind: "user",
        title: "connection.url",
        given: user,
        change: {
            with: ({ connection }) => ({ connection: { ...connection, url: `${connection.url}/` } }),
            is: "update",
            writes: 0,
        },
    },
];

export const roles: Case[] = [
    {
        kind: "role",
        title: "name",
        given: role,
        change: {
            with: (_world, slug) => ({ name: `${slug}-renamed` }),
            is: "update",
            shows: { path: rolePath, has: { description: "They read" } },
        },
        outside: {
            title: "another name",
            does: (world, { id, slug }) =>
                world.outside("POST", rolePath(world, id), {
                    name: `${slug}-theirs`,
                    description: "They read",
                }),
            refresh: "update",
        },
    },
    {
        kind: "role",
        title: "description",
        given: role,
        change: {
            with: () => ({ description: "They write" }),
            is: "update",
            shows: { path: rolePath, has: { description: "They write" } },
        },
        outside: {
            title: "no description",
            does: (world, { id, given }) =>
                world.outside("POST", rolePath(world, id), { name: given["name"] }),
            refresh: "update",
        },
    },
    {
        kind: "role",
        title: "description taken away",
        given: role,
        change: {
            with: () => ({ description: undefined }),
            is: "update",
            shows: { path: rolePath, has: { description: null } },
        },
        outside: {
            title: "deleted",
            does: (world, { id }) => world.outside("DELETE", rolePath(world, id)),
            refresh: "gone",
        },
    },
    {
        kind: "role",
        title: "sourceId",
        lacks: since("0.12.0"),
        given: fromSource,
        change: {
            with: (_world, slug) => ({ sourceId: `other-${slug}` }),
            is: "update",
            shows: { path: rolePath, has: { "provider-id": "keycloak" } },
        },
        outside: {
            title: "another source",
            does: (world, { id, slug }) =>
                world.outside("PUT", `${rolePath(world, id)}/source-system`, {
                    "provider-id": "entra",
                    "source-id": slug,
                }),
            refresh: "update",
        },
    },
    {
        kind: "role",
        title: "providerId",
        lacks: since("0.12.0"),
        given: fromSource,
        change: {
            with: () => ({ providerId: "entra" }),
            is: "update",
            shows: { path: rolePath, has: { "provider-id": "entra" } },
        },
    },
    {
        kind: "role",
        title: "projectId",
        given: role,
        change: { with: ({ otherProject }) => ({ projectId: otherProject }), is: "replace" },
    },
    { kind: "role", title: "adopt", given: role, change: { with: () => ({ adopt: true }), is: "none" } },
];
