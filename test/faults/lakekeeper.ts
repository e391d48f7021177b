import { lakekeeperProviders } from "../../dynamic-providers/lakekeeper/index.ts";
import type { Hosted } from "../../dynamic-providers/resource.ts";
import { startLakekeeperSimulator } from "../../local/simulators/lakekeeper/index.ts";
import { startCatalogStub } from "../unit/simulators-lakekeeper/stub-catalog.ts";
import type { Bag } from "./ledger.ts";
import type { Scenario, World } from "./matrix.ts";

const token = "token-of-the-fault-matrix";
const management = "/management/v1";
const s3 = { type: "s3", bucket: "lake", region: "us-east-1", "sts-enabled": false };
const connection = (url: string) => ({ url, token });
const adopting = (inputs: Bag) => ({ ...inputs, adopt: true });

type Answer = Record<string, unknown>;

/** Every Lakekeeper resource on a simulated server of its own, with a catalog stub behind it. */
export const lakekeeperScenarios: Scenario[] = [
    {
        ...scenario("lakekeeperServer", async () => undefined, { bootstrapped: false }),
        first: (_, url) => ({ connection: connection(url), acceptTermsOfUse: true, waitSeconds: 1 }),
        count: async (world) => Number(((await get(world, "/info")) as Answer)["bootstrapped"] === true),
        remains: 1,
    },
    {
        ...scenario("lakekeeperProject"),
        first: (_, url) => project(url, "Lake"),
        changed: (_, url) => project(url, "Renamed"),
        adopting,
        count: async (world) =>
            named(await get(world, "/project-list"), "projects", "project-id").filter((id) => id === "lake")
                .length,
    },
    {
        ...scenario("lakekeeperWarehouse"),
        first: (_, url) => warehouse(url, "fluss"),
        changed: (_, url) =>
            warehouse(url, "renamed", { type: "s3-access-key", accessKeyId: "AKIB", secretAccessKey: "b" }),
        adopting,
        count: async (world) => named(await get(world, "/warehouse"), "warehouses", "name").length,
        wrong: async (world) => {
            const [found] = ((await get(world, "/warehouse")) as { warehouses: Answer[] }).warehouses;
            const type = found?.["storage-credential-type"] ?? found?.["storage-credential"];
            return type ? undefined : `wiped: the warehouse has no credential: ${JSON.stringify(found)}`;
        },
    },
    {
        ...scenario("lakekeeperNamespace", makeWarehouse),
        first: (world, url) => namespace(world, url, { owner: "desk" }),
        changed: (world, url) => namespace(world, url, { owner: "risk" }),
        adopting,
        count: async (world) => {
            const prefix = `/catalog/v1/${world.facts["warehouse"]}`;
            const { namespaces } = (await world.outside("GET", `${prefix}/namespaces`)) as {
                namespaces: unknown[];
            };
            return namespaces.length;
        },
    },
    {
        ...scenario("lakekeeperTaskQueue", makeWarehouse),
        first: (world, url) => queue(world, url, 600),
        changed: (world, url) => queue(world, url, 1200),
        count: async () => 1,
        remains: 1,
    },
    {
        ...scenario("lakekeeperUser"),
        first: (_, url) => user(url, "Alice"),
        changed: (_, url) => user(url, "Alice B"),
        adopting,
        count: async (world) =>
            named(await get(world, "/user"), "users", "id").filter((id) => id === "oidc~alice").length,
    },
    {
        ...scenario("lakekeeperRole"),
        first: (_, url) => ({ connection: connection(url), name: "readers" }),
        changed: (_, url) => ({ connection: connection(url), name: "readers", description: "who may read" }),
        adopting,
        count: async (world) =>
            named(await get(world, "/role"), "roles", "name").filter((name) => name === "readers").length,
    },
    {
        ...scenario("lakekeeperRoleMembers", makeRole),
        first: (world, url) => members(world, url, ["oidc~alice"]),
        changed: (world, url) => members(world, url, ["oidc~bob"]),
        count: async () => 1,
        remains: 1,
    },
    {
        ...scenario("lakekeeperGrants", makeWarehouse, { authzBackend: "openfga" }),
        first: (world, url) => grants(world, url, "select"),
        changed: (world, url) => grants(world, url, "modify"),
        count: async () => 1,
        remains: 1,
    },
];

function scenario(
    name: keyof typeof lakekeeperProviders,
    prepare: (world: World) => Promise<void> = async () => undefined,
    settings: { bootstrapped?: boolean; authzBackend?: "openfga" } = {},
): Pick<Scenario, "name" | "provider" | "start"> {
    const { bootstrapped = true, ...rest } = settings;
    return {
        name,
        provider: lakekeeperProviders[name] as Hosted,
        async start() {
            const catalog = await startCatalogStub();
            const simulator = await startLakekeeperSimulator({
                port: 0,
                token,
                backendUrl: catalog.url,
                ...rest,
            });
            const world: World = {
                url: simulator.url,
                facts: {},
                outside: async (method, path, json) => {
                    const answer = await fetch(simulator.url + path, {
                        method,
                        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
                        body: json === undefined ? null : JSON.stringify(json),
                    });
                    const text = await answer.text();
                    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
                    return text === "" ? {} : JSON.parse(text);
                },
                close: async () => {
                    await simulator.close();
                    await catalog.close();
                },
            };
            if (bootstrapped)
                await world.outside("POST", `${management}/bootstrap`, { "accept-terms-of-use": true });
            await prepare(world);
            return world;
        },
    };
}

async function makeWarehouse(world: World): Promise<void> {
    const body = { "warehouse-name": "w", "storage-profile": s3 };
    const made = (await world.outside("POST", `${management}/warehouse`, body)) as Answer;
    world.facts["warehouse"] = String(made["warehouse-id"]);
}

async function makeRole(world: World): Promise<void> {
    for (const id of ["oidc~alice", "oidc~bob"])
        await world.outside("POST", `${management}/user`, { id, name: id });
    const made = (await world.outside("POST", `${management}/role`, { name: "r" })) as Answer;
    world.facts["role"] = String(made["id"]);
}

const get = (world: World, path: string) => world.outside("GET", management + path);

function named(answer: unknown, list: string, key: string): unknown[] {
    return ((answer as Record<string, Answer[]>)[list] ?? []).map((entry) => entry[key]);
}

const project = (url: string, name: string) => ({
    connection: connection(url),
    projectId: "lake",
    name,
    deletionProtection: false,
});

const warehouse = (
    url: string,
    name: string,
    credential: Bag = { type: "s3-access-key", accessKeyId: "AKIA", secretAccessKey: "a" },
) => ({
    connection: connection(url),
    name,
    storage: { type: "s3", bucket: "lake", keyPrefix: "fluss", region: "us-east-1" },
    credential,
    deletionProtection: false,
    storageWaitSeconds: 0,
});

const namespace = (world: World, url: string, properties: Record<string, string>) => ({
    connection: connection(url),
    warehouseId: world.facts["warehouse"],
    namespace: "finance",
    properties,
    deletionProtection: false,
});

const queue = (world: World, url: string, maxSecondsSinceLastHeartbeat: number) => ({
    connection: connection(url),
    warehouseId: world.facts["warehouse"],
    queue: "tabular_purge",
    maxSecondsSinceLastHeartbeat,
});

const user = (url: string, name: string) => ({ connection: connection(url), userId: "oidc~alice", name });

const members = (world: World, url: string, ids: string[]) => ({
    connection: connection(url),
    roleId: world.facts["role"],
    members: ids.map((id) => ({ type: "user", id })),
});

const grants = (world: World, url: string, relation: string) => ({
    connection: connection(url),
    on: { type: "warehouse", warehouseId: world.facts["warehouse"] },
    grants: [{ relation, user: "oidc~alice" }],
});
