import { describe, expect, it } from "vitest";
import { warehouse } from "../../../dynamic-providers/lakekeeper/warehouse.ts";
import { hosted } from "../../../dynamic-providers/resource.ts";
import type { Bag } from "../../lakekeeper/lead.ts";
import { startCatalogStub } from "../simulators-lakekeeper/stub-catalog.ts";
import { startS3Stub } from "../simulators-lakekeeper/stub-s3.ts";
import { closeLater, startFixture } from "./fixture.ts";
import { args, path, resource, secret, storage } from "./warehouse-args.ts";

describe("create", () => {
    it("sends one POST, normalises, and needs no update afterwards", async () => {
        const fixture = await startFixture();
        const made = resource();
        const spelled = { ...storage, keyPrefix: "/fluss-lake-storage/", endpoint: "HTTP://MinIO:80/lake" };
        const given = args(fixture, { storage: { ...spelled, flavor: "s3-compat" } });
        await made.create(given);
        expect(fixture.writes()).toEqual(["create_warehouse"]);
        expect(await made.up(given)).toBe("same");
        expect(await made.refresh()).toBe("there");
        expect(await made.up(given)).toBe("same");
        expect(fixture.writes()).toEqual([]);
        expect(made.state).toMatchObject({
            storage: { keyPrefix: "fluss-lake-storage", endpoint: "http://minio/" },
            credentialType: "s3/access-key",
            catalogUri: `${fixture.simulator.url}/catalog`,
            adopted: false,
        });
    });

    it("sets what only follow-up calls can set", async () => {
        const fixture = await startFixture();
        const made = resource();
        await made.create(args(fixture, { protected: true, active: false }));
        expect(fixture.writes()).toEqual([
            "create_warehouse",
            "set_warehouse_protection",
            "deactivate_warehouse",
        ]);
        expect(await fixture.outside("GET", path(made.id))).toMatchObject({
            protected: true,
            status: "inactive",
        });
    });

    it("finds its own warehouse after a lost answer", async () => {
        const fixture = await startFixture();
        fixture.simulator.faults.loseNextAnswer("create_warehouse");
        const made = resource();
        await made.create(args(fixture));
        const { warehouses } = await fixture.outside("GET", "/management/v1/warehouse");
        expect(warehouses.map((one: Bag) => one["warehouse-id"])).toEqual([made.id]);
        expect(made.state["adopted"]).toBe(false);
    });

    it.each(["SecretCreateError", "DatabaseError"])("tries again after 500 %s", async (type) => {
        const fixture = await startFixture();
        const error = { error: { message: "pool timed out", type, code: 500, stack: [] } };
        fixture.simulator.faults.failNext("create_warehouse", 500, error, 2);
        await resource().create(args(fixture));
        expect(fixture.writes()).toEqual(Array(3).fill("create_warehouse"));
    });

    it("keeps a warehouse whose follow-up call failed, and goes on with the next up", async () => {
        const fixture = await startFixture();
        const refusal = { error: { message: "not now", type: "Forbidden", code: 403, stack: [] } };
        fixture.simulator.faults.failNext("set_warehouse_protection", 403, refusal);
        const host = hosted(warehouse);
        const { inputs } = await host.check({}, args(fixture, { protected: true }));
        const failure: { id?: string; properties?: Bag; message: string } = await host
            .create(inputs)
            .catch((e) => e);
        expect(failure.message).toContain("was created, but then");
        expect(failure.properties).toMatchObject({ name: "fluss", credentialType: "s3/access-key" });
        const { outs } = await host.update(failure.id!, failure.properties!, inputs);
        expect(outs["protected"]).toBe(true);
        expect(await fixture.outside("GET", path(failure.id!))).toMatchObject({ protected: true });
    });

    it("never has more than three calls with a credential under way", async () => {
        const s3 = await startS3Stub();
        closeLater(s3.close);
        const fixture = await startFixture({ s3: { endpoint: s3.endpoint } });
        let most = 0;
        const watch = setInterval(() => {
            const running =
                s3.calls.filter((call) => call === "PUT").length -
                s3.calls.filter((c) => c === "DELETE").length;
            most = Math.max(most, running);
        }, 1);
        const names = Array.from({ length: 12 }, (_, index) => `w${index}`);
        await Promise.all(
            names.map((name) =>
                resource().create(args(fixture, { name, storage: { ...storage, keyPrefix: name } })),
            ),
        );
        clearInterval(watch);
        expect(most).toBeGreaterThan(0);
        expect(most).toBeLessThanOrEqual(3);
    });

    it("waits for a key that is not known yet, and not for ever", async () => {
        const s3 = await startS3Stub();
        closeLater(s3.close);
        s3.deny["PUT"] = { status: 403, code: "InvalidAccessKeyId", message: "The key does not exist" };
        const fixture = await startFixture({ s3: { endpoint: s3.endpoint } });
        await expect(resource().create(args(fixture))).rejects.toThrow(
            /ConfigInvalid.*\n?.*What to do: the storage does not know this access key/s,
        );
        setTimeout(() => delete s3.deny["PUT"], 300);
        await resource().create(args(fixture, { storageWaitSeconds: 20 }));
    });
});

describe("what is in the way", () => {
    it("a warehouse of the same name and place is an error, or taken over and brought to the program's arguments", async () => {
        const fixture = await startFixture();
        await resource().create(
            args(fixture, { credential: undefined, deleteProfile: { type: "soft", expirationSeconds: 5 } }),
        );
        fixture.writes();
        await expect(resource().create(args(fixture))).rejects.toThrow(/exists already.*adopt: true/s);
        expect(fixture.writes()).toEqual([]);
        const adopted = resource();
        await adopted.create(args(fixture, { adopt: true }));
        expect(fixture.writes()).toEqual(["update_storage_credential", "update_warehouse_delete_profile"]);
        expect(adopted.state).toMatchObject({ adopted: true, credentialType: "s3/access-key" });
        expect(await adopted.up(args(fixture, { adopt: true }))).toBe("same");
    });

    it.each([
        [
            "the same name at another place",
            { name: "FLUSS", storage: { ...storage, keyPrefix: "other" } },
            /with another location/,
        ],
        [
            "a folder inside",
            { name: "inner", storage: { ...storage, keyPrefix: "fluss-lake-storage/x" } },
            /share objects/,
        ],
        [
            "the whole bucket",
            { name: "outer", storage: { ...storage, keyPrefix: undefined } },
            /share objects/,
        ],
        [
            "another spelling of the region",
            { name: "region", storage: { ...storage, region: "us-east-2" } },
            /share objects/,
        ],
    ])("%s, also with adopt", async (_title, change, message) => {
        const fixture = await startFixture();
        await resource().create(args(fixture));
        fixture.writes();
        await expect(resource().create(args(fixture, { ...change, adopt: true }))).rejects.toThrow(message);
        expect(fixture.writes()).toEqual([]);
    });

    it("one of two that are made at the same time at the same place, which the server would both make", async () => {
        const s3 = await startS3Stub();
        closeLater(s3.close);
        const fixture = await startFixture({ s3: { endpoint: s3.endpoint } });
        const results = await Promise.allSettled(
            ["one", "two"].map((name) => resource().create(args(fixture, { name }))),
        );
        expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    });

    it("a deactivated one, which the server does not list, is named by the server's refusal", async () => {
        const fixture = await startFixture();
        await resource().create(args(fixture, { active: false }));
        await expect(resource().create(args(fixture, { name: "other" }))).rejects.toThrow(
            /overlaps with existing warehouse fluss.*deactivated/s,
        );
    });
});

describe("delete", () => {
    it("is refused while deletion protection is on", async () => {
        const fixture = await startFixture();
        const made = resource();
        await made.create(args(fixture, { deletionProtection: true }));
        fixture.writes();
        await expect(made.destroy()).rejects.toThrow(/deletionProtection is on/);
        expect(fixture.writes()).toEqual([]);
    });

    it("is refused with the list of what is in it, before any call", async () => {
        const catalog = await startCatalogStub();
        closeLater(catalog.close);
        const fixture = await startFixture({ backendUrl: catalog.url });
        const made = resource();
        await made.create(args(fixture));
        await fixture.outside("POST", `/catalog/v1/${made.id}/namespaces`, { namespace: ["finance"] });
        await fixture.outside("POST", `/catalog/v1/${made.id}/namespaces`, { namespace: ["empty"] });
        catalog.namespaces.get("finance")!.push("trades", "accounts");
        fixture.writes();
        await expect(made.destroy()).rejects.toThrow(
            /finance\.trades, finance\.accounts, empty \(namespace\)/,
        );
        expect(fixture.writes()).toEqual([]);
        catalog.namespaces.clear();
        await made.destroy();
        expect(fixture.writes()).toEqual(["delete_warehouse"]);
    });

    it("takes one that is gone for deleted, and a lost answer too", async () => {
        const fixture = await startFixture();
        const made = resource();
        await made.create(args(fixture));
        fixture.simulator.faults.loseNextAnswer("delete_warehouse");
        await made.destroy();
        await made.destroy();
    });

    it("waits for tasks of dropped tables", async () => {
        const fixture = await startFixture();
        const made = resource();
        await made.create(args(fixture));
        const stack = ["Unfinished tasks: 1 Tasks in queue 'tabular_purge'"];
        const busy = {
            error: {
                message: "Warehouse has unfinished tasks.",
                type: "WarehouseHasUnfinishedTasks",
                code: 409,
                stack,
            },
        };
        fixture.simulator.faults.failNext("delete_warehouse", 409, busy);
        await made.destroy();
        expect(await made.refresh()).toBe("gone");
    });

    it("does not overrule Lakekeeper's own protection", async () => {
        const fixture = await startFixture();
        const made = resource();
        await made.create(args(fixture, { protected: true }));
        await expect(made.destroy()).rejects.toThrow(/409 WarehouseProtected.*protected: false/s);
    });
});

describe("check", () => {
    it.each<[string, Bag, RegExp]>([
        ["a name with a slash", { name: "a/b" }, /slashes/],
        ["a bad bucket", { storage: { ...storage, bucket: "Bad_Bucket" } }, /storage\.bucket/],
        [
            "an endpoint with a path",
            { storage: { ...storage, endpoint: "http://h/lake/x" } },
            /must not have a path/,
        ],
        ["STS on AWS without a role", { storage: { ...storage, stsEnabled: true } }, /stsRoleArn/],
        ["a misspelt argument", { storage: { ...storage, bukket: "x" } }, /bukket/],
        ["an address with /management", { connection: { url: "http://h/management" } }, /base URL/],
        ["a default version that is not allowed", { defaultFormatVersion: 3 }, /allowedFormatVersions/],
    ])("refuses %s", async (_title, change, message) => {
        const fixture = await startFixture();
        await expect(resource().check(args(fixture, change))).rejects.toThrow(message);
    });

    it("tells all faults at once and never the key", async () => {
        const fixture = await startFixture();
        const given = args(fixture, { name: "a/b", storage: { ...storage, bucket: "B" } });
        const message = await resource()
            .check(given)
            .catch((error: Error) => error.message);
        expect(message).toMatch(/storage\.bucket/);
        expect(message).toMatch(/name/);
        expect(message).not.toContain(secret);
    });
});
