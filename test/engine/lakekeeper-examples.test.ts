import { afterAll, beforeAll, expect, test } from "vitest";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../local/simulators/lakekeeper/index.ts";
import { type CatalogStub, startCatalogStub } from "../unit/simulators-lakekeeper/stub-catalog.ts";
import { changesOf, type TestStack, testStack } from "./engine.ts";

/** The programs of the pages in `docs/lakekeeper`, all as one stack. */
const token = "token-of-the-examples";
const secret = "storage-secret-of-the-examples";

let catalog: CatalogStub;
let simulator: LakekeeperSimulator;
let stack: TestStack;

beforeAll(async () => {
    catalog = await startCatalogStub();
    simulator = await startLakekeeperSimulator({
        port: 0,
        token,
        backendUrl: catalog.url,
        authzBackend: "openfga",
    });
    stack = await testStack({
        // A module is run once in a process: all programs in one run.
        program: async () => {
            await import("../lakekeeper/examples/server.ts");
            const programs = [
                import("../lakekeeper/examples/project.ts"),
                import("../lakekeeper/examples/warehouse.ts"),
                import("../lakekeeper/examples/namespace.ts"),
                import("../lakekeeper/examples/task-queue.ts"),
                import("../lakekeeper/examples/user.ts"),
                import("../lakekeeper/examples/role.ts"),
                import("../lakekeeper/examples/role-members.ts"),
                import("../lakekeeper/examples/grants.ts"),
            ];
            return Object.assign({}, ...(await Promise.all(programs)));
        },
        config: {
            lakekeeperUrl: { value: simulator.url },
            lakekeeperToken: { value: token, secret: true },
            minioKey: { value: secret, secret: true },
            key: { value: secret, secret: true },
        },
    });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ "accept-terms-of-use": true });
    await fetch(`${simulator.url}/management/v1/bootstrap`, { method: "POST", headers, body });
});

afterAll(async () => {
    await stack?.dispose();
    await simulator?.close();
    await catalog?.close();
});

test("each does what its page says, and keeps its secrets", async () => {
    const done = await stack.up();
    const made = changesOf(done).filter(({ type }) => type.includes("lakekeeper:"));
    expect(made.every(({ op }) => op === "create")).toBe(true);
    const kinds = new Set(made.map(({ type }) => type.split("lakekeeper:")[1]));
    expect([...kinds].sort()).toEqual(
        [
            "Server",
            "Project",
            "Warehouse",
            "Namespace",
            "TaskQueue",
            "User",
            "Role",
            "RoleMembers",
            "Grants",
        ].sort(),
    );
    expect(done.outputs["warehouse"]?.value).toBe("00000000-0000-0000-0000-000000000000/fluss");
    expect(done.outputs["uri"]?.value).toBe(`${simulator.url}/catalog`);
    const state = JSON.stringify(await stack.export());
    for (const text of [state, done.stdout]) {
        expect(text).not.toContain(token);
        expect(text).not.toContain(secret);
    }
});
