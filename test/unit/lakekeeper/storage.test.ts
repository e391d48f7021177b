import { describe, expect, it, vi } from "vitest";
import { storageFields } from "../../../dynamic-providers/lakekeeper/storage/index.ts";
import { r2Storage } from "../../../dynamic-providers/lakekeeper/storage/presets.ts";
import { warehouse } from "../../../dynamic-providers/lakekeeper/warehouse.ts";
import { type Bag, lead } from "../../lakekeeper/lead.ts";
import { startS3Stub } from "../simulators-lakekeeper/stub-s3.ts";
import { closeLater, type Fixture, startFixture } from "./fixture.ts";

const keyFile = {
    type: "service_account",
    project_id: "p",
    private_key_id: "k",
    private_key: "the-private-key-of-the-test",
    client_email: "a@b",
    client_id: "1",
    auth_uri: "https://a/",
    token_uri: "https://t/",
    auth_provider_x509_cert_url: "https://c/",
    client_x509_cert_url: "https://d/",
};
const azure = { type: "az-client-credentials", clientId: "a", clientSecret: "b", tenantId: "c" };
const google = { type: "gcs-service-account-key", key: JSON.stringify(keyFile) };
const r2 = { type: "s3-cloudflare-r2", accessKeyId: "a", secretAccessKey: "b", token: "t", accountId: "acc" };

const s3 = { type: "s3", bucket: "lake", keyPrefix: "p", region: "us-east-1" };
const adls = { type: "adls", filesystem: "fsys", accountName: "acct", keyPrefix: "/p/" };
const gcs = { type: "gcs", bucket: "gbucket", keyPrefix: "p" };
const onelake = {
    type: "onelake",
    workspaceId: "00000000-0000-0000-0000-00000000000B",
    lakehouseId: "00000000-0000-0000-0000-00000000000c",
    directoryRelPath: "/d/",
};

function args(fixture: Fixture, storage: object, credential?: object, change: Bag = {}): Bag {
    return {
        connection: fixture.connection,
        name: "w",
        storage,
        ...(credential ? { credential } : {}),
        deletionProtection: false,
        storageWaitSeconds: 0,
        ...change,
    };
}

describe("each kind of storage and of credential", () => {
    it.each<[string, object, object, Bag]>([
        ["s3/aws-system-identity", s3, { type: "s3-system-identity", externalId: "x" }, {}],
        ["s3/cloudflare-r2", r2Storage({ bucket: "lake", accountId: "acc" }), r2, {}],
        ["az/client-credentials", adls, azure, {}],
        ["az/shared-access-key", adls, { type: "az-shared-key", key: "k" }, {}],
        ["az/azure-system-identity", adls, { type: "az-system-identity" }, {}],
        ["az/client-credentials", onelake, azure, {}],
        ["gcs/service-account-key", gcs, google, {}],
        ["gcs/gcp-system-identity", gcs, { type: "gcs-system-identity" }, {}],
        [
            "az/client-credentials",
            {
                ...adls,
                authorityHost: "https://login.microsoftonline.us",
                host: "dfs.core.usgovcloudapi.net",
            },
            azure,
            { sasTokenValiditySeconds: 60, sasEnabled: false, allowAlternativeProtocols: true },
        ],
        [
            "az/client-credentials",
            onelake,
            azure,
            { endpointMode: { type: "regional", region: "westeurope" } },
        ],
        ["gcs/service-account-key", gcs, google, { stsEnabled: false }],
        [
            "gcs/service-account-key",
            gcs,
            google,
            { storageLayout: { type: "full-hierarchy", namespace: "{name}", tabular: "{uuid}" } },
        ],
    ])(
        "%s: is made, not changed by a second up or a refresh, and deleted (%#)",
        async (told, storage, key, more) => {
            const fixture = await startFixture({ systemIdentities: true });
            const given = args(fixture, { ...storage, ...more }, key);
            const made = lead(warehouse);
            await made.create(given);
            expect(made.state["credentialType"]).toBe(told);
            expect(await made.up(given)).toBe("same");
            expect(await made.refresh()).toBe("there");
            expect(await made.up(given)).toBe("same");
            expect(fixture.writes()).toEqual(["create_warehouse"]);
            await made.destroy();
        },
    );
});

describe("each field", () => {
    const other: Record<string, Bag> = {
        adls: {
            filesystem: "fother",
            accountName: "other",
            keyPrefix: "q",
            authorityHost: "https://login.microsoftonline.us/",
            host: "dfs.core.usgovcloudapi.net",
            sasTokenValiditySeconds: 60,
            sasEnabled: false,
            allowAlternativeProtocols: true,
            storageLayout: { type: "tabular-only", tabular: "{uuid}" },
        },
        gcs: {
            bucket: "gother",
            keyPrefix: "q",
            stsEnabled: false,
            storageLayout: { type: "tabular-only", tabular: "{uuid}" },
        },
        onelake: {
            workspaceId: "00000000-0000-0000-0000-00000000000d",
            lakehouseId: "00000000-0000-0000-0000-00000000000e",
            directoryRelPath: "z",
            topLevelFolder: "Tables",
            endpointMode: { type: "workspace-private-link" },
            authorityHost: "https://login.microsoftonline.us/",
            sasEnabled: false,
            sasTokenValiditySeconds: 60,
            storageLayout: { type: "tabular-only", tabular: "{uuid}" },
        },
    };
    const cases = [adls, gcs, onelake].flatMap((storage) =>
        Object.entries(storageFields[storage.type as "adls"])
            .filter(([field]) => field !== "type")
            .map(([field, { change }]) => [storage.type, field, change, storage] as const),
    );

    it.each(cases)("of %s: %s changes by %s", async (kind, field, change, storage) => {
        const fixture = await startFixture();
        const key = kind === "gcs" ? google : azure;
        const made = lead(warehouse);
        await made.create(args(fixture, storage, key));
        fixture.writes();
        const value = other[kind]?.[field];
        expect(value, "the test has another value").toBeDefined();
        const given = args(fixture, { ...storage, [field]: value }, key);
        if (change === "replace") {
            expect(await made.up(given)).toBe("replace storage");
            expect(fixture.writes()).toEqual([]);
            return;
        }
        expect(await made.up(given)).toBe("update");
        expect(fixture.writes()).toEqual(["update_storage_profile"]);
        expect(await made.up(given)).toBe("same");
        await made.refresh();
        expect(await made.up(given)).toBe("same");
        expect(await made.up(args(fixture, storage, key))).toBe("update");
        expect(made.state["credentialType"]).toBe(
            kind === "gcs" ? "gcs/service-account-key" : "az/client-credentials",
        );
    });

    it("another kind of storage is another warehouse", async () => {
        const fixture = await startFixture();
        const made = lead(warehouse);
        await made.create(args(fixture, gcs, google));
        expect(await made.up(args(fixture, adls, azure))).toBe("replace storage");
    });
});

describe("what does not go together", () => {
    const identity = { type: "s3-system-identity" };
    it.each<[string, object, object | undefined, RegExp]>([
        [
            "an Azure key for S3",
            s3,
            azure,
            /credential\.type: is for storage of type adls or onelake, not s3/,
        ],
        ["an S3 key for Google", gcs, identity, /is for storage of type s3, not gcs/],
        ["a shared key for OneLake", onelake, { type: "az-shared-key", key: "k" }, /type adls, not onelake/],
        ["R2 without its profile", s3, r2, /endpoint: is missing with an R2 credential/],
        [
            "a key file of another kind",
            gcs,
            { ...google, key: '{"type":"external_account"}' },
            /service_account/,
        ],
        ["a key file that is none", gcs, { ...google, key: "nonsense" }, /credential\.key/],
        ["an account with capitals", { ...adls, accountName: "Acct" }, azure, /accountName/],
        ["a URL as host", { ...adls, host: "https://x.y" }, azure, /storage\.host/],
        ["tokens of OneLake over an hour", { ...onelake, sasTokenValiditySeconds: 3601 }, azure, /3600/],
        [
            "a layout without uuid",
            { ...gcs, storageLayout: { type: "tabular-only", tabular: "x" } },
            google,
            /uuid/,
        ],
    ])("%s is refused before any call", async (_title, storage, credential, message) => {
        const fixture = await startFixture();
        const error = await lead(warehouse)
            .create(args(fixture, storage, credential))
            .catch((failure: Error) => failure.message);
        expect(error).toMatch(message);
        expect(error).not.toContain(keyFile.private_key);
        expect(fixture.writes()).toEqual([]);
    });

    it.each([
        ["adls", adls, azure, { ...adls, authorityHost: "https://login.microsoftonline.us" }],
        ["adls", adls, azure, { ...adls, host: "dfs.core.windows.net", keyPrefix: "p/inner" }],
        ["gcs", gcs, google, { ...gcs, keyPrefix: undefined }],
        ["onelake", onelake, azure, { ...onelake, directoryRelPath: "d/e" }],
    ])(
        "two warehouses of %s that would share objects, also where the server lets it pass",
        async (_kind, one, key, two) => {
            const fixture = await startFixture();
            await lead(warehouse).create(args(fixture, one, key));
            fixture.writes();
            await expect(lead(warehouse).create(args(fixture, two, key, { name: "w2" }))).rejects.toThrow(
                /would share objects with warehouse 'w'/,
            );
            expect(fixture.writes()).toEqual([]);
        },
    );
});

describe("a server that cannot do it", () => {
    it.each<[string, "0.10.4" | "0.11.6" | "0.12.2", object, Bag, RegExp]>([
        [
            "stsEndpoint",
            "0.11.6",
            { ...s3, stsEndpoint: "http://sts" },
            {},
            /storage\.stsEndpoint needs Lakekeeper 0\.12\.0, and the server is 0\.11\.6/,
        ],
        [
            "legacyMd5Behavior",
            "0.10.4",
            { ...s3, legacyMd5Behavior: true },
            {},
            /storage\.legacyMd5Behavior needs Lakekeeper 0\.11/,
        ],
        [
            "storageLayout",
            "0.11.6",
            { ...s3, storageLayout: { type: "tabular-only", tabular: "{uuid}" } },
            {},
            /storage\.storageLayout/,
        ],
        [
            "format versions",
            "0.12.2",
            s3,
            { allowedFormatVersions: [2] },
            /allowedFormatVersions needs Lakekeeper 0\.13/,
        ],
        ["managedBy", "0.12.2", s3, { managedBy: "self-managed" }, /managedBy needs Lakekeeper 0\.13/],
    ])("%s on %s is refused in the preview", async (_f, version, storage, change, message) => {
        const fixture = await startFixture({ version });
        await expect(lead(warehouse).check(args(fixture, storage, undefined, change))).rejects.toThrow(
            message,
        );
        expect(fixture.writes()).toEqual([]);
    });

    it.each(["0.10.4", "0.11.6", "0.12.2", "0.13.3", "0.14.0"] as const)(
        "is none for what all know: %s",
        async (version) => {
            const fixture = await startFixture({ version });
            const made = lead(warehouse);
            const key = { type: "s3-access-key", accessKeyId: "a", secretAccessKey: "b" };
            await made.create(args(fixture, s3, key));
            expect(await made.up(args(fixture, s3, key))).toBe("same");
            expect(await made.refresh()).toBe("there");
            expect(await made.up(args(fixture, s3, key))).toBe("same");
            await made.destroy();
        },
    );

    it.each(["0.10.4", "0.11.6", "0.12.2"] as const)(
        "another region, with an endpoint, is refused in the preview before 0.12: %s",
        async (version) => {
            const fixture = await startFixture({ version });
            const made = lead(warehouse);
            const store = { ...s3, flavor: "s3-compat", endpoint: "http://store:9000" };
            await made.create(args(fixture, store));
            fixture.writes();
            const moved = made.up(args(fixture, { ...store, region: "eu-west-1" }));
            if (version === "0.12.2") {
                expect(await moved).toBe("update");
                return;
            }
            await expect(moved).rejects.toThrow(
                /storage\.region cannot change before Lakekeeper 0\.12.*keep 'us-east-1'/s,
            );
            expect(fixture.writes()).toEqual([]);
        },
    );

    it("a system identity that is switched off is refused in the preview", async () => {
        const fixture = await startFixture();
        const given = args(fixture, s3, { type: "s3-system-identity" });
        await expect(lead(warehouse).check(given)).rejects.toThrow(
            /LAKEKEEPER__ENABLE_AWS_SYSTEM_CREDENTIALS/,
        );
    });

    it("says nothing in the preview while the server is not there", async () => {
        const fixture = await startFixture();
        await fixture.simulator.close();
        await lead(warehouse).check(args(fixture, { ...s3, stsEndpoint: "http://sts" }));
    });

    it("with a trial call warns in the preview of what would be refused now", async () => {
        const store = await startS3Stub();
        closeLater(store.close);
        store.deny["PUT"] = { status: 404, code: "NoSuchBucket", message: "The bucket does not exist" };
        const fixture = await startFixture({ version: "0.14.0", s3: { endpoint: store.endpoint } });
        const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
        const key = { type: "s3-access-key", accessKeyId: "a", secretAccessKey: "the-secret-key" };
        await lead(warehouse).check(args(fixture, s3, key));
        const warnings = warn.mock.calls.flat().join("\n");
        warn.mockRestore();
        expect(warnings).toMatch(/'w' would be refused now \(lakekeeper-read-write\): NotFound/);
        expect(warnings).not.toContain("the-secret-key");
        expect(fixture.writes()).toEqual(["validate_warehouse"]);
    });
});

describe("managedBy", () => {
    it("is set at creation and changed in place, and is drift", async () => {
        const fixture = await startFixture({ instanceAdmin: true });
        const made = lead(warehouse);
        const given = args(fixture, s3, undefined, { managedBy: "instance-admin" });
        await made.create(given);
        expect(fixture.writes()).toEqual(["create_warehouse"]);
        await fixture.outside("POST", `/management/v1/warehouse/${made.id}/managed-by`, {
            "managed-by": "self-managed",
        });
        await made.refresh();
        expect(await made.up(given)).toBe("update");
        expect(fixture.writes().at(-1)).toBe("set_warehouse_managed_by");
    });
});
