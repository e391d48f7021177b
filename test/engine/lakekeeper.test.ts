import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
    LakekeeperProject,
    LakekeeperServer,
    LakekeeperWarehouse,
} from "../../dynamic-providers/lakekeeper/resources.ts";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../local/simulators/lakekeeper/index.ts";
import { type CatalogStub, startCatalogStub } from "../unit/simulators-lakekeeper/stub-catalog.ts";
import { changesOf, type Outcome, type TestStack, testStack } from "./engine.ts";

const token = "token-of-the-engine-test";
const secretAccessKey = "secret-access-key-of-the-engine-test";

/** What the tests change between two updates. */
interface Wishes {
    token: string;
    warehouse: boolean;
    projectName: string;
    warehouseName: string;
    bucket: pulumi.Input<string>;
    secretAccessKey: string;
    deletionProtection: boolean;
}

let wishes: Wishes;
let catalog: CatalogStub;
let simulator: LakekeeperSimulator;
let stack: TestStack;

beforeEach(async () => {
    wishes = {
        token,
        warehouse: true,
        projectName: "Lake",
        warehouseName: "fluss",
        bucket: "lake",
        secretAccessKey,
        deletionProtection: false,
    };
    catalog = await startCatalogStub();
    simulator = await startLakekeeperSimulator({ port: 0, token, backendUrl: catalog.url });
    stack = await testStack({ program: async () => program() });
});

afterEach(async () => {
    await stack?.dispose();
    await simulator?.close();
    await catalog?.close();
});

function program() {
    const connection = { url: simulator.url, token: pulumi.secret(wishes.token) };
    const { deletionProtection } = wishes;
    const server = new LakekeeperServer("server", { connection, acceptTermsOfUse: true, waitSeconds: 1 });
    const project = new LakekeeperProject(
        "project",
        { connection, projectId: "lake", name: wishes.projectName, deletionProtection },
        { dependsOn: server },
    );
    if (!wishes.warehouse) return { catalogUri: server.catalogUri };
    const warehouse = new LakekeeperWarehouse("warehouse", {
        connection,
        projectId: project.projectId,
        name: wishes.warehouseName,
        storage: { type: "s3", bucket: wishes.bucket, keyPrefix: "fluss-lake-storage", region: "us-east-1" },
        credential: {
            type: "s3-access-key",
            accessKeyId: "AKIAEXAMPLE",
            secretAccessKey: pulumi.secret(wishes.secretAccessKey),
        },
        deletionProtection,
        storageWaitSeconds: 0,
    });
    return { catalogUri: server.catalogUri, warehouseId: warehouse.id };
}

/** What was done, by resource: `{ warehouse: ["update"] }`. */
function operations(outcome: Outcome): Record<string, string[]> {
    const done: Record<string, string[]> = {};
    for (const { name, op } of changesOf(outcome)) {
        if (["server", "project", "warehouse"].includes(name)) done[name] = [...(done[name] ?? []), op];
    }
    return done;
}

async function outside(method: string, path: string, json?: unknown): Promise<{ [key: string]: unknown }> {
    const answer = await fetch(simulator.url + path, {
        method,
        headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            "x-project-id": "lake",
        },
        body: json === undefined ? undefined : JSON.stringify(json),
    });
    const text = await answer.text();
    expect(answer.ok, `${method} ${path}: ${answer.status} ${text}`).toBe(true);
    return text === "" ? {} : JSON.parse(text);
}

/** Paths of writes since the last time. */
function writes(): string[] {
    const fresh = simulator.requests.slice(seen).filter(({ method }) => method !== "GET");
    seen = simulator.requests.length;
    return fresh.map(({ operationId }) => operationId);
}
let seen = 0;
beforeEach(() => {
    seen = 0;
});

test("create, no change, change, delete", async () => {
    const created = await stack.up();
    expect(operations(created)).toEqual({ server: ["create"], project: ["create"], warehouse: ["create"] });
    expect(created.outputs["catalogUri"]?.value).toBe(`${simulator.url}/catalog`);
    const path = `/management/v1/warehouse/${created.outputs["warehouseId"]?.value}`;
    expect(writes()).toEqual(["bootstrap", "create_project", "create_warehouse"]);

    expect(operations(await stack.refresh())).toEqual({});
    expect(operations(await stack.up())).toEqual({});
    expect(writes()).toEqual([]);

    const change = {
        projectName: "Lakehouse",
        warehouseName: "renamed",
        secretAccessKey: "the-next-secret-key",
    };
    Object.assign(wishes, change);
    expect(operations(await stack.up())).toEqual({ project: ["update"], warehouse: ["update"] });
    expect(writes().sort()).toEqual(["rename_project", "rename_warehouse", "update_storage_credential"]);
    expect(await outside("GET", path)).toMatchObject({ name: "renamed", "project-id": "lake" });

    const destroyed = await stack.destroy();
    expect(operations(destroyed)).toEqual({ server: ["delete"], project: ["delete"], warehouse: ["delete"] });
    expect(writes()).toEqual(["delete_warehouse", "delete_project"]);
    // Nobody can take a bootstrap back.
    expect(await outside("GET", "/management/v1/info")).toMatchObject({ bootstrapped: true });
});

test("a lost answer of each create leaves one object, and the next up changes nothing", async () => {
    for (const operation of ["bootstrap", "create_project", "create_warehouse"])
        simulator.faults.loseNextAnswer(operation);
    await stack.up();
    expect(writes()).toEqual(["bootstrap", "create_project", "create_warehouse"]);
    expect(operations(await stack.up())).toEqual({});
});

describe("changes by others", () => {
    test("another database behind the address: the server is bootstrapped anew", async () => {
        await stack.up();
        const port = Number(new URL(simulator.url).port);
        await simulator.close();
        simulator = await startLakekeeperSimulator({ port, token });
        seen = 0;
        const refreshed = operations(await stack.refresh());
        expect(refreshed).toEqual({ server: ["delete"], project: ["delete"], warehouse: ["delete"] });
        await stack.up();
        expect(writes()).toEqual(["bootstrap", "create_project", "create_warehouse"]);
    });
});

describe("refusals", () => {
    test("a wrong token: what was tried and what to do, without the token", async () => {
        wishes.token = "wrong-token-of-the-engine-test";
        const failure = await stack.up().catch((error: Error) => error.message);
        expect(failure).toContain("Lakekeeper: could not read the server's state");
        expect(failure).toContain("401 AuthenticationFailed");
        expect(failure).not.toContain(wishes.token);
    });

    test("another bucket is refused in preview while deletion protection is on, and replaces without it", async () => {
        wishes.deletionProtection = true;
        await stack.up();
        wishes.bucket = "other";
        await expect(stack.preview()).rejects.toThrow(
            /s3:\/\/lake\/fluss-lake-storage.*deletionProtection: false/s,
        );
        Object.assign(wishes, { bucket: "lake", deletionProtection: false });
        await stack.up();
        wishes.bucket = "other";
        writes();
        expect(operations(await stack.up()).warehouse).toContain("replace");
        expect(writes()).toEqual(["delete_warehouse", "create_warehouse"]);
    });

    test("a warehouse that holds tables is not deleted, and says what is in it", async () => {
        const { outputs } = await stack.up();
        const id = outputs["warehouseId"]?.value;
        await outside("POST", `/catalog/v1/${id}/namespaces`, { namespace: ["finance"] });
        catalog.namespaces.get("finance")!.push("trades");
        wishes.warehouse = false;
        writes();
        await expect(stack.up()).rejects.toThrow(/not empty: finance\.trades/);
        expect(writes()).toEqual([]);
    });
});

describe("state", () => {
    test("token and key are not in clear in the state, before and after a refresh, nor on screen; a new token is no change", async () => {
        const { stdout } = await stack.up();
        const state = await stack.export();
        const before = JSON.stringify(state);
        expectSmall(state);
        const refreshed = await stack.refresh();
        const after = JSON.stringify(await stack.export());
        wishes.token = "the-next-token-of-the-engine-test";
        expect(operations(await stack.preview())).toEqual({});
        for (const text of [stdout, before, refreshed.stdout, after]) {
            expect(text).not.toContain(token);
            expect(text).not.toContain(secretAccessKey);
        }
    });
});

/** A resource takes little more in the state than its inputs, twice. Places in the program's source are not counted. */
function expectSmall({ deployment }: { deployment: { resources: Record<string, unknown>[] } }): void {
    const ours = deployment.resources.filter(({ type }) => String(type).includes("lakekeeper:"));
    expect(ours).toHaveLength(3);
    for (const { stackTrace: _stack, sourcePosition: _position, ...resource } of ours) {
        const inputs = JSON.stringify(resource["inputs"]).length;
        expect(JSON.stringify(resource).length, String(resource["type"])).toBeLessThan(1200 + 2.2 * inputs);
    }
}
