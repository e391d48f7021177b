import {
    CreateBucketCommand,
    GetBucketTaggingCommand,
    ListBucketsCommand,
    PutObjectCommand,
    type S3Client,
} from "@aws-sdk/client-s3";
import * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Emulator, startEmulator } from "./emulator.ts";
import { changesOf, testStack } from "./engine.ts";

let emulator: Emulator;
let s3: S3Client;

beforeAll(async () => {
    emulator = await startEmulator();
    s3 = emulator.s3();
});

afterAll(() => emulator.stop());

describe("names", () => {
    test("a changed prefix replaces the bucket, a bucket that is ours already is taken over", async () => {
        await s3.send(new CreateBucketCommand({ Bucket: "left-by-a-killed-run" }));
        const names = { prefix: "one-" };
        const stack = await testStack({
            standIns: true,
            program: async () => {
                const opts = { provider: emulator.provider() };
                const generated = new aws.s3.Bucket("generated", { bucketPrefix: names.prefix }, opts);
                new aws.s3.Bucket("fixed", { bucket: "left-by-a-killed-run", tags: { a: "b" } }, opts);
                return { bucket: generated.bucket };
            },
        });
        try {
            expect((await stack.up()).outputs["bucket"]?.value).toMatch(/^one-[0-9a-f]{7}$/);
            names.prefix = "two-";
            const outcome = await stack.up();
            expect(outcome.changes).toEqual({ replace: 1, same: 3 });
            // The new one first: its name is another.
            expect(changesOf(outcome).map(({ op }) => op)).toEqual([
                "create-replacement",
                "replace",
                "delete-replaced",
            ]);
            expect(outcome.outputs["bucket"]?.value).toMatch(/^two-[0-9a-f]{7}$/);
            expect((await stack.up()).changes).toEqual({ same: 4 });
        } finally {
            await stack.destroy();
            await stack.dispose();
        }
    });
});

describe("what is refused", () => {
    test("a nested input that the SDK does not have", async () => {
        // As a program without type checks would write it; unknown names at the top never leave the SDK's class.
        const rules = [{ applyServerSideEncryptionByDefault: { algorithm: "AES256" } }];
        const message = await refusalOf((opts) => {
            new aws.s3.BucketServerSideEncryptionConfiguration("sse", { bucket: "b", rules } as never, opts);
        });
        expect(message).toContain("has no input 'algorithm'");
        expect(message).toContain("rules[0].applyServerSideEncryptionByDefault.sseAlgorithm");
    });

    test("an input that the stand-in would not act on", async () => {
        const message = await refusalOf((opts) => {
            new aws.s3.Bucket("acl", { acl: "public-read" }, opts);
        });
        expect(message).toContain("the stand-in for aws:s3/bucket:Bucket cannot do 'acl'");
    });

    test("a type that the stand-in does not have", async () => {
        const message = await refusalOf((opts) => {
            new aws.iam.Group("group", {}, opts);
        });
        expect(message).toContain("has no type aws:iam/group:Group");
    });

    test("AWS's own refusal is told by name, with call, place and advice, without the secret", async () => {
        const wrongSecret = "wrong-secret-0123456789";
        const stack = await testStack({
            standIns: true,
            program: async () => {
                new aws.s3.Bucket("b", {}, { provider: emulator.provider({ secretKey: wrongSecret }) });
            },
        });
        const message = await messageOf(stack.up());
        await stack.dispose();
        expect(message).toMatch(/CreateBucket 'b-[0-9a-f]{7}' at http:\/\/127\.0\.0\.1:\d+ was refused/);
        expect(message).toContain("SignatureDoesNotMatch (HTTP 403)");
        expect(message).toContain("Check the provider's secretKey.");
        expect(message).not.toContain(wrongSecret);
    });

    test("a bucket with objects is not deleted without forceDestroy, and by it when that was set later", async () => {
        const wish = { forceDestroy: false };
        const stack = await testStack({
            standIns: true,
            program: async () => {
                new aws.s3.Bucket(
                    "full",
                    { bucket: "full-bucket", ...wish },
                    { provider: emulator.provider() },
                );
            },
        });
        try {
            await stack.up();
            await s3.send(new PutObjectCommand({ Bucket: "full-bucket", Key: "a", Body: "x" }));
            expect(await messageOf(stack.destroy())).toContain("BucketNotEmpty (HTTP 409)");
            wish.forceDestroy = true;
            expect((await stack.up()).changes).toEqual({ same: 2, update: 1 });
            await stack.destroy();
        } finally {
            await stack.dispose();
        }
    });

    test("a creation that failed half-way is kept and completed by the next up", async () => {
        const wish = { tags: { "aws:reserved": "yes" } as Record<string, string> };
        const stack = await testStack({
            standIns: true,
            program: async () => {
                new aws.s3.Bucket("half", wish, { provider: emulator.provider() });
            },
        });
        try {
            expect(await messageOf(stack.up())).toMatch(/PutBucketTagging 'half-[0-9a-f]{7}' .* InvalidTag/);
            const { Buckets: made } = await s3.send(new ListBucketsCommand({}));
            wish.tags = { own: "yes" };
            expect((await stack.up()).changes).toEqual({ same: 2, update: 1 });
            expect((await s3.send(new ListBucketsCommand({}))).Buckets).toEqual(made);
            const tagging = await s3.send(new GetBucketTaggingCommand({ Bucket: made?.[0]?.Name }));
            expect(tagging.TagSet).toEqual([{ Key: "own", Value: "yes" }]);
        } finally {
            await stack.destroy();
            await stack.dispose();
        }
    });

    test("an emulator that is not there, and a provider without endpoints", async () => {
        const wish: { endpoints: aws.ProviderArgs["endpoints"] } = {
            endpoints: [{ s3: "http://127.0.0.1:1" }],
        };
        const stack = await testStack({
            standIns: true,
            program: async () => {
                new aws.s3.Bucket("b", {}, { provider: emulator.provider(wish) });
            },
        });
        try {
            expect(await messageOf(stack.up())).toContain(
                "at http://127.0.0.1:1 got no answer: ECONNREFUSED",
            );
            wish.endpoints = [];
            expect(await messageOf(stack.up())).toContain("works against an emulator only");
        } finally {
            await stack.dispose();
        }
    });
});

test("two providers of one stack keep their own configuration", async () => {
    const stack = await testStack({
        standIns: true,
        program: async () => {
            const first = { provider: emulator.provider() };
            const second = {
                provider: new aws.Provider("second", { ...emulator.providerArgs(), region: "eu-central-1" }),
            };
            const here = await aws.getRegion({}, first);
            const there = await aws.getRegion({}, second);
            const caller = await aws.getCallerIdentity({}, first);
            const { partition } = await aws.getPartition({}, second);
            return {
                regions: [here.region, there.region],
                arn: caller.arn,
                account: caller.accountId,
                partition,
            };
        },
    });
    try {
        const { outputs } = await stack.up();
        expect(outputs["regions"]?.value).toEqual(["us-east-1", "eu-central-1"]);
        expect(outputs["arn"]?.value).toMatch(/^arn:aws:iam::\d{12}:user\/local-admin$/);
        expect(outputs["account"]?.value).toMatch(/^\d{12}$/);
        expect(outputs["partition"]?.value).toBe("aws");
    } finally {
        await stack.dispose();
    }
});

/** Runs a program that is to be refused in a preview; the message of the refusal. */
async function refusalOf(declare: (opts: pulumi.CustomResourceOptions) => void): Promise<string> {
    const stack = await testStack({
        standIns: true,
        program: async () => declare({ provider: emulator.provider() }),
    });
    const message = await messageOf(stack.preview());
    await stack.dispose();
    return message;
}

function messageOf(operation: Promise<unknown>): Promise<string> {
    return operation.then(
        () => "nothing was refused",
        (error: Error) => error.message,
    );
}
