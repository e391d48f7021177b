import {
    DeleteUserPolicyCommand,
    type IAMClient,
    ListAccessKeysCommand,
    ListUserPoliciesCommand,
    ListUsersCommand,
    ListUserTagsCommand,
} from "@aws-sdk/client-iam";
import {
    DeletePublicAccessBlockCommand,
    GetBucketEncryptionCommand,
    GetBucketPolicyCommand,
    GetBucketTaggingCommand,
    ListBucketsCommand,
    PutBucketTaggingCommand,
    PutObjectCommand,
    type S3Client,
} from "@aws-sdk/client-s3";
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Emulator, startEmulator } from "./emulator.ts";
import { changesOf, type TestStack, testStack } from "./engine.ts";

let emulator: Emulator;
let s3: S3Client;
let iam: IAMClient;

beforeAll(async () => {
    emulator = await startEmulator();
    s3 = emulator.s3();
    iam = emulator.iam();
});

afterAll(() => emulator.stop());

/** What the tests change between two updates. */
interface Wishes {
    tags: Record<string, string> | undefined;
    status: string;
    actions: string[];
    forceDestroy: boolean;
}

/** All types of the stand-in in one component, as a lakehouse uses them. */
class Storage extends pulumi.ComponentResource {
    readonly lake: aws.s3.Bucket;
    readonly state: aws.s3.Bucket;
    readonly key: aws.iam.AccessKey;

    constructor(name: string, wishes: Wishes, opts: pulumi.ComponentResourceOptions) {
        super("test:index:Storage", name, {}, opts);
        const { tags, forceDestroy } = wishes;
        const child = { parent: this };
        this.lake = new aws.s3.Bucket(`${name}-lake`, { forceDestroy, tags }, child);
        this.state = new aws.s3.Bucket(`${name}-state`, { bucketPrefix: "state-of-", forceDestroy }, child);
        const bucket = this.lake.id;
        new aws.s3.BucketPublicAccessBlock(
            name,
            { bucket, blockPublicAcls: true, blockPublicPolicy: true },
            child,
        );
        new aws.s3.BucketServerSideEncryptionConfiguration(
            name,
            { bucket, rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: "AES256" } }] },
            child,
        );
        const rule = { objectOwnership: "BucketOwnerEnforced" };
        new aws.s3.BucketOwnershipControls(name, { bucket, rule }, child);
        new aws.s3.BucketVersioning(name, { bucket, versioningConfiguration: { status: "Enabled" } }, child);
        new aws.s3.BucketPolicy(name, { bucket, policy: noWebsite(this.lake.arn) }, child);
        const user = new aws.iam.User(name, { tags }, child);
        const policy = pulumi.jsonStringify({
            Version: "2012-10-17",
            Statement: [
                { Effect: "Allow", Action: wishes.actions, Resource: pulumi.interpolate`${this.lake.arn}/*` },
            ],
        });
        new aws.iam.UserPolicy(name, { user: user.name, policy }, child);
        this.key = new aws.iam.AccessKey(name, { user: user.name, status: wishes.status }, child);
        this.registerOutputs({});
    }
}

describe("the life of a component with every type", () => {
    const wishes: Wishes = {
        tags: { env: "dev" },
        status: "Active",
        actions: ["s3:PutObject"],
        forceDestroy: true,
    };
    let stack: TestStack;
    let outputs: Record<string, string> = {};

    beforeAll(async () => {
        stack = await testStack({
            standIns: true,
            program: async () => {
                const { lake, state, key } = new Storage("store", wishes, {
                    providers: [emulator.provider()],
                });
                return {
                    lake: lake.bucket,
                    state: state.bucket,
                    arn: lake.arn,
                    keyId: key.id,
                    secret: key.secret,
                };
            },
        });
    });

    afterAll(() => stack.dispose());

    test("the preview knows generated names but nothing is made", async () => {
        const { changes } = await stack.preview();
        expect(changes).toEqual({ create: 13 });
        expect((await s3.send(new ListBucketsCommand({}))).Buckets ?? []).toEqual([]);
    });

    test("up creates all of it", async () => {
        const outcome = await stack.up();
        expect(outcome.changes).toEqual({ create: 13 });
        outputs = Object.fromEntries(
            Object.entries(outcome.outputs).map(([name, { value }]) => [name, value]),
        );
        expect(outputs["lake"]).toMatch(/^store-lake-[0-9a-f]{7}$/);
        expect(outputs["state"]).toMatch(/^state-of-[0-9a-f]{7}$/);
        expect(outputs["arn"]).toBe(`arn:aws:s3:::${outputs["lake"]}`);
        expect(outcome.outputs["secret"]?.secret).toBe(true);
        const Bucket = outputs["lake"];
        expect((await s3.send(new GetBucketTaggingCommand({ Bucket }))).TagSet).toEqual([
            { Key: "env", Value: "dev" },
        ]);
        const { Policy } = await s3.send(new GetBucketPolicyCommand({ Bucket }));
        expect(JSON.parse(Policy ?? "")["Statement"][0]["Sid"]).toBe("NoWebsite");
        const encryption = await s3.send(new GetBucketEncryptionCommand({ Bucket }));
        const [rule] = encryption.ServerSideEncryptionConfiguration?.Rules ?? [];
        expect(rule?.ApplyServerSideEncryptionByDefault?.SSEAlgorithm).toBe("AES256");
    });

    test("the key may do what its policy allows and nothing else", async () => {
        expect(await put(outputs, "lake")).toBe("done");
        expect(await put(outputs, "state")).toBe("AccessDenied");
    });

    test("the state holds no secret in clear", async () => {
        const { deployment } = await stack.export();
        const text = JSON.stringify(deployment);
        expect(text).toContain(outputs["keyId"]);
        expect(text).not.toContain(outputs["secret"]);
        expect(text).not.toContain(emulator.admin.secretAccessKey);
    });

    test("a second up and a refresh change nothing", async () => {
        expect((await stack.up()).changes).toEqual({ same: 13 });
        expect((await stack.refresh()).changes).toEqual({ same: 13 });
        expect((await stack.up()).changes).toEqual({ same: 13 });
    });

    test("changed tags are updated in place, removed tags too", async () => {
        wishes.tags = { env: "prod", "cost.center": "7" };
        const outcome = await stack.up();
        expect(changesOf(outcome).map(({ op, name }) => [op, name])).toEqual(
            expect.arrayContaining([
                ["update", "store-lake"],
                ["update", "store"],
            ]),
        );
        expect(outcome.changes).toEqual({ same: 11, update: 2 });
        expect(changesOf(outcome)[0]?.diff).toEqual({ "tags.env": "update", 'tags["cost.center"]': "add" });
        const [UserName] = await usersOfTheStack();
        const userTags = await iam.send(new ListUserTagsCommand({ UserName }));
        expect(userTags.Tags).toEqual(
            expect.arrayContaining([
                { Key: "env", Value: "prod" },
                { Key: "cost.center", Value: "7" },
            ]),
        );
        wishes.tags = undefined;
        expect((await stack.up()).changes).toEqual({ same: 11, update: 2 });
        await expect(s3.send(new GetBucketTaggingCommand({ Bucket: outputs["lake"] }))).rejects.toThrow();
        expect((await iam.send(new ListUserTagsCommand({ UserName }))).Tags).toEqual([]);
    });

    test("a changed policy is updated in place and counts at once", async () => {
        wishes.actions = ["s3:GetObject"];
        const outcome = await stack.up();
        expect(changesOf(outcome).map(({ op, type, diff }) => [op, type, diff])).toEqual([
            ["update", "aws:iam/userPolicy:UserPolicy", { policy: "update" }],
        ]);
        expect(await put(outputs, "lake")).toBe("AccessDenied");
        wishes.actions = ["s3:PutObject"];
        await stack.up();
        expect(await put(outputs, "lake")).toBe("done");
    });

    test("a key that is set inactive keeps its id, and is refused", async () => {
        wishes.status = "Inactive";
        const outcome = await stack.up();
        expect(changesOf(outcome).map(({ op, type, diff }) => [op, type, diff])).toEqual([
            ["update", "aws:iam/accessKey:AccessKey", { status: "update" }],
        ]);
        expect(outcome.outputs["keyId"]?.value).toBe(outputs["keyId"]);
        expect(outcome.outputs["secret"]?.value).toBe(outputs["secret"]);
        const [UserName] = await usersOfTheStack();
        const { AccessKeyMetadata: keys } = await iam.send(new ListAccessKeysCommand({ UserName }));
        expect(keys?.map(({ Status }) => Status)).toEqual(["Inactive"]);
        wishes.status = "Active";
        await stack.up();
    });

    test("what was deleted or changed outside comes back by refresh and up", async () => {
        const Bucket = outputs["lake"];
        const [UserName] = await usersOfTheStack();
        const { PolicyNames = [] } = await iam.send(new ListUserPoliciesCommand({ UserName }));
        const [PolicyName] = PolicyNames;
        await s3.send(new DeletePublicAccessBlockCommand({ Bucket }));
        await iam.send(new DeleteUserPolicyCommand({ UserName, PolicyName }));
        await s3.send(
            new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet: [{ Key: "by", Value: "hand" }] } }),
        );
        expect((await stack.refresh()).changes).toEqual({ delete: 2, same: 10, update: 1 });
        const outcome = await stack.up();
        expect(outcome.changes).toEqual({ create: 2, same: 10, update: 1 });
        expect(changesOf(outcome).find(({ op }) => op === "update")?.diff).toEqual({ tags: "delete" });
        expect(await put(outputs, "lake")).toBe("done");
        expect((await stack.refresh()).changes).toEqual({ same: 13 });
    });

    test("destroy empties the buckets and leaves nothing", async () => {
        expect((await stack.destroy()).changes).toEqual({ delete: 13 });
        expect((await s3.send(new ListBucketsCommand({}))).Buckets ?? []).toEqual([]);
        expect(await usersOfTheStack()).toEqual([]);
    });
});

/** A policy of the bucket that is in nobody's way here. */
function noWebsite(arn: pulumi.Output<string>): pulumi.Output<string> {
    const Statement = {
        Sid: "NoWebsite",
        Effect: "Deny",
        Principal: "*",
        Action: "s3:PutBucketWebsite",
        Resource: arn,
    };
    return pulumi.jsonStringify({ Version: "2012-10-17", Statement: [Statement] });
}

/** Puts an object with the stack's own key; says "done" or AWS's name of the refusal. */
async function put(outputs: Record<string, string>, bucket: "lake" | "state"): Promise<string> {
    const client = emulator.s3({
        accessKeyId: outputs["keyId"] ?? "",
        secretAccessKey: outputs["secret"] ?? "",
    });
    try {
        await client.send(new PutObjectCommand({ Bucket: outputs[bucket], Key: "a", Body: "x" }));
        return "done";
    } catch (error) {
        return error instanceof Error ? error.name : String(error);
    }
}

async function usersOfTheStack(): Promise<(string | undefined)[]> {
    const { Users = [] } = await iam.send(new ListUsersCommand({}));
    return Users.map(({ UserName }) => UserName).filter((name) => name !== "local-admin");
}
