import { afterEach, beforeEach, expect, test } from "vitest";
import { LakekeeperWarehouse } from "../../dynamic-providers/lakekeeper/resources.ts";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../local/simulators/lakekeeper/index.ts";
import { type MemoryCatalog, startMemoryCatalog } from "../../local/simulators/lakekeeper/memory-catalog.ts";
import { changesOf, type TestStack, testStack } from "./engine.ts";

/** A warehouse that holds something, on the real engine: its replacement, its deletion, and what blocks a drain. */
const token = "token-of-the-content-test";

let catalog: MemoryCatalog;
let simulator: LakekeeperSimulator;
let stack: TestStack;
let wishes: { there: boolean; keyPrefix: string; drain?: { deadlineSeconds?: number; force?: boolean } };
let id: string;

beforeEach(async () => {
    wishes = { there: true, keyPrefix: "fluss" };
    catalog = await startMemoryCatalog();
    simulator = await startLakekeeperSimulator({ port: 0, token, backendUrl: catalog.url });
    stack = await testStack({ program: async () => program() });
    await outside("POST", "/management/v1/bootstrap", { "accept-terms-of-use": true });
    id = (await stack.up()).outputs["id"]?.value as string;
    await outside("POST", `/catalog/v1/${id}/namespaces`, { namespace: ["finance"] });
    catalog.namespaces.get("finance")?.push("trades");
});

afterEach(async () => {
    await stack?.dispose();
    await simulator?.close();
    await catalog?.close();
});

function program(): object {
    if (!wishes.there) return {};
    const { keyPrefix, drain } = wishes;
    const warehouse = new LakekeeperWarehouse("warehouse", {
        connection: { url: simulator.url, token },
        name: "fluss",
        storage: { type: "s3", bucket: "lake", keyPrefix, region: "us-east-1" },
        deletionProtection: false,
        drain,
    });
    return { id: warehouse.id };
}

async function outside(method: string, path: string, json?: unknown): Promise<Record<string, unknown>> {
    const answer = await fetch(simulator.url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: json === undefined ? null : JSON.stringify(json),
    });
    const text = await answer.text();
    expect(answer.ok, `${method} ${path}: ${answer.status} ${text}`).toBe(true);
    return text === "" ? {} : JSON.parse(text);
}

const deletions = () => simulator.requests.filter(({ method }) => method === "DELETE").length;

test("a replacement is refused in the preview, which names what would be lost, and an up does nothing either", async () => {
    wishes.keyPrefix = "elsewhere";
    const message = /storage cannot change from .*not empty: finance\.trades/s;
    await expect(stack.preview()).rejects.toThrow(message);
    await expect(stack.up()).rejects.toThrow(message);
    expect(deletions()).toBe(0);
    expect(catalog.namespaces.get("finance")).toEqual(["trades"]);
});

test("a destroy is refused before any call that deletes, until somebody has emptied it", async () => {
    await expect(stack.destroy()).rejects.toThrow(/not deleted, since it is not empty: finance\.trades/);
    expect(deletions()).toBe(0);
    await outside("DELETE", `/catalog/v1/${id}/namespaces/finance?recursive=true`);
    await stack.destroy();
});

test("a drain that is asked for stops at what is protected, says so, and goes on when it is forced", async () => {
    const found = await outside("GET", `/catalog/v1/${id}/namespaces/finance?returnUuid=true`);
    const path = `/management/v1/warehouse/${id}/namespace/${found["namespace-uuid"]}/protection`;
    await outside("POST", path, { protected: true });
    wishes.drain = { deadlineSeconds: 5 };
    await stack.up();
    wishes.there = false;
    await expect(stack.up()).rejects.toThrow(/NamespaceProtected.*force: true/s);
    expect(catalog.namespaces.get("finance")).toEqual(["trades"]);
    wishes = { there: true, keyPrefix: "fluss", drain: { deadlineSeconds: 5, force: true } };
    await stack.up();
    // A replacement drains, too.
    wishes.keyPrefix = "elsewhere";
    const replaced = changesOf(await stack.up()).map(({ op }) => op);
    expect(replaced).toContain("replace");
    expect(catalog.namespaces.size).toBe(0);
});
