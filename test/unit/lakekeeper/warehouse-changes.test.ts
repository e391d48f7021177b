import { describe, expect, it } from "vitest";
import { warehouse } from "../../../dynamic-providers/lakekeeper/warehouse.ts";
import { hosted } from "../../../dynamic-providers/resource.ts";
import type { Bag } from "../../lakekeeper/lead.ts";
import { startFixture } from "./fixture.ts";
import { args, path, resource, secret, storage } from "./warehouse-args.ts";

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
