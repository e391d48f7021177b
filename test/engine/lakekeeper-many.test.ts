import { afterAll, beforeAll, expect, test } from "vitest";
import { LakekeeperServer, LakekeeperWarehouse } from "../../dynamic-providers/lakekeeper/resources.ts";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../local/simulators/lakekeeper/index.ts";
import { changesOf, type TestStack, testStack } from "./engine.ts";

/** The limits that the provider keeps, counted at the server while the real engine makes fifty warehouses at once. */
const token = "token-of-many";
const names = Array.from({ length: 50 }, (_, n) => `w${n}`);

let simulator: LakekeeperSimulator;
let stack: TestStack;
let protect = false;
/** The most calls with a credential that were ever under way at once. */
let most = 0;

beforeAll(async () => {
    simulator = await startLakekeeperSimulator({ port: 0, token });
    stack = await testStack({
        program: async () => {
            const connection = { url: simulator.url, token };
            const server = new LakekeeperServer("server", { connection, acceptTermsOfUse: true });
            for (const name of names) {
                const args = {
                    connection,
                    name,
                    storage: { type: "s3" as const, bucket: "lake", keyPrefix: name, region: "us-east-1" },
                    credential: {
                        type: "s3-access-key" as const,
                        accessKeyId: "a",
                        secretAccessKey: "secret",
                    },
                    protected: protect,
                    deletionProtection: false,
                };
                new LakekeeperWarehouse(name, args, { dependsOn: server });
            }
        },
    });
});

afterAll(async () => {
    await stack?.dispose();
    await simulator?.close();
});

/** How often each operation was called since the last time. */
function calls(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { operationId } of simulator.requests.slice(seen)) {
        counts[operationId] = (counts[operationId] ?? 0) + 1;
    }
    seen = simulator.requests.length;
    return counts;
}
let seen = 0;

test("50 warehouses take one POST each, and lists that serve many; an up without changes takes no call", async () => {
    // Each takes a moment, so that they would meet.
    for (const _ of names) simulator.faults.delayNext("create_warehouse", 40);
    const watch = setInterval(() => {
        const running = simulator.requests.filter(
            (one) => one.operationId === "create_warehouse" && one.status === 0,
        ).length;
        most = Math.max(most, running);
    }, 2);
    const made = await stack.up();
    clearInterval(watch);
    expect(changesOf(made).filter(({ type }) => type.includes("Warehouse"))).toHaveLength(50);
    const { create_warehouse, list_warehouses, ...others } = calls();
    expect(create_warehouse).toBe(50);
    expect(list_warehouses).toBe(1);
    // Three looks at the server and one at its health are the bootstrap's own, one serves all warehouses.
    expect(others).toEqual({ get_server_info: 4, health: 1, bootstrap: 1, get_project: 1 });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(3);

    await stack.up();
    expect(calls()).toEqual({});
    await stack.preview();
    expect(calls()).toEqual({});

    protect = true;
    await stack.up();
    expect(calls()).toMatchObject({ set_warehouse_protection: 50 });
    protect = false;
    await stack.up();
    calls();
    await stack.destroy();
    expect(calls()).toMatchObject({ delete_warehouse: 50 });
});
