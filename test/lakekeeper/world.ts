import { randomBytes } from "node:crypto";
import { LakekeeperClient } from "../../dynamic-providers/lakekeeper/client.ts";
import { type Info, readInfo } from "../../dynamic-providers/lakekeeper/server-info.ts";
import type { Version } from "../../local/simulators/lakekeeper/version.ts";
import type { Bag } from "./lead.ts";
import { type ServerProxy, startProxy } from "./proxy.ts";
import { reach } from "./server.ts";

/** A server with what the cases build on. All of it is in two projects of its own. */
export interface World {
    /** Through a proxy that counts calls and can lose answers. */
    connection: { url: string; token?: string };
    proxy: ServerProxy;
    info: Info;
    /** Different in each run, so that two runs and leftovers do not meet. */
    run: string;
    project: string;
    otherProject: string;
    /** Why warehouses cannot be made on this server. */
    noWarehouses?: string;
    /** Whether the server tries a storage before it takes it. */
    triesStorage: boolean;
    isInstanceAdmin: boolean;
    /** Ids of three warehouses; empty when none can be made. */
    warehouse: string;
    otherWarehouse: string;
    thirdWarehouse: string;
    /** The server's id of a namespace in the first warehouse. */
    namespace: string;
    role: string;
    otherRole: string;
    /** A role that only this case uses; `addRoles` has made it. */
    roleFor: (slug: string) => string;
    addRoles: (slugs: string[]) => Promise<void>;
    user: string;
    otherUser: string;
    /** Makes a warehouse as somebody else; tells its id. */
    makeWarehouse: (name: string, folder: string, profile?: Bag) => Promise<string>;
    /** The storage and its credential as the API writes them. */
    profile: Bag;
    rawCredential: Bag;
    /** What is done before the world is cleaned up, since it finds only what is listed. */
    closeFirst: (undo: () => Promise<unknown>) => void;
    /** A storage in a folder of its own. */
    storage: (folder: string) => Bag;
    credential: Bag;
    /** A call as somebody else makes it; `lake` is the first project unless another one is named. */
    outside: (method: string, path: string, json?: unknown, project?: string) => Promise<Bag>;
    close: () => Promise<void>;
}

/**
 * Makes what the cases build on, on the server that the environment names or on a simulated one.
 * @param version of the simulated server
 */
export async function makeWorld(version?: Version): Promise<World> {
    const reached = await reach(version);
    const { connection } = reached;
    const client = new LakekeeperClient(connection, { config: () => undefined });
    let info = await readInfo(client);
    const run = `pulumi-fluss-${randomBytes(4).toString("hex")}`;
    const project = run;
    const outside: World["outside"] = (method, path, json, of = project) =>
        call(connection, method, path, json, of);
    if (!info.bootstrapped) {
        await outside("POST", "/management/v1/bootstrap", { "accept-terms-of-use": true });
        info = await readInfo(client);
    }
    const otherProject = `${run}-other`;
    for (const id of [project, otherProject]) {
        await outside("POST", "/management/v1/project", { "project-id": id, "project-name": id });
    }
    const role = async (name: string) =>
        String((await outside("POST", "/management/v1/role", { name }))["id"]);
    const user = async (name: string) => {
        const id = `oidc~${run}-${name}`;
        await outside("POST", "/management/v1/user", { id, name, "user-type": "human" });
        return id;
    };
    const first: (() => Promise<unknown>)[] = [];
    const roles = new Map<string, string>();
    const proxy = await startProxy(connection.url);
    const world: World = {
        connection: { ...connection, url: proxy.url },
        proxy,
        info,
        run,
        project,
        otherProject,
        triesStorage: true,
        isInstanceAdmin: await isInstanceAdmin(outside),
        warehouse: "",
        otherWarehouse: "",
        thirdWarehouse: "",
        namespace: "",
        role: await role("base"),
        otherRole: await role("other"),
        roleFor: (slug) => roles.get(slug) ?? "",
        addRoles: async (slugs) => {
            for (const slug of slugs) roles.set(slug, await role(`for ${slug}`));
        },
        user: await user("base"),
        otherUser: await user("other"),
        makeWarehouse: async (name, folder, profile = {}) => {
            const made = await outside("POST", "/management/v1/warehouse", {
                "warehouse-name": name,
                "storage-profile": { ...reached.profile, ...profile, "key-prefix": `${run}/${folder}` },
                "storage-credential": reached.rawCredential,
            });
            return String(made["warehouse-id"]);
        },
        profile: reached.profile,
        rawCredential: reached.rawCredential,
        closeFirst: (undo) => void first.push(undo),
        storage: (folder) => ({ ...reached.storage, keyPrefix: `${run}/${folder}` }),
        credential: reached.credential,
        outside,
        close: async () => {
            try {
                for (const undo of first) await undo();
                await sweep(world);
            } finally {
                await proxy.close();
                await reached.close();
            }
        },
    };
    await addWarehouses(world);
    return world;
}

async function addWarehouses(world: World): Promise<void> {
    try {
        world.warehouse = await world.makeWarehouse("base", "base");
        world.otherWarehouse = await world.makeWarehouse("other", "other");
        world.thirdWarehouse = await world.makeWarehouse("third", "third");
        const namespaces = `/catalog/v1/${world.warehouse}/namespaces`;
        await world.outside("POST", namespaces, { namespace: ["base"] });
        const { properties } = await world.outside("GET", `${namespaces}/base`);
        world.namespace = String((properties as Bag)["namespace_id"]);
    } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        world.noWarehouses = `no warehouse can be made (see LAKEKEEPER_TEST_BUCKET): ${reason.slice(0, 300)}`;
        return;
    }
    try {
        const made = await world.makeWarehouse("nowhere", "nowhere", nowhere);
        await world.outside("DELETE", `/management/v1/warehouse/${made}`);
        world.triesStorage = false;
    } catch {
        world.triesStorage = true;
    }
}

/** Nobody answers there: a server that tries a storage refuses it, after some seconds. */
const nowhere = { endpoint: "http://127.0.0.1:1/", flavor: "s3-compat", "path-style-access": true };

async function isInstanceAdmin(outside: World["outside"]): Promise<boolean> {
    // Without authentication there is nobody to ask for.
    const whoami = await outside("GET", "/management/v1/whoami").catch(() => ({}) as Bag);
    return whoami["is-instance-admin"] === true;
}

/** Takes everything away that the run has made, and tells what stays. */
async function sweep(world: World): Promise<void> {
    const left: string[] = [];
    const attempt = (what: string, work: () => Promise<unknown>) =>
        work().catch((error: Error) => left.push(`${what}: ${error.message}`));
    for (const project of [world.project, world.otherProject]) {
        const list = async (what: string, key: string) =>
            ((await world.outside("GET", `/management/v1/${what}`, undefined, project))[key] ?? []) as Bag[];
        for (const found of await list("warehouse", "warehouses")) {
            const id = String(found["warehouse-id"] ?? found["id"]);
            await attempt(`warehouse ${id}`, () => removeWarehouse(world, id));
        }
        for (const { id } of await list("role", "roles")) {
            const path = `/management/v1/role/${id}`;
            await attempt(`role ${id}`, () => world.outside("DELETE", path, undefined, project));
        }
        await attempt(`project ${project}`, () =>
            world.outside("DELETE", "/management/v1/project", undefined, project),
        );
    }
    for (const id of [world.user, world.otherUser]) {
        await attempt(id, () => world.outside("DELETE", `/management/v1/user/${encodeURIComponent(id)}`));
    }
    if (left.length > 0) throw new Error(`what could not be cleaned up: ${left.join("; ")}`);
}

async function removeWarehouse({ outside }: World, id: string): Promise<void> {
    const { namespaces = [] } = (await outside("GET", `/catalog/v1/${id}/namespaces`)) as {
        namespaces?: string[][];
    };
    for (const namespace of namespaces) {
        const name = encodeURIComponent(namespace.join("\u001f"));
        await outside("DELETE", `/catalog/v1/${id}/namespaces/${name}?recursive=true&force=true`);
    }
    await outside("DELETE", `/management/v1/warehouse/${id}?force=true`);
}

async function call(
    { url, token }: { url: string; token?: string },
    method: string,
    path: string,
    json: unknown,
    project: string,
): Promise<Bag> {
    const answer = await fetch(url.replace(/\/+$/, "") + path, {
        method,
        headers: {
            ...(token ? { authorization: `Bearer ${token}` } : {}),
            ...(json === undefined ? {} : { "content-type": "application/json" }),
            "x-project-id": project,
        },
        body: json === undefined ? undefined : JSON.stringify(json),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? {} : JSON.parse(text);
}
