import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
    LakekeeperProject,
    LakekeeperServer,
    LakekeeperWarehouse,
} from "../../dynamic-providers/lakekeeper/resources.ts";
import {
    LakekeeperGrants,
    LakekeeperRole,
    LakekeeperRoleMembers,
    LakekeeperUser,
} from "../../dynamic-providers/lakekeeper/resources-access.ts";
import {
    LakekeeperNamespace,
    LakekeeperTaskQueue,
} from "../../dynamic-providers/lakekeeper/resources-content.ts";
import { endLeftEngines } from "../../local/left-engines.ts";
import { rootVariable } from "../../local/resources/environment.ts";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../local/simulators/lakekeeper/index.ts";
import { type MemoryCatalog, startMemoryCatalog } from "../../local/simulators/lakekeeper/memory-catalog.ts";
import { type ServerProxy, startProxy } from "../lakekeeper/proxy.ts";
import { upBothAtOnce, upTwiceAtOnce } from "./at-once.ts";
import { changesOf, type Outcome, type TestStack, testStack } from "./engine.ts";
import { killAtEachCall } from "./killed-engine.ts";

/** An engine that is killed, one that runs twice, and two stacks that want the same: one resource of each kind. */
const token = "token-of-the-interrupted-test";

/** By this the processes of these tests are known: those of a killed engine do not notice that it is gone. */
const mark = path.join(os.tmpdir(), `interrupted-${process.pid}`);

let catalog: MemoryCatalog;
let simulator: LakekeeperSimulator;
let proxy: ServerProxy;
let stacks: TestStack[] = [];
let adopt = false;

beforeEach(async () => {
    adopt = false;
    catalog = await startMemoryCatalog();
    simulator = await startLakekeeperSimulator({
        port: 0,
        token,
        backendUrl: catalog.url,
        authzBackend: "openfga",
    });
    proxy = await startProxy(simulator.url);
});

afterEach(async () => {
    for (const stack of stacks) await stack.dispose();
    stacks = [];
    await endLeftEngines(mark);
    await proxy?.close();
    await simulator?.close();
    await catalog?.close();
});

async function open(): Promise<TestStack> {
    const stack = await testStack({ env: { [rootVariable]: mark }, program: async () => program() });
    stacks.push(stack);
    return stack;
}

function program(): void {
    const connection = { url: proxy.url, token, timeoutSeconds: 20 };
    const common = { connection, adopt, deletionProtection: false };
    const server = new LakekeeperServer("server", { connection, acceptTermsOfUse: true });
    const project = new LakekeeperProject(
        "project",
        { ...common, projectId: "lake", name: "Lake" },
        { dependsOn: server },
    );
    const { projectId } = project;
    const warehouse = new LakekeeperWarehouse("warehouse", {
        ...common,
        projectId,
        name: "fluss",
        storage: { type: "s3", bucket: "lake", keyPrefix: "fluss", region: "us-east-1" },
        credential: { type: "s3-access-key", accessKeyId: "AKIA", secretAccessKey: "secret-key" },
        storageWaitSeconds: 0,
    });
    new LakekeeperNamespace("namespace", { ...common, warehouseId: warehouse.id, namespace: "finance" });
    new LakekeeperTaskQueue("queue", {
        connection,
        warehouseId: warehouse.id,
        queue: "tabular_purge",
        maxSecondsSinceLastHeartbeat: 600,
    });
    const user = new LakekeeperUser(
        "user",
        { connection, adopt, userId: "oidc~alice", name: "Alice" },
        { dependsOn: warehouse },
    );
    const role = new LakekeeperRole("role", { connection, adopt, projectId, name: "readers" });
    const members = [{ type: "user" as const, id: user.id }];
    new LakekeeperRoleMembers("members", { connection, projectId, roleId: role.id, members });
    new LakekeeperGrants("grants", {
        connection,
        on: { type: "warehouse", warehouseId: warehouse.id },
        grants: [{ relation: "select", role: role.id }],
    });
}

const operations = (outcome: Outcome) =>
    Object.fromEntries(
        changesOf(outcome)
            .filter(({ type }) => type.includes("lakekeeper:"))
            .map(({ name, op }) => [name, op]),
    );

const isWork = ({ method, status }: { method: string; status: number }) =>
    method !== "GET" && status !== 0 && status < 300;

async function get(path: string, project = "lake"): Promise<Record<string, unknown[]>> {
    const headers = { authorization: `Bearer ${token}`, "x-project-id": project };
    return (await fetch(simulator.url + path, { headers })).json() as Promise<Record<string, unknown[]>>;
}

/** How many there are of each, on the server. */
async function counts(): Promise<Record<string, number>> {
    const named = async (path: string, list: string, key: string, name: string) =>
        ((await get(path))[list] as Record<string, unknown>[]).filter((one) => one[key] === name).length;
    return {
        projects: await named("/management/v1/project-list", "projects", "project-id", "lake"),
        warehouses: await named("/management/v1/warehouse", "warehouses", "name", "fluss"),
        namespaces: catalog.namespaces.size,
        users: await named("/management/v1/user", "users", "id", "oidc~alice"),
        roles: await named("/management/v1/role", "roles", "name", "readers"),
    };
}

const one = { projects: 1, warehouses: 1, namespaces: 1, users: 1, roles: 1 };

test("an engine that is killed at each call that makes something: the next up goes on, and in the end there is one of each", {
    timeout: 400_000,
}, async () => {
    const stack = await open();
    const killed = await killAtEachCall({
        stack,
        run: () => {
            // Answers come late, so that the engine dies first.
            const late = { path: /./, times: 50, does: "delay answer" as const, milliseconds: 300 };
            proxy.order({ ...late, method: "POST" }, { ...late, method: "PUT" });
            return stack.up();
        },
        calls: () => simulator.requests.filter(isWork).map(({ operationId }) => operationId),
        // The provider's process outlives the engine, and ends what it has begun.
        alone: true,
        most: 12,
        failed: (said) => {
            proxy.forget();
            if (/adopt: true/.test(said)) adopt = true;
        },
    });
    expect(killed.length).toBeGreaterThanOrEqual(7);
    expect(adopt, "an object that no state knows is an error that says how to take it over").toBe(true);
    await stack.up();
    expect(await counts()).toEqual(one);
    expect(operations(await stack.up())).toEqual({});
    expect(operations(await stack.refresh())).toEqual({});
    await stack.destroy();
    const { projects, ...rest } = await counts();
    expect({ projects, namespaces: rest.namespaces, users: rest.users }).toEqual({
        projects: 0,
        namespaces: 0,
        users: 0,
    });
});

test("two ups at once on one backend: at most one goes through, who does not is told of the lock, and nothing is there twice", async () => {
    const stack = await open();
    await upTwiceAtOnce(stack);
    expect(await counts()).toEqual(one);
    expect(operations(await stack.up())).toEqual({});
});

test("two stacks that want the same at once: each object is made by one of them, the other says so, and takes it over when asked", async () => {
    const [first, second] = [await open(), await open()];
    await upBothAtOnce([first, second], token);
    adopt = true;
    await first.up();
    await second.up();
    expect(await counts()).toEqual(one);
    expect(operations(await first.up())).toEqual({});
    expect(operations(await second.up())).toEqual({});
});
