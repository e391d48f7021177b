import type { Field } from "../../../dynamic-providers/lakekeeper/storage/fields.ts";
import { storageFields } from "../../../dynamic-providers/lakekeeper/storage/index.ts";
import type { Bag } from "../lead.ts";
import type { World } from "../world.ts";
import { all, type Case, management, since, tellsCredentials, untried, warehouses } from "./case.ts";
import { given, path, post } from "./warehouses.ts";

/** Bases of storages that are nowhere, and their credentials. */
const keyFile = JSON.stringify({
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
});
const azure = {
    type: "az-client-credentials",
    clientId: "a",
    clientSecret: "the-client-secret",
    tenantId: "c",
};

const layout = { type: "tabular-only", tabular: "{uuid}" };

/** Another value for each field of each kind of storage, beside what the field needs to have it. */
export const otherValues: Record<keyof typeof storageFields, Record<string, { to: unknown; from?: Bag }>> = {
    s3: {
        bucket: { to: "other-bucket" },
        keyPrefix: { to: "moved" },
        region: { to: "eu-west-1" },
        endpoint: { to: "http://other:9000/", from: { endpoint: "http://store:9000/", flavor: "s3-compat" } },
        flavor: { to: "s3-compat" },
        pathStyleAccess: { to: true },
        assumeRoleArn: { to: "arn:aws:iam::1:role/a" },
        stsEnabled: { to: true, from: { stsRoleArn: "arn:aws:iam::1:role/s" } },
        stsRoleArn: { to: "arn:aws:iam::1:role/s" },
        stsEndpoint: { to: "http://sts:9000/" },
        stsTokenValiditySeconds: { to: 900 },
        stsSessionTags: { to: { team: "desk" } },
        allowAlternativeProtocols: { to: true },
        remoteSigningEnabled: { to: false },
        remoteSigningUrlStyle: { to: "path" },
        pushS3DeleteDisabled: { to: false },
        awsKmsKeyArn: { to: "arn:aws:kms:us-east-1:1:key/k" },
        legacyMd5Behavior: { to: true },
        storageLayout: { to: layout },
    },
    adls: {
        filesystem: { to: "fother" },
        accountName: { to: "other" },
        keyPrefix: { to: "moved" },
        authorityHost: { to: "https://login.microsoftonline.us/" },
        host: { to: "dfs.core.usgovcloudapi.net" },
        sasTokenValiditySeconds: { to: 60 },
        sasEnabled: { to: false },
        allowAlternativeProtocols: { to: true },
        storageLayout: { to: layout },
    },
    gcs: {
        bucket: { to: "gother" },
        keyPrefix: { to: "moved" },
        stsEnabled: { to: false },
        storageLayout: { to: layout },
    },
    onelake: {
        workspaceId: { to: "00000000-0000-0000-0000-00000000000d" },
        lakehouseId: { to: "00000000-0000-0000-0000-00000000000e" },
        directoryRelPath: { to: "moved" },
        topLevelFolder: { to: "Tables" },
        endpointMode: { to: { type: "workspace-private-link" } },
        authorityHost: { to: "https://login.microsoftonline.us/" },
        sasEnabled: { to: false },
        sasTokenValiditySeconds: { to: 60 },
        storageLayout: { to: layout },
    },
};

const bases: Record<keyof typeof storageFields, (folder: string, world: World) => Bag> = {
    s3: (folder, world) => world.storage(folder),
    adls: (folder) => ({ type: "adls", filesystem: "fsys", accountName: "acct", keyPrefix: folder }),
    gcs: (folder) => ({ type: "gcs", bucket: "gbucket", keyPrefix: folder }),
    onelake: (folder) => ({
        type: "onelake",
        workspaceId: "00000000-0000-0000-0000-00000000000b",
        lakehouseId: "00000000-0000-0000-0000-00000000000c",
        directoryRelPath: folder,
    }),
};

/** What a storage that is tried bears. */
const harmless = [
    "keyPrefix",
    "remoteSigningEnabled",
    "remoteSigningUrlStyle",
    "pushS3DeleteDisabled",
    "storageLayout",
];

const kinds = Object.keys(bases) as (keyof typeof storageFields)[];

const fields: Case[] = kinds.flatMap((kind) =>
    Object.entries(otherValues[kind]).map(([field, { to, from }]): Case => {
        const { change, since: version = "0.10.0" } = storageFields[kind][field] as Field;
        const credential = kind === "gcs" ? { type: "gcs-service-account-key", key: keyFile } : azure;
        const storage = (world: World, slug: string): Bag => ({ ...bases[kind](slug, world), ...from });
        const value = (world: World, slug: string) => (to === "moved" ? `${world.run}/${slug}-moved` : to);
        return {
            kind: "warehouse",
            title: `storage of ${kind}: ${field}`,
            lacks: all(
                kind === "s3" && harmless.includes(field) ? warehouses : untried,
                since(version),
                since(kind === "onelake" ? "0.12.4" : "0.10.0"),
            ),
            given: (world, slug) => ({
                ...given(world, slug),
                storage: storage(world, slug),
                ...(kind === "s3" ? {} : { credential }),
            }),
            change: {
                with: (world, slug) => ({
                    storage: { ...storage(world, slug), [field]: value(world, slug) },
                }),
                is: change === "replace" || field === "region" ? "replace" : "update",
            },
        };
    }),
);

const profiles: Case[] = [
    {
        kind: "warehouse",
        title: "storage of s3: region, with an endpoint",
        lacks: all(untried, since("0.12.0")),
        given: (world, slug) => ({
            ...given(world, slug),
            storage: { ...world.storage(slug), flavor: "s3-compat", endpoint: "http://store:9000" },
        }),
        change: {
            with: (world, slug) => ({
                storage: {
                    ...world.storage(slug),
                    flavor: "s3-compat",
                    endpoint: "http://store:9000",
                    region: "eu-west-1",
                },
            }),
            is: "update",
            shows: { path, lacks: tellsCredentials, has: { "storage-credential-type": { type: "s3" } } },
        },
        outside: {
            title: "another endpoint",
            ...post("storage", async (world, slug) => {
                const { warehouses: list } = await world.outside("GET", `${management}/warehouse`);
                const mine = (list as Bag[]).find(({ name }) => name === `w-${slug}`);
                const profile = mine?.["storage-profile"] as Bag;
                return {
                    "storage-profile": { ...profile, endpoint: "http://elsewhere:9000/" },
                    "storage-credential": {
                        type: "s3",
                        "credential-type": "access-key",
                        "aws-access-key-id": "AKIATHEIRS",
                        "aws-secret-access-key": "the-secret-key-of-theirs",
                    },
                };
            }),
            refresh: "update",
        },
    },
    {
        kind: "warehouse",
        title: "storage: another kind",
        lacks: untried,
        given,
        change: {
            with: (world, slug) => ({ storage: bases.adls(slug, world), credential: azure }),
            is: "replace",
        },
    },
];

/** Each field of each kind of storage, alone. */
export const storageCases: Case[] = [...fields, ...profiles];
