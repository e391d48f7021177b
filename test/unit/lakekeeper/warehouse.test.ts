import { describe, expect, it } from "vitest";
import { warehouse } from "../../../dynamic-providers/lakekeeper/warehouse.ts";
import { hosted } from "../../../dynamic-providers/resource.ts";
import { type Bag, lead } from "../../lakekeeper/lead.ts";
import { startCatalogStub } from "../simulators-lakekeeper/stub-catalog.ts";
import { startS3Stub } from "../simulators-lakekeeper/stub-s3.ts";
import { closeLater, type Fixture, startFixture } from "./fixture.ts";

const secret = "secret-access-key-of-the-test";
const storage = { type: "s3", bucket: "lake", keyPrefix: "fluss-lake-storage", region: "us-east-1" };

function args(fixture: Fixture, change: Bag = {}): Bag {
    return {
        connection: fixture.connection,
        name: "fluss",
        storage,
        credential: { type: "s3-access-key", accessKeyId: "AKIAEXAMPLE", secretAccessKey: secret },
        deletionProtection: false,
        storageWaitSeconds: 0,
        ...change,
    };
}

const resource = () => lead(warehouse);

const path = (id: string) => `/management/v1/warehouse/${id}`;

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

describe("update", () => {
    const endpoint = { flavor: "s3-compat", endpoint: "http://minio:9000", pathStyleAccess: true };
    it.each<[string, Bag, string[], Bag]>([
        ["name", { name: "renamed" }, ["rename_warehouse"], { name: "renamed" }],
        [
            "only the key",
            {
                credential: {
                    type: "s3-access-key",
                    accessKeyId: "AKIAOTHER",
                    secretAccessKey: "another-secret",
                },
            },
            ["update_storage_credential"],
            {},
        ],
        [
            "the profile, with the key in the same call",
            { storage: { ...storage, ...endpoint } },
            ["update_storage_profile"],
            {
                "storage-profile": { endpoint: "http://minio:9000/" },
                "storage-credential-type": { type: "s3" },
            },
        ],
        [
            "the region, when there is an endpoint",
            { storage: { ...storage, ...endpoint, region: "eu-west-1" } },
            ["update_storage_profile"],
            { "storage-profile": { region: "eu-west-1" } },
        ],
        [
            "delete profile",
            { deleteProfile: { type: "soft", expirationSeconds: 60 } },
            ["update_warehouse_delete_profile"],
            { "delete-profile": { type: "soft", "expiration-seconds": 60 } },
        ],
        ["protection", { protected: true }, ["set_warehouse_protection"], { protected: true }],
        ["activity", { active: false }, ["deactivate_warehouse"], { status: "inactive" }],
        [
            "format versions",
            { allowedFormatVersions: [2, 1], defaultFormatVersion: 2 },
            ["update_warehouse_format_version_policy"],
            { "allowed-format-versions": [1, 2], "default-format-version": 2 },
        ],
        ["nothing but deletion protection", { deletionProtection: true }, [], {}],
    ])("%s in place", async (_title, change, writes, outcome) => {
        const fixture = await startFixture();
        const made = resource();
        await made.create(args(fixture));
        fixture.writes();
        expect(await made.up(args(fixture, change))).toBe("update");
        expect(fixture.writes()).toEqual(writes);
        expect(await fixture.outside("GET", path(made.id))).toMatchObject(outcome);
        expect(await made.up(args(fixture, change))).toBe("same");
        await made.refresh();
        expect(await made.up(args(fixture, change))).toBe("same");
    });

    it("unset layout and alternative protocols, which survive being left out", async () => {
        const fixture = await startFixture();
        const made = resource();
        const special = {
            storageLayout: { type: "tabular-only", tabular: "{uuid}" },
            allowAlternativeProtocols: true,
        };
        await made.create(args(fixture, { storage: { ...storage, ...special } }));
        expect(await made.up(args(fixture))).toBe("update");
        const found = await fixture.outside("GET", path(made.id));
        expect(found["storage-profile"]).toMatchObject({
            "storage-layout": { type: "default" },
            "allow-alternative-protocols": false,
        });
        await made.refresh();
        expect(await made.up(args(fixture))).toBe("same");
    });

    it("of a deactivated warehouse activates it first, and reads it before the delete profile", async () => {
        const fixture = await startFixture();
        const made = resource();
        await made.create(args(fixture, { active: false }));
        fixture.writes();
        const change = { active: true, deleteProfile: { type: "soft", expirationSeconds: 60 } };
        await made.up(args(fixture, change));
        expect(fixture.writes()).toEqual(["activate_warehouse", "update_warehouse_delete_profile"]);
        await made.up(args(fixture, { active: false }));
        fixture.writes();
        await made.up(args(fixture, { active: false, name: "later" }));
        expect(fixture.writes()).toEqual(["activate_warehouse", "rename_warehouse", "deactivate_warehouse"]);
    });

    it("to a taken name, or onto the place of another, is refused before any change", async () => {
        const fixture = await startFixture();
        const made = resource();
        const elsewhere = { ...storage, flavor: "s3-compat", endpoint: "http://minio:9000" };
        await made.create(args(fixture, { storage: elsewhere }));
        await resource().create(args(fixture, { name: "other" }));
        fixture.writes();
        await expect(made.up(args(fixture, { name: "Other", storage: elsewhere }))).rejects.toThrow(
            /is taken/,
        );
        await expect(
            made.up(args(fixture, { storage: { ...elsewhere, endpoint: undefined } })),
        ).rejects.toThrow(/share objects/);
        expect(fixture.writes()).toEqual([]);
    });

    it("is repeated when its answer got lost", async () => {
        const fixture = await startFixture();
        const made = resource();
        await made.create(args(fixture));
        fixture.simulator.faults.loseNextAnswer("rename_warehouse");
        await made.up(args(fixture, { name: "renamed" }));
        expect(await fixture.outside("GET", path(made.id))).toMatchObject({ name: "renamed" });
    });

    it("of the token is none; of the address is one without a write", async () => {
        const fixture = await startFixture();
        const made = resource();
        await made.create(args(fixture));
        fixture.writes();
        const connection = { url: fixture.simulator.url, token: "another-token" };
        expect(await made.up(args(fixture, { connection }))).toBe("same");
        const moved = { ...fixture.connection, url: `${fixture.simulator.url}/` };
        expect(await made.up(args(fixture, { connection: moved }))).toBe("update");
        expect(fixture.writes()).toEqual([]);
    });
});

describe("replace", () => {
    it.each<[string, Bag]>([
        ["bucket", { storage: { ...storage, bucket: "other" } }],
        ["keyPrefix", { storage: { ...storage, keyPrefix: "other" } }],
        ["region without an endpoint", { storage: { ...storage, region: "eu-west-1" } }],
        ["project", { projectId: "other" }],
    ])("for another %s, refused in check while deletion protection is on", async (_field, change) => {
        const fixture = await startFixture();
        const made = resource();
        await made.create(args(fixture, { deletionProtection: true }));
        const given = args(fixture, change);
        await expect(made.check(given)).rejects.toThrow(/deletionProtection: false/);
        await made.up(args(fixture, { deletionProtection: false }));
        expect(await made.up(given)).toMatch(/^replace/);
    });
});

describe("what others do", () => {
    it("a deleted warehouse is gone after a refresh", async () => {
        const fixture = await startFixture();
        const made = resource();
        await made.create(args(fixture));
        await fixture.outside("DELETE", path(made.id));
        expect(await made.refresh()).toBe("gone");
    });

    it("a changed one is brought back", async () => {
        const fixture = await startFixture();
        const made = resource();
        await made.create(args(fixture));
        await fixture.outside("POST", `${path(made.id)}/rename`, { "new-name": "theirs" });
        await fixture.outside("POST", `${path(made.id)}/protection`, { protected: true });
        await made.refresh();
        expect(made.state).toMatchObject({ name: "theirs", protected: true });
        fixture.writes();
        expect(await made.up(args(fixture))).toBe("update");
        expect(fixture.writes()).toEqual(["rename_warehouse", "set_warehouse_protection"]);
    });

    it("a credential that was taken away is drift, and is set again; a refresh never loses ours", async () => {
        const fixture = await startFixture();
        const made = resource();
        await made.create(args(fixture));
        await fixture.outside("POST", `${path(made.id)}/storage-credential`, {});
        await made.refresh();
        expect(made.state["credential"]).toMatchObject({ secretAccessKey: secret });
        fixture.writes();
        expect(await made.up(args(fixture))).toBe("update");
        expect(fixture.writes()).toEqual(["update_storage_credential"]);
        expect(made.state["credentialType"]).toBe("s3/access-key");
        expect(await made.up(args(fixture))).toBe("same");
    });

    it("a token that no longer counts is an error, not a deletion", async () => {
        const fixture = await startFixture();
        const host = hosted(warehouse);
        const { inputs } = await host.check({}, args(fixture));
        const { id, outs } = await host.create(inputs);
        const props = { ...outs, connection: { url: fixture.simulator.url, token: "revoked-token" } };
        await expect(host.read(id, props)).rejects.toThrow(/401 AuthenticationFailed.*LAKEKEEPER_TOKEN/s);
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
