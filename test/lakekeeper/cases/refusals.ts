import type { Bag } from "../lead.ts";
import type { World } from "../world.ts";
import { type Kind, management, openFga, since, untried, warehouses } from "./case.ts";

/** What a server, or the provider before it, refuses: nothing may be left of it. */
export interface Refusal {
    kind: Kind;
    title: string;
    lacks?: (world: World) => string | undefined;
    /** What somebody else does before. */
    first?: (world: World) => Promise<unknown>;
    given: (world: World) => Bag;
    message: RegExp;
    /** Found by looking at the arguments alone, so that a preview stops before anything is asked. */
    early?: true;
}

const warehouse = (world: World, name: string, storage: Bag, change: Bag = {}): Bag => ({
    connection: world.connection,
    projectId: world.project,
    name,
    storage,
    credential: world.credential,
    deletionProtection: false,
    storageWaitSeconds: 0,
    ...change,
});

const nowhere = "00000000-0000-1000-8000-000000000000";
const common = ({ connection, project }: World): Bag => ({ connection, projectId: project });

export const refusals: Refusal[] = [
    {
        kind: "warehouse",
        title: "the name of another one in other letters, elsewhere",
        lacks: warehouses,
        given: (world) => warehouse(world, "BASE", world.storage("r0")),
        message: /warehouse 'base' exists already.*with another location/s,
    },
    {
        kind: "warehouse",
        title: "a folder inside another one's",
        lacks: warehouses,
        given: (world) => warehouse(world, "r1", world.storage("base/inner")),
        message: /'r1' at .*base\/inner.* would share objects with warehouse 'base'.*keyPrefix/s,
    },
    {
        kind: "warehouse",
        title: "the folder around all others",
        lacks: warehouses,
        given: (world) => warehouse(world, "r2", { ...world.storage(""), keyPrefix: world.run }),
        message: /would share objects with warehouse/,
    },
    {
        kind: "warehouse",
        title: "the place of a deactivated one, which is not listed",
        lacks: warehouses,
        first: async (world) => {
            const id = await world.makeWarehouse("r3-hidden", "r3");
            await world.outside("POST", `${management}/warehouse/${id}/deactivate`);
            world.closeFirst(() => world.outside("DELETE", `${management}/warehouse/${id}`));
        },
        given: (world) => warehouse(world, "r3", world.storage("r3")),
        message: /400 CreateWarehouseStorageProfileOverlap: .*r3-hidden.*deactivated/s,
    },
    {
        kind: "warehouse",
        title: "the name of a deactivated one",
        lacks: warehouses,
        first: async (world) => {
            const id = await world.makeWarehouse("r4-hidden", "r4");
            await world.outside("POST", `${management}/warehouse/${id}/deactivate`);
            world.closeFirst(() => world.outside("DELETE", `${management}/warehouse/${id}`));
        },
        given: (world) => warehouse(world, "R4-hidden", world.storage("r4b")),
        message: /409 WarehouseAlreadyExists: .*What to do: choose another name.*deactivated/s,
    },
    {
        kind: "warehouse",
        title: "a project that is not there",
        lacks: untried,
        given: (world) => warehouse(world, "r5", world.storage("r5"), { projectId: "nobody-made-this" }),
        message: /404 ProjectNotFound: .*What to do: create the project first/s,
    },
    {
        kind: "namespace",
        title: "a warehouse that is not there",
        given: ({ connection }) => ({ connection, warehouseId: nowhere, namespace: "r6" }),
        message: /404 NoSuchWarehouseException/,
    },
    {
        kind: "role",
        title: "the name of another one in other letters",
        given: (world) => ({ ...common(world), name: "BASE" }),
        message: /role 'base' exists already/,
    },
    {
        kind: "role",
        title: "the source of another one",
        lacks: since("0.12.0"),
        first: (world) =>
            world.outside("POST", `${management}/role`, {
                name: "r8-theirs",
                "provider-id": "keycloak",
                "source-id": "r8",
            }),
        given: (world) => ({ ...common(world), name: "r8", providerId: "keycloak", sourceId: "r8" }),
        message: /409 RoleSourceIdConflict.*What to do/s,
    },
    {
        kind: "roleMembers",
        title: "a user whom the server does not know",
        lacks: since("0.13.0"),
        given: (world) => ({
            ...common(world),
            roleId: world.role,
            members: [{ type: "user", id: "oidc~nobody-knows-them" }],
        }),
        message: /404 RoleAssignmentUserNotFound.*make a LakekeeperUser/s,
    },
    {
        kind: "roleMembers",
        title: "a role that is not there",
        lacks: since("0.13.0"),
        given: (world) => ({ ...common(world), roleId: nowhere, members: [] }),
        message: /404 RoleNotFoundInProject/,
    },
    {
        kind: "taskQueue",
        title: "a queue that the server does not have",
        lacks: warehouses,
        given: ({ connection, warehouse: warehouseId }) => ({ connection, warehouseId, queue: "nope" }),
        message: /no queue 'nope'.*choose one of .*tabular_purge/s,
        early: true,
    },
    {
        kind: "taskQueue",
        title: "a duration that is none",
        lacks: since("0.11.0"),
        given: ({ connection, project: projectId }) => ({
            connection,
            projectId,
            queue: "task_log_cleanup",
            config: { "cleanup-period": "1d" },
        }),
        message: /400 InvalidQueueConfig: .*ISO 8601/s,
    },
    {
        kind: "grants",
        title: "a relation of another kind of object",
        lacks: openFga,
        given: ({ connection, user }) => ({
            connection,
            on: { type: "server" },
            grants: [{ relation: "select", user }],
        }),
        message: /grants\.0\.relation: must be one of admin, operator on a server/,
        early: true,
    },
    {
        kind: "grants",
        title: "without OpenFGA",
        lacks: (world) => (openFga(world) ? undefined : "the server has OpenFGA"),
        given: ({ connection, user }) => ({
            connection,
            on: { type: "server" },
            grants: [{ relation: "admin", user }],
        }),
        message: /grants need a server with OpenFGA.*allow-all/s,
        early: true,
    },
    {
        kind: "user",
        title: "an id without a provider",
        given: ({ connection }) => ({ connection, userId: "alice", name: "Alice" }),
        message: /userId: must be the identity provider and the subject/,
        early: true,
    },
    {
        kind: "project",
        title: "an id with a blank",
        given: ({ connection }) => ({ connection, projectId: "a b", name: "A" }),
        message: /projectId: must be 1 to 128 letters/,
        early: true,
    },
    {
        kind: "warehouse",
        title: "all faults of the arguments at once",
        given: (world) => warehouse(world, "a/b", { ...world.storage("x"), bucket: "Bad_Bucket", bukket: 1 }),
        message: /name.*bucket.*bukket/s,
        early: true,
    },
    {
        kind: "warehouse",
        title: "STS of AWS without a role",
        given: (world) =>
            warehouse(world, "r17", { type: "s3", bucket: "lake", region: "us-east-1", stsEnabled: true }),
        message: /stsRoleArn: is missing/,
        early: true,
    },
];

/** What is not deleted: its message, and how the way is cleared for it. */
export interface Kept {
    kind: Kind;
    slug: string;
    title: string;
    lacks?: (world: World) => string | undefined;
    given: (world: World) => Bag;
    first?: (world: World, id: string) => Promise<unknown>;
    message: RegExp;
    clear: (world: World, id: string) => Promise<unknown>;
}

const namespaceIn = (id: string, name: string) => `/catalog/v1/${id}/namespaces/${name}`;

export const kept: Kept[] = [
    {
        kind: "warehouse",
        slug: "k0",
        title: "a warehouse that holds a namespace",
        lacks: warehouses,
        given: (world) => warehouse(world, "k0", world.storage("k0")),
        first: ({ outside }, id) => outside("POST", `/catalog/v1/${id}/namespaces`, { namespace: ["in_k0"] }),
        message: /warehouse 'k0' is not deleted, since it is not empty: in_k0 \(namespace\)/,
        clear: ({ outside }, id) => outside("DELETE", namespaceIn(id, "in_k0")),
    },
    {
        kind: "warehouse",
        slug: "k1",
        title: "a warehouse that Lakekeeper protects",
        lacks: warehouses,
        given: (world) => warehouse(world, "k1", world.storage("k1"), { protected: true }),
        message: /409 WarehouseProtected.*set protected: false/s,
        clear: ({ outside }, id) =>
            outside("POST", `${management}/warehouse/${id}/protection`, { protected: false }),
    },
    {
        kind: "project",
        slug: "k2",
        title: "a project that has a warehouse",
        lacks: warehouses,
        given: ({ connection, run }) => ({
            connection,
            projectId: `${run}-k2`,
            name: "K",
            deletionProtection: false,
        }),
        first: (world, id) => inProject(world, id),
        message: /project '.*-k2' is not deleted, since it has warehouses: in-k2/,
        clear: async ({ outside }, id) => {
            const { warehouses: list } = await outside("GET", `${management}/warehouse`, undefined, id);
            for (const one of list as Bag[]) await outside("DELETE", `${management}/warehouse/${one["id"]}`);
        },
    },
    {
        kind: "project",
        slug: "k3",
        title: "a project that has a role",
        given: ({ connection, run }) => ({
            connection,
            projectId: `${run}-k3`,
            name: "K",
            deletionProtection: false,
        }),
        first: ({ outside }, id) => outside("POST", `${management}/role`, { name: "in-k3" }, id),
        message: /409 ProjectNotEmpty.*roles first/s,
        clear: async ({ outside }, id) => {
            const { roles } = await outside("GET", `${management}/role`, undefined, id);
            for (const one of roles as Bag[])
                await outside("DELETE", `${management}/role/${one["id"]}`, undefined, id);
        },
    },
    {
        kind: "namespace",
        slug: "k4",
        title: "a namespace that Lakekeeper protects",
        lacks: warehouses,
        given: ({ connection, warehouse: warehouseId }) => ({
            connection,
            warehouseId,
            namespace: "k4",
            protected: true,
            deletionProtection: false,
        }),
        message: /409 NamespaceProtected.*protection/s,
        clear: async ({ outside, warehouse: id }) => {
            const { properties } = await outside("GET", namespaceIn(id, "k4"));
            const namespace = (properties as Bag)["namespace_id"];
            const path = `${management}/warehouse/${id}/namespace/${namespace}/protection`;
            await outside("POST", path, { protected: false });
        },
    },
];

async function inProject(world: World, id: string): Promise<void> {
    await world.outside(
        "POST",
        `${management}/warehouse`,
        {
            "warehouse-name": "in-k2",
            "storage-profile": { ...world.profile, "key-prefix": `${world.run}/k2` },
            "storage-credential": world.rawCredential,
        },
        id,
    );
}
