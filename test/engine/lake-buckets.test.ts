import { CreateAccessKeyCommand, CreateUserCommand, ListUserPoliciesCommand } from "@aws-sdk/client-iam";
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LakeBuckets, type LakeBucketsArgs } from "../../components/lake-buckets.ts";
import { type Emulator, startEmulator } from "./emulator.ts";
import { changesOf, type TestStack, testStack } from "./engine.ts";

const principal = "platform";
const names = { remoteBucket: "acme-remote", lakeBucket: "acme-lake" };
let emulator: Emulator;
let stack: TestStack;
/** Calls with the platform's own key. */
let platform: S3Client;
let access: LakeBucketsArgs["platformAccess"];

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
            new LakeBuckets(
                "desk",
                {
                    ...names,
                    region: emulator.admin.region,
                    deletionProtection: false,
                    forceDestroy: true,
                    tlsOnly: false,
                    platformPrincipal: { user: principal },
                    platformAccess: access,
                },
                { provider: emulator.provider() },
            );
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

test("after the stack nothing is left of its rights", async () => {
    await stack.destroy();
    const left = await emulator.iam().send(new ListUserPoliciesCommand({ UserName: principal }));
    expect(left.PolicyNames).toEqual([]);
});
