import { describe, expect, it } from "vitest";
import { namespace } from "../../../dynamic-providers/lakekeeper/namespace.ts";
import { taskQueue } from "../../../dynamic-providers/lakekeeper/task-queue.ts";
import type { LakekeeperSettings } from "../../../local/simulators/lakekeeper/index.ts";
import { type Bag, lead } from "../../lakekeeper/lead.ts";
import { startCatalogStub } from "../simulators-lakekeeper/stub-catalog.ts";
import { closeLater, startFixture } from "./fixture.ts";

/** A server with one warehouse and a catalog behind it. */
async function withWarehouse(settings: Partial<LakekeeperSettings> = {}) {
    const catalog = await startCatalogStub();
    closeLater(catalog.close);
    const fixture = await startFixture({ backendUrl: catalog.url, ...settings });
    const made = await fixture.outside("POST", "/management/v1/warehouse", {
        "warehouse-name": "w",
        "storage-profile": { type: "s3", bucket: "lake", region: "us-east-1", "sts-enabled": false },
    });
    fixture.writes();
    const warehouseId: string = made["warehouse-id"];
    const base = `/management/v1/warehouse/${warehouseId}`;
    return { catalog, fixture, warehouseId, base, connection: fixture.connection };
}

describe("namespace", () => {
    const args = ({ connection, warehouseId }: { connection: object; warehouseId: string }, change = {}) => ({
        connection,
        warehouseId,
        namespace: "finance",
        properties: { owner: "desk" },
        deletionProtection: false,
        ...change,
    });

    it("is made with its properties, left alone, changed in place, and dropped", async () => {
        const all = await withWarehouse();
        const made = lead(namespace);
        await made.create(args(all, { protected: true }));
        expect(made.state["namespaceId"]).toMatch(/^[0-9a-f-]{36}$/);
        expect(await made.up(args(all, { protected: true }))).toBe("same");
        expect(await made.refresh()).toBe("there");
        expect(await made.up(args(all, { protected: true }))).toBe("same");
        await expect(made.destroy()).rejects.toThrow(/409 NamespaceProtected.*protection/s);
        expect(await made.up(args(all, { properties: { team: "a" } }))).toBe("update");
        expect(all.catalog.properties.get("finance")).toEqual({ team: "a" });
        await made.destroy();
        await made.destroy();
        expect(await made.refresh()).toBe("gone");
    });

    it("keeps its own properties only", async () => {
        const all = await withWarehouse();
        const made = lead(namespace);
        await made.create(args(all));
        all.catalog.properties.set("finance", { owner: "theirs", comment: "by an engine" });
        await made.refresh();
        expect(made.state["properties"]).toEqual({ owner: "theirs" });
        expect(await made.up(args(all))).toBe("update");
        expect(all.catalog.properties.get("finance")).toEqual({ owner: "desk", comment: "by an engine" });
        all.catalog.properties.set("finance", {});
        await made.refresh();
        expect(await made.up(args(all))).toBe("update");
        expect(all.catalog.properties.get("finance")).toEqual({ owner: "desk" });
    });

    it("inside another one is made under its full name", async () => {
        const all = await withWarehouse();
        await lead(namespace).create(args(all));
        const inner = lead(namespace);
        await inner.create(args(all, { namespace: ["finance", "daily"], properties: {} }));
        expect(inner.id).toBe(`${all.warehouseId}/finance.daily`);
        expect(await inner.refresh()).toBe("there");
    });

    it("that exists is an error, or taken over with its properties set", async () => {
        const all = await withWarehouse();
        await lead(namespace).create(args(all, { properties: {} }));
        await expect(lead(namespace).create(args(all))).rejects.toThrow(/exists already.*adopt: true/s);
        const adopted = lead(namespace);
        await adopted.create(args(all, { adopt: true }));
        expect(adopted.state["adopted"]).toBe(true);
        expect(all.catalog.properties.get("finance")).toEqual({ owner: "desk" });
    });

    it("that holds tables is not dropped, and none while deletion protection is on", async () => {
        const all = await withWarehouse();
        const made = lead(namespace);
        await made.create(args(all, { deletionProtection: true }));
        await expect(made.destroy()).rejects.toThrow(/deletionProtection is on/);
        await expect(made.check(args(all, { namespace: "other" }))).rejects.toThrow(
            /namespace cannot change/,
        );
        await made.up(args(all));
        expect(await made.up(args(all, { namespace: "other" }))).toBe("replace namespace");
        all.catalog.namespaces.get("finance")!.push("trades");
        await expect(made.destroy()).rejects.toThrow(/409 NamespaceNotEmptyException.*Contains 1 tables/s);
    });

    it("is not gone because its warehouse is deactivated, but because that was deleted", async () => {
        const all = await withWarehouse();
        const made = lead(namespace);
        await made.create(args(all));
        await all.fixture.outside("POST", `${all.base}/deactivate`);
        await all.fixture.outside("GET", all.base);
        await expect(made.refresh()).rejects.toThrow(/404 NoSuchWarehouseException/);
        all.catalog.namespaces.clear();
        await all.fixture.outside("DELETE", all.base);
        expect(await made.refresh()).toBe("gone");
    });

    it.each<[Bag, RegExp]>([
        [{ properties: { location: "s3://x" } }, /properties: must not hold location/],
        [{ namespace: [] }, /namespace/],
    ])("refuses %j", async (change, message) => {
        const all = await withWarehouse();
        await expect(lead(namespace).create(args(all, change))).rejects.toThrow(message);
    });
});

describe("task queue", () => {
    it("is set, left alone, changed, found changed, and set back", async () => {
        const { fixture, warehouseId, base, connection } = await withWarehouse();
        const path = `${base}/task-queue/tabular_purge/config`;
        const given = { connection, warehouseId, queue: "tabular_purge", maxSecondsSinceLastHeartbeat: 600 };
        const made = lead(taskQueue);
        await made.create(given);
        expect(await made.up(given)).toBe("same");
        expect(await made.up({ ...given, maxSecondsSinceLastHeartbeat: 60 })).toBe("update");
        expect(await fixture.outside("GET", path)).toMatchObject({ "max-seconds-since-last-heartbeat": 60 });
        await fixture.outside("POST", path, { "queue-config": {} });
        await made.refresh();
        expect(await made.up(given)).toBe("update");
        expect(await made.up({ ...given, queue: "tabular_expiration" })).toBe("replace queue");
        await made.destroy();
        expect(await fixture.outside("GET", path)).toMatchObject({
            "max-seconds-since-last-heartbeat": null,
        });
        await fixture.outside("DELETE", base);
        expect(await made.refresh()).toBe("gone");
        await made.destroy();
    });

    it("goes by the name that the server has, and one that it does not have is an error", async () => {
        const { warehouseId, connection } = await withWarehouse({ version: "0.14.0" });
        const made = lead(taskQueue);
        await made.create({ connection, warehouseId, queue: "tabular_expiration" });
        expect(made.state["queueName"]).toBe("soft_deletion");
        await expect(lead(taskQueue).create({ connection, warehouseId, queue: "nope" })).rejects.toThrow(
            /no queue 'nope'.*soft_deletion, tabular_purge/s,
        );
    });
});
