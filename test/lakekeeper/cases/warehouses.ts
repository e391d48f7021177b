import type { Bag } from "../lead.ts";
import type { World } from "../world.ts";
import {
    all,
    type Case,
    instanceAdmin,
    management,
    since,
    tellsCredentials,
    untried,
    warehouses,
} from "./case.ts";

/** A warehouse in the management API. */
export const path = (_world: World, id: string) => `${management}/warehouse/${id}`;

/** A warehouse on the tests' storage, in a folder of its own. */
export const given = (world: World, slug: string): Bag => ({
    connection: world.connection,
    projectId: world.project,
    name: `w-${slug}`,
    storage: world.storage(slug),
    credential: world.credential,
    deletionProtection: false,
    storageWaitSeconds: 0,
});

/** Posts to the warehouse as somebody else. */
export const post = (verb: string, json?: Bag | ((world: World, slug: string) => Promise<Bag> | Bag)) => ({
    does: async (world: World, { id, slug }: { id: string; slug: string }) =>
        world.outside(
            "POST",
            `${path(world, id)}/${verb}`,
            typeof json === "function" ? await json(world, slug) : json,
        ),
});

const soft = { type: "soft", expirationSeconds: 3600 };

const settings: Case[] = [
    {
        kind: "warehouse",
        title: "name",
        lacks: warehouses,
        given,
        change: {
            with: (_world, slug) => ({ name: `w-${slug}-renamed` }),
            is: "update",
            shows: { path, has: { status: "active" } },
        },
        outside: {
            title: "another name",
            ...post("rename", (_world, slug) => ({ "new-name": `theirs-${slug}` })),
            refresh: "update",
        },
    },
    {
        kind: "warehouse",
        title: "deleteProfile",
        lacks: warehouses,
        given,
        change: {
            with: () => ({ deleteProfile: soft }),
            is: "update",
            shows: { path, has: { "delete-profile": { type: "soft", "expiration-seconds": 3600 } } },
        },
        outside: {
            title: "another delete profile",
            ...post("delete-profile", { "delete-profile": { type: "hard" } }),
            refresh: "update",
        },
    },
    {
        kind: "warehouse",
        title: "protected",
        lacks: warehouses,
        given: (world, slug) => ({ ...given(world, slug), protected: true }),
        change: {
            with: () => ({ protected: false }),
            is: "update",
            shows: { path, has: { protected: false } },
        },
        outside: { title: "protected", ...post("protection", { protected: true }), refresh: "update" },
    },
    {
        kind: "warehouse",
        title: "active",
        lacks: warehouses,
        given,
        change: {
            with: () => ({ active: false }),
            is: "update",
            shows: { path, has: { status: "inactive" } },
        },
        outside: { title: "activated", ...post("activate"), refresh: "update" },
    },
    {
        kind: "warehouse",
        title: "active again",
        lacks: warehouses,
        given: (world, slug) => ({ ...given(world, slug), active: false }),
        change: { with: () => ({ active: true }), is: "update", shows: { path, has: { status: "active" } } },
        outside: { title: "deactivated", ...post("deactivate"), refresh: "update" },
    },
    {
        kind: "warehouse",
        title: "allowedFormatVersions",
        lacks: all(warehouses, since("0.13.0")),
        given: (world, slug) => ({ ...given(world, slug), allowedFormatVersions: [2] }),
        change: {
            with: () => ({ allowedFormatVersions: [2, 1] }),
            is: "update",
            shows: { path, has: { "allowed-format-versions": [1, 2] } },
        },
        outside: {
            title: "other format versions",
            ...post("format-version-policy", { "allowed-format-versions": [3] }),
            refresh: "update",
        },
    },
    {
        kind: "warehouse",
        title: "defaultFormatVersion",
        lacks: all(warehouses, since("0.13.0")),
        given: (world, slug) => ({
            ...given(world, slug),
            allowedFormatVersions: [1, 2],
            defaultFormatVersion: 1,
        }),
        change: {
            with: () => ({ defaultFormatVersion: 2 }),
            is: "update",
            shows: { path, has: { "default-format-version": 2 } },
        },
        outside: {
            title: "another default",
            ...post("format-version-policy", {
                "allowed-format-versions": [1, 2],
                "default-format-version": 1,
            }),
            refresh: "update",
        },
    },
    {
        kind: "warehouse",
        title: "managedBy",
        lacks: all(instanceAdmin, since("0.13.0")),
        given: (world, slug) => ({ ...given(world, slug), managedBy: "self-managed" }),
        change: {
            with: () => ({ managedBy: "instance-admin" }),
            is: "update",
            shows: { path, has: { "managed-by": "instance-admin" } },
        },
        outside: {
            title: "managed by themselves",
            ...post("managed-by", { "managed-by": "self-managed" }),
            refresh: "update",
        },
    },
    {
        kind: "warehouse",
        title: "projectId",
        lacks: warehouses,
        given,
        change: { with: ({ otherProject }) => ({ projectId: otherProject }), is: "replace" },
        outside: {
            title: "deleted",
            does: (world, { id }) => world.outside("DELETE", path(world, id)),
            refresh: "gone",
        },
    },
    {
        kind: "warehouse",
        title: "deletionProtection",
        lacks: warehouses,
        given: (world, slug) => ({ ...given(world, slug), deletionProtection: true }),
        change: { with: () => ({ deletionProtection: false }), is: "update", writes: 0 },
    },
    {
        kind: "warehouse",
        title: "drain",
        lacks: warehouses,
        given,
        change: { with: () => ({ drain: { deadlineSeconds: 60 } }), is: "update", writes: 0 },
        outside: {
            title: "a namespace inside, which the delete drops",
            does: (world, { id }) =>
                world.outside("POST", `/catalog/v1/${id}/namespaces`, { namespace: [`in-${id}`] }),
            refresh: "none",
        },
    },
    {
        kind: "warehouse",
        title: "storageWaitSeconds",
        lacks: warehouses,
        given,
        change: { with: () => ({ storageWaitSeconds: 1 }), is: "none" },
    },
    {
        kind: "warehouse",
        title: "adopt",
        lacks: warehouses,
        given,
        change: { with: () => ({ adopt: true }), is: "none" },
    },
    {
        kind: "warehouse",
        title: "connection.url",
        lacks: warehouses,
        given,
        change: {
            with: ({ connection }) => ({ connection: { ...connection, url: `${connection.url}/` } }),
            is: "update",
            writes: 0,
        },
    },
    {
        kind: "warehouse",
        title: "the token",
        lacks: warehouses,
        given,
        change: {
            with: ({ connection }) => ({ connection: { ...connection, token: "another-token" } }),
            is: "none",
        },
    },
];

const systemIdentity = { type: "s3", "credential-type": "aws-system-identity" };

const credentials: Case[] = [
    {
        kind: "warehouse",
        title: "credential: another key",
        lacks: untried,
        given,
        change: {
            with: ({ credential }) => ({ credential: { ...credential, accessKeyId: "AKIAOTHER" } }),
            is: "update",
            shows: {
                path,
                lacks: tellsCredentials,
                has: { "storage-credential-type": { type: "s3", "credential-type": "access-key" } },
            },
        },
        outside: {
            title: "the credential taken away",
            lacks: tellsCredentials,
            ...post("storage-credential", {}),
            refresh: "update",
        },
    },
    {
        kind: "warehouse",
        title: "credential: another kind",
        lacks: (world) =>
            untried(world) ??
            (world.info["aws-system-identities-enabled"] ? undefined : "system identities are switched off"),
        given,
        change: {
            with: () => ({ credential: { type: "s3-system-identity", externalId: "x" } }),
            is: "update",
            shows: { path, lacks: tellsCredentials, has: { "storage-credential-type": systemIdentity } },
        },
        outside: {
            title: "another kind of credential",
            lacks: tellsCredentials,
            ...post("storage-credential", {
                "new-storage-credential": {
                    type: "s3",
                    "credential-type": "access-key",
                    "aws-access-key-id": "AKIATHEIRS",
                    "aws-secret-access-key": "the-secret-key-of-theirs",
                },
            }),
            refresh: "update",
        },
    },
    {
        kind: "warehouse",
        title: "credential: none",
        lacks: untried,
        given,
        change: { with: () => ({ credential: undefined }), is: "update" },
    },
];

/** Everything about warehouses but their storage. */
export const warehouseCases: Case[] = [...settings, ...credentials];
