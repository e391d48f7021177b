import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { azureSignature } from "../../dynamic-providers/lake/azure-signature.ts";
import { lakeEndpoint } from "../../dynamic-providers/lake/endpoint.ts";
import { defineLake } from "../../model/lake.ts";
import { keyOf, placeOf } from "../fluss/buckets.ts";
import { lead } from "../lakekeeper/lead.ts";
import type { S3Key } from "./bed.ts";
import { lakesOf } from "./lakes.ts";

const bed = inject("lakesBed");

/** A lake on the emulator whose key is the lake's own. */
const lakeWith = ({ accessKeyId, secretAccessKey }: S3Key, place: { bucket?: string } = {}) =>
    defineLake({
        catalog: { type: "hadoop" },
        storage: {
            type: "s3Compatible",
            ...placeOf(bed.s3),
            bucket: bed.buckets.lake,
            prefix: "checked/lake",
            accessKey: { id: { value: accessKeyId }, secret: { value: secretAccessKey } },
            ...place,
        },
    });

describe("a storage account of Azure", () => {
    const { name: account, key, endpoint } = bed.azure;
    const args = (change: { container?: string; accountKey?: { value: string } } = {}) => ({
        azureEndpoint: endpoint,
        lake: defineLake({
            catalog: { type: "hadoop" },
            storage: {
                type: "adls",
                account,
                container: "lake",
                prefix: "ware/house",
                accountKey: { value: key },
                ...change,
            },
        }),
    });

    beforeAll(async () => {
        const [method, path, query] = ["PUT", `/${account}/lake`, { restype: "container" }] as const;
        const headers = azureSignature({ method, account, accountKey: key, path, query });
        const made = await fetch(`${endpoint}/lake?restype=container`, { method, headers });
        expect(made.status).toBe(201);
    });

    test("is good with its container, and keeps nothing of the check", async () => {
        const made = lead(lakeEndpoint);
        await made.create(args());
        expect(made.state).toMatchObject({ checked: ["store"] });
        const query = { restype: "container", comp: "list" };
        const path = `/${account}/lake`;
        const headers = azureSignature({ method: "GET", account, accountKey: key, path, query });
        const listed = await fetch(`${endpoint}/lake?${new URLSearchParams(query)}`, { headers });
        expect(await listed.text()).toMatch(/<Blobs\s*\/>/);
    });

    test("without the container, or with a wrong key, is refused before a job is submitted", async () => {
        const absent = lead(lakeEndpoint).create(args({ container: "nowhere" }));
        await expect(absent).rejects.toThrow(/404 ContainerNotFound.*make container 'nowhere' first/s);
        const wrong = lead(lakeEndpoint).create(args({ accountKey: { value: "Z3Vlc3NlZA==" } }));
        await expect(wrong).rejects.toThrow(/403 .*give a key of storage account 'acme'/s);
        await expect(wrong).rejects.not.toThrow(/Z3Vlc3NlZA==/);
    });
});

test("each lake of this tier that can be asked is found good", async () => {
    for (const { catalog, storage, keys, lake } of lakesOf(bed)) {
        const made = lead(lakeEndpoint);
        await made.create({ lake });
        const checked = [...(/^REST|JDBC/.test(catalog) ? ["catalog"] : []), ...(keys ? ["store"] : [])];
        expect(made.state, `${catalog} on ${storage}`).toMatchObject({ checked });
    }
});

describe("the database of a JDBC catalog", () => {
    const { uri, name: user, password } = bed.database;
    const lakeAt = (change: { uri?: string; user?: string; password?: { value: string } }) =>
        defineLake({
            catalog: { type: "jdbc", name: "lake", uri, user, password: { value: password }, ...change },
            storage: {
                type: "adls",
                account: "acme",
                container: "lake",
                accountKey: { value: bed.azure.key },
            },
        });
    const azureEndpoint = bed.azure.endpoint;

    test.each([
        [
            "a wrong password",
            { password: { value: `${password}x` } },
            /28P01 password .*lake\.catalog\.password/s,
        ],
        [
            "a user that it does not know",
            { user: "nobody" },
            /28P01 password authentication failed for user "nobody"/,
        ],
        [
            "a missing database",
            { uri: uri.replace(/\w+$/, "nowhere") },
            /3D000 .*"nowhere".*make the database first/s,
        ],
    ])("with %s is refused before a job is submitted, without its password", async (_, change, reason) => {
        const made = lead(lakeEndpoint).create({ lake: lakeAt(change), azureEndpoint });
        await expect(made).rejects.toThrow(reason);
        await expect(made).rejects.not.toThrow(password);
    });
});

describe("a store", () => {
    test("with good keys keeps nothing of the check", async () => {
        await lead(lakeEndpoint).create({ lake: lakeWith(bed.s3User) });
        const s3 = new S3Client({ ...placeOf(bed.s3), credentials: keyOf(bed.s3), forcePathStyle: true });
        const { KeyCount } = await s3.send(
            new ListObjectsV2Command({ Bucket: bed.buckets.lake, Prefix: "checked/" }),
        );
        expect(KeyCount).toBe(0);
    });

    test.each([
        ["a key that may not write", bed.reader, {}, /write an object .*403 AccessDenied.*may not do that/s],
        ["another bucket", bed.s3User, { bucket: "somebody-elses" }, /list .*(?:AccessDenied|NoSuchBucket)/],
        ["an unknown key", { ...bed.s3User, accessKeyId: "AKIANOBODY" }, {}, /does not know the access key/],
        ["a wrong secret", { ...bed.s3User, secretAccessKey: "guess" }, {}, /its secret is another one/],
    ])("with %s is refused before a job is submitted", async (_, key, place, reason) => {
        const made = lead(lakeEndpoint).create({ lake: lakeWith(key, place) });
        await expect(made).rejects.toThrow(reason);
        await expect(made).rejects.not.toThrow(key.secretAccessKey);
    });
});
