import { CreateAccessKeyCommand, CreateUserCommand, ListUserPoliciesCommand } from "@aws-sdk/client-iam";
import {
    GetBucketLifecycleConfigurationCommand,
    GetObjectCommand,
    ListObjectsV2Command,
    PutObjectCommand,
    type S3Client,
} from "@aws-sdk/client-s3";
import * as pulumi from "@pulumi/pulumi";
import type { OutputMap } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LakeBuckets, type LakeBucketsArgs } from "../../components/lake-buckets.ts";
import { type Emulator, type Key, startEmulator } from "./emulator.ts";
import { changesOf, type TestStack, testStack } from "./engine.ts";
import { askSts, type SessionKey } from "./sts.ts";

const principal = "platform";
const names = { remoteBucket: "acme-remote", lakeBucket: "acme-lake" };
let emulator: Emulator;
let stack: TestStack;
/** Calls with the platform's own key. */
let platform: S3Client;
let access: LakeBucketsArgs["platformAccess"];
let further: Partial<LakeBucketsArgs> = {};
let keys: LakeBucketsArgs["keys"];

beforeAll(async () => {
    emulator = await startEmulator();
    const iam = emulator.iam();
    await iam.send(new CreateUserCommand({ UserName: principal }));
    const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName: principal }));
    platform = emulator.s3({
        accessKeyId: AccessKey!.AccessKeyId!,
        secretAccessKey: AccessKey!.SecretAccessKey!,
    });
    stack = await testStack({
        standIns: true,
        program: async () => {
            const buckets = new LakeBuckets(
                "desk",
                {
                    platformPrincipal: { user: principal },
                    platformAccess: access,
                    keys,
                    ...further,
                    ...names,
                    region: emulator.admin.region,
                    deletionProtection: false,
                    forceDestroy: true,
                    tlsOnly: false,
                },
                { provider: emulator.provider() },
            );
            return { key: pulumi.secret(buckets.key), roles: buckets.roles };
        },
    });
});

afterAll(async () => {
    await stack?.dispose();
    await emulator?.stop();
});

const write = (Bucket: string) => platform.send(new PutObjectCommand({ Bucket, Key: "a/b", Body: "x" }));
const read = (Bucket: string) => platform.send(new GetObjectCommand({ Bucket, Key: "a/b" }));
const list = (Bucket: string) => platform.send(new ListObjectsV2Command({ Bucket }));
const denied = { name: "AccessDenied" };

test("the platform's principal reads and writes the lake, and may do nothing in the remote storage", async () => {
    await stack.up();
    await write(names.lakeBucket);
    expect((await list(names.lakeBucket)).KeyCount).toBe(1);
    for (const call of [write, read, list]) {
        await expect(call(names.remoteBucket)).rejects.toMatchObject(denied);
    }
});

test("where its jobs only query, it reads the lake and no longer writes it", async () => {
    access = "read";
    expect(changesOf(await stack.up()).map(({ name }) => name)).toEqual(["desk-platform-policy"]);
    expect(await (await read(names.lakeBucket)).Body?.transformToString()).toBe("x");
    await expect(write(names.lakeBucket)).rejects.toMatchObject(denied);
    expect(changesOf(await stack.up())).toEqual([]);
});

test("former versions and uploads that never ended go after some days; a second up has nothing to change", async () => {
    further = { versioning: true, expireNoncurrentAfterDays: 7, abortUploadsAfterDays: 2 };
    expect(changesOf(await stack.up()).map(({ name }) => name)).toEqual(
        expect.arrayContaining(["desk-lake-versioning", "desk-lake-lifecycle", "desk-remote-lifecycle"]),
    );
    const rules = new GetBucketLifecycleConfigurationCommand({ Bucket: names.lakeBucket });
    expect((await emulator.s3().send(rules)).Rules).toMatchObject([
        { NoncurrentVersionExpiration: { NoncurrentDays: 7 } },
        { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 } },
    ]);
    expect(changesOf(await stack.up())).toEqual([]);
    expect(changesOf(await stack.refresh())).toEqual([]);
});

test("a key is replaced while the old one still works, and the old one is gone at the end", async () => {
    const use = async (outputs: OutputMap) => {
        const { accessKeyId, secretAccessKey } = outputs["key"]!.value as Record<string, string>;
        const s3 = emulator.s3({ accessKeyId: accessKeyId!, secretAccessKey: secretAccessKey! });
        await s3.send(new PutObjectCommand({ Bucket: names.remoteBucket, Key: "k", Body: "x" }));
        return s3;
    };
    const old = await use((await stack.up()).outputs);
    keys = ["next", "key"];
    const both = await stack.up();
    expect(changesOf(both).map(({ name }) => name)).toEqual(["desk-user-next"]);
    const next = await use(both.outputs);
    const read = new GetObjectCommand({ Bucket: names.remoteBucket, Key: "k" });
    await old.send(read);
    keys = ["next"];
    expect(changesOf(await stack.up()).map(({ name }) => name)).toEqual(["desk-user-key"]);
    await next.send(read);
    await expect(old.send(read)).rejects.toMatchObject({ name: "InvalidAccessKeyId" });
});

test("roles reach the lake alone, Lakekeeper's by the user alone and with the external id", async () => {
    const oidcProvider = "arn:aws:iam::123456789012:oidc-provider/oidc.example.com";
    further = {
        roles: {
            lakekeeper: { externalId: "lake-7" },
            tiering: {
                oidcProvider,
                serviceAccounts: [{ namespace: "flink", name: "tiering" }],
                access: "read",
            },
        },
    };
    const { outputs } = await stack.up();
    expect(changesOf(await stack.up())).toEqual([]);
    expect(changesOf(await stack.refresh())).toEqual([]);
    const { accessKeyId = "", secretAccessKey = "" } = outputs["key"]!.value as Record<string, string>;
    const { lakekeeper = "", tiering = "" } = outputs["roles"]!.value as Record<string, string>;
    const assume = (key: Key, RoleArn: string, more: Record<string, string> = {}) =>
        askSts(emulator.admin, key, { Action: "AssumeRole", RoleArn, RoleSessionName: "lake", ...more });
    const user = { accessKeyId, secretAccessKey };

    const lake = await assume(user, lakekeeper, { ExternalId: "lake-7" });
    await reaches(lake, { write: true });
    await expect(assume(user, lakekeeper, { ExternalId: "guess" })).rejects.toThrow("AccessDenied");
    // The administrator's own policy allows everything; the role does not trust him.
    await expect(assume(emulator.admin, lakekeeper, { ExternalId: "lake-7" })).rejects.toThrow(
        "AccessDenied",
    );
    await expect(assume(user, tiering)).rejects.toThrow("AccessDenied");

    // The emulator checks no web identity, and wants a signature where AWS wants none: only the role's rights are tried here.
    const jobs = await askSts(emulator.admin, emulator.admin, {
        Action: "AssumeRoleWithWebIdentity",
        RoleArn: tiering,
        RoleSessionName: "job",
        WebIdentityToken: "token-of-a-pod",
    });
    await reaches(jobs, { write: false });

    further = { roles: { ...further.roles, lakekeeper: { externalId: "lake-8", maxSessionSeconds: 7200 } } };
    expect(changesOf(await stack.up()).map(({ name, op }) => [name, op])).toEqual([
        ["desk-lakekeeper-role", "update"],
    ]);
    await assume(user, lakekeeper, { ExternalId: "lake-8" });
    await expect(assume(user, lakekeeper, { ExternalId: "lake-7" })).rejects.toThrow("AccessDenied");
});

/** The lake and nothing in the remote storage. */
async function reaches(key: SessionKey, { write }: { write: boolean }): Promise<void> {
    const s3 = emulator.s3(key);
    const put = (Bucket: string) => s3.send(new PutObjectCommand({ Bucket, Key: "role", Body: "x" }));
    expect(
        (await s3.send(new ListObjectsV2Command({ Bucket: names.lakeBucket }))).$metadata.httpStatusCode,
    ).toBe(200);
    if (write) await put(names.lakeBucket);
    else await expect(put(names.lakeBucket)).rejects.toMatchObject(denied);
    await expect(put(names.remoteBucket)).rejects.toMatchObject(denied);
    await expect(s3.send(new ListObjectsV2Command({ Bucket: names.remoteBucket }))).rejects.toMatchObject(
        denied,
    );
}

test("after the stack nothing is left of its rights", async () => {
    await stack.destroy();
    const left = await emulator.iam().send(new ListUserPoliciesCommand({ UserName: principal }));
    expect(left.PolicyNames).toEqual([]);
});

test("in a store without IAM it makes the buckets alone, and its key is the store's", async () => {
    const { accessKeyId, secretAccessKey } = emulator.admin;
    const ofAws = { keys: undefined, platformPrincipal: undefined };
    further = { ...ofAws, s3Compatible: { key: { accessKeyId, secretAccessKey } } };
    const { outputs } = await stack.up();
    const { resources } = (await stack.export()).deployment as { resources: { type: string }[] };
    const made = resources.filter(({ type }) => /^aws:(?!.*::)/.test(type)).map(({ type }) => type);
    expect(made).toEqual(["aws:s3/bucket:Bucket", "aws:s3/bucket:Bucket"]);
    const key = outputs["key"]!.value as { accessKeyId: string; secretAccessKey: string };
    const put = new PutObjectCommand({ Bucket: names.lakeBucket, Key: "a", Body: "x" });
    await emulator.s3({ ...key }).send(put);
    expect(changesOf(await stack.up())).toEqual([]);
    await stack.destroy();
});
