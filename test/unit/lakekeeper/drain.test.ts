import { describe, expect, it } from "vitest";
import { warehouse } from "../../../dynamic-providers/lakekeeper/warehouse.ts";
import { type Bag, lead } from "../../lakekeeper/lead.ts";
import { startCatalogStub } from "../simulators-lakekeeper/stub-catalog.ts";
import { closeLater, startFixture } from "./fixture.ts";

const storage = { type: "s3", bucket: "lake", keyPrefix: "p", region: "us-east-1" };

/** A warehouse with two namespaces, one of them with tables. */
async function withContent(change: Bag = {}) {
    const catalog = await startCatalogStub();
    closeLater(catalog.close);
    const fixture = await startFixture({ backendUrl: catalog.url });
    const made = lead(warehouse);
    await made.create({
        connection: fixture.connection,
        name: "w",
        storage,
        deletionProtection: false,
        ...change,
    });
    const base = `/catalog/v1/${made.id}/namespaces`;
    for (const name of ["finance", "empty"]) await fixture.outside("POST", base, { namespace: [name] });
    catalog.namespaces.get("finance")!.push("trades", "accounts");
    fixture.writes();
    return { catalog, fixture, made, base };
}

describe("draining", () => {
    it("drops what is in the warehouse and waits for the server's work", async () => {
        const { catalog, fixture, made } = await withContent({ drain: { purge: true } });
        await made.destroy();
        expect([...catalog.namespaces.keys()]).toEqual([]);
        expect(
            fixture.writes().filter((operation) => operation === "delete_warehouse").length,
        ).toBeGreaterThan(1);
        expect(await made.refresh()).toBe("gone");
    });

    it("of a deactivated warehouse activates it, since the catalog does not serve it otherwise", async () => {
        const { made, fixture, catalog } = await withContent({ drain: {} });
        await fixture.outside("POST", `/management/v1/warehouse/${made.id}/deactivate`);
        await made.destroy();
        expect([...catalog.namespaces.keys()]).toEqual([]);
    });

    it("tells what blocks when the deadline is over", async () => {
        const { fixture, made } = await withContent({ drain: { purge: true, deadlineSeconds: 1 } });
        const stack = ["Unfinished tasks: 2 Tasks in queue 'tabular_purge'"];
        const busy = { error: { message: "m", type: "WarehouseHasUnfinishedTasks", code: 409, stack } };
        fixture.simulator.faults.failNext("delete_warehouse", 409, busy, 20);
        const tasks = {
            tasks: [
                { "queue-name": "tabular_purge", status: "RUNNING", "entity-name": ["finance", "trades"] },
                { "queue-name": "tabular_purge", status: "SUCCESS", "entity-name": ["finance", "accounts"] },
            ],
        };
        fixture.simulator.faults.failNext("list_tasks", 200, tasks);
        const message = await made.destroy().catch((error: Error) => error.message);
        expect(message).toMatch(/after 1 s.*tabular_purge of finance\.trades \(running\)/s);
        expect(message).not.toContain("accounts");
    });

    it("stops at what is protected, unless it is forced", async () => {
        const { fixture, made, base } = await withContent({ drain: {} });
        const found = await fixture.outside("GET", `${base}/finance?returnUuid=true`);
        const path = `/management/v1/warehouse/${made.id}/namespace/${found["namespace-uuid"]}/protection`;
        await fixture.outside("POST", path, { protected: true });
        await expect(made.destroy()).rejects.toThrow(/409 NamespaceProtected.*drain: \{ force: true \}/s);
    });

    it("stops where dropped tables can be brought back, unless it is forced", async () => {
        const soft = { deleteProfile: { type: "soft", expirationSeconds: 60 } };
        const { made } = await withContent({ drain: {}, ...soft });
        await expect(made.destroy()).rejects.toThrow(/400 NamespaceDeleteNotAllowed.*force: true/s);
        const forced = await withContent({ drain: { force: true }, ...soft });
        await forced.made.destroy();
        expect(await forced.made.refresh()).toBe("gone");
    });

    it("is not done unless it is asked for, and learning it is no write", async () => {
        const { fixture, made } = await withContent();
        await expect(made.destroy()).rejects.toThrow(/not empty.*`drain`/s);
        const given = { connection: fixture.connection, name: "w", storage, deletionProtection: false };
        expect(await made.up({ ...given, drain: {} })).toBe("update");
        expect(fixture.writes()).toEqual([]);
        await made.destroy();
    });
});

describe("50 warehouses", () => {
    it("take one POST each, one list and one look at the server for all, and a second up takes no call", async () => {
        const fixture = await startFixture();
        const before = fixture.simulator.requests.length;
        const given = (n: number) => ({
            connection: fixture.connection,
            name: `w${n}`,
            storage: { ...storage, keyPrefix: `p${n}` },
            credential: { type: "s3-access-key", accessKeyId: "a", secretAccessKey: "b" },
        });
        const all = Array.from({ length: 50 }, (_, n) => ({ made: lead(warehouse), given: given(n) }));
        await Promise.all(all.map(({ made, given }) => made.create(given)));
        const calls = fixture.simulator.requests.slice(before);
        const count = (operation: string) =>
            calls.filter(({ operationId }) => operationId === operation).length;
        const operations = ["create_warehouse", "list_warehouses", "get_server_info"];
        expect(operations.map(count)).toEqual([50, 1, 1]);
        expect(calls).toHaveLength(52);
        expect(await Promise.all(all.map(({ made, given }) => made.up(given)))).toEqual(
            Array(50).fill("same"),
        );
        expect(fixture.simulator.requests.length).toBe(before + 52);
    });

    it("find one that was made a moment ago, and one that somebody else took away", async () => {
        const fixture = await startFixture();
        const given = { connection: fixture.connection, name: "w", storage, deletionProtection: false };
        const first = lead(warehouse);
        await first.create(given);
        const inner = { ...given, name: "inner", storage: { ...storage, keyPrefix: "p/inner" } };
        await expect(lead(warehouse).create(inner)).rejects.toThrow(/share objects with warehouse 'w'/);
        await fixture.outside("DELETE", `/management/v1/warehouse/${first.id}`);
        await lead(warehouse).create(given);
    });
});
