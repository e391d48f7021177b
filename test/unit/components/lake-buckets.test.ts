import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { LakeBuckets, type LakeBucketsArgs } from "../../../components/lake-buckets.ts";
import { build, failuresOf, misplaced, resolved } from "./harness.ts";

const make = (args: Partial<LakeBucketsArgs> = {}, preview = false) =>
    build(preview, (opts) => new LakeBuckets("desk", { region: "eu-central-1", ...args }, opts));

const named = { remoteBucket: "acme-remote", lakeBucket: "acme-lake" };

describe.each([true, false])("LakeBuckets, preview %s", (preview) => {
    it("makes two guarded buckets, and a user with a policy and a key", async () => {
        const { made, completed } = await make({}, preview);
        const bucket = (name: string) => [
            ["aws:s3/bucket:Bucket", name],
            ["aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", `${name}-public-access`],
            [
                "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
                `${name}-encryption`,
            ],
            ["aws:s3/bucketOwnershipControls:BucketOwnershipControls", `${name}-ownership`],
            ["aws:s3/bucketPolicy:BucketPolicy", `${name}-tls-only`],
        ];
        expect([...made.values()].map(({ type, name }) => [type, name])).toEqual([
            ["fluss:index:LakeBuckets", "desk"],
            ...bucket("desk-remote"),
            ...bucket("desk-lake"),
            ["aws:iam/user:User", "desk-user"],
            ["aws:iam/userPolicy:UserPolicy", "desk-user-policy"],
            ["aws:iam/accessKey:AccessKey", "desk-user-key"],
        ]);
        expect([...made.values()].filter(({ name, parent }) => name !== "desk" && parent !== "desk")).toEqual(
            [],
        );
        expect(misplaced(made, "desk")).toEqual([]);
        expect(completed).toEqual(["desk"]);
    });

    it.each([
        [undefined, true],
        [true, true],
        [false, false],
    ])("protects the buckets with deletionProtection %s: %s", async (deletionProtection, protect) => {
        const { made } = await make({ deletionProtection }, preview);
        expect(made.get("desk-remote")?.protect).toBe(protect);
        expect(made.get("desk-lake")?.protect).toBe(protect);
    });
});

describe("the guards of a bucket", () => {
    it("block public access, encrypt, and leave no other owner", async () => {
        const { made } = await make(named);
        expect(made.get("desk-lake-public-access")?.inputs).toEqual({
            bucket: "acme-lake",
            blockPublicAcls: true,
            blockPublicPolicy: true,
            ignorePublicAcls: true,
            restrictPublicBuckets: true,
        });
        expect(made.get("desk-lake-encryption")?.inputs).toMatchObject({
            rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: "AES256" } }],
        });
        expect(made.get("desk-lake-ownership")?.inputs).toMatchObject({
            rule: { objectOwnership: "BucketOwnerEnforced" },
        });
        const guards = [...made.values()].filter(({ name }) => /^desk-lake-/.test(name));
        expect(guards.map(({ deletedWith }) => deletedWith)).toEqual(Array(4).fill("desk-lake"));
    });

    it("refuse every request without TLS, once public access is blocked", async () => {
        const { made } = await make(named);
        const policy = made.get("desk-remote-tls-only");
        expect(JSON.parse(String(policy?.inputs.policy))).toEqual({
            Version: "2012-10-17",
            Statement: [
                {
                    Sid: "RefuseWithoutTls",
                    Effect: "Deny",
                    Principal: "*",
                    Action: "s3:*",
                    Resource: ["arn:aws:s3:::acme-remote", "arn:aws:s3:::acme-remote/*"],
                    Condition: { Bool: { "aws:SecureTransport": "false" } },
                },
            ],
        });
        expect(policy?.dependsOn).toEqual(["desk-remote-public-access"]);
    });

    it("leave TLS out when told", async () => {
        const { made } = await make({ tlsOnly: false });
        expect([...made.keys()].filter((name) => name.endsWith("tls-only"))).toEqual([]);
    });
});

describe("user and key", () => {
    it("may do on both buckets what the quickstart lists, and give up uploads that failed", async () => {
        const { made } = await make(named);
        const policy = made.get("desk-user-policy");
        expect(policy?.inputs.user).toBe("desk-user-1a2b3c4");
        expect(JSON.parse(String(policy?.inputs.policy))).toEqual({
            Version: "2012-10-17",
            Statement: [
                {
                    Effect: "Allow",
                    Action: ["s3:ListBucket", "s3:GetBucketLocation", "s3:ListBucketMultipartUploads"],
                    Resource: ["arn:aws:s3:::acme-remote", "arn:aws:s3:::acme-lake"],
                },
                {
                    Effect: "Allow",
                    Action: [
                        "s3:GetObject",
                        "s3:PutObject",
                        "s3:DeleteObject",
                        "s3:AbortMultipartUpload",
                        "s3:ListMultipartUploadParts",
                    ],
                    Resource: ["arn:aws:s3:::acme-remote/*", "arn:aws:s3:::acme-lake/*"],
                },
            ],
        });
    });

    it.each([
        "arn:aws:kms:eu-central-1:123456789012:alias/lake",
        "alias/lake",
        "1234abcd-12ab-34cd-56ef-1234567890ab",
    ])("takes no KMS key but by its ARN, of which policies are made: %s", async (kmsKey) => {
        for (const given of [kmsKey, pulumi.output(Promise.resolve(kmsKey))]) {
            const message = await failuresOf(
                (opts) => new LakeBuckets("desk", { region: "eu-central-1", ...named, kmsKey: given }, opts),
            );
            expect(message).toContain(`kmsKey = ${kmsKey}: is not the ARN of a KMS key`);
        }
    });

    it("may use the KMS key that encrypts the objects", async () => {
        const kmsKey = "arn:aws:kms:eu-central-1:123456789012:key/1";
        const { made } = await make({ ...named, kmsKey });
        expect(made.get("desk-lake-encryption")?.inputs).toMatchObject({
            rules: [
                {
                    applyServerSideEncryptionByDefault: { sseAlgorithm: "aws:kms", kmsMasterKeyId: kmsKey },
                    bucketKeyEnabled: true,
                },
            ],
        });
        const { Statement } = JSON.parse(String(made.get("desk-user-policy")?.inputs.policy));
        expect(Statement[2]).toEqual({
            Effect: "Allow",
            Action: ["kms:Decrypt", "kms:GenerateDataKey"],
            Resource: kmsKey,
        });
    });

    it("are two keys while one replaces the other, and the first is handed out", async () => {
        const { made, component } = await make({ ...named, keys: ["next", "key"] });
        const keys = [...made.values()].filter(({ type }) => type === "aws:iam/accessKey:AccessKey");
        expect(keys.map(({ name }) => name)).toEqual(["desk-user-next", "desk-user-key"]);
        expect(await resolved(component.key.accessKeyId)).toBe("desk-user-next-id");
    });

    it("come in that order: a key that is handed out works at once", async () => {
        const { made } = await make();
        expect(made.get("desk-user-key")?.dependsOn).toEqual(["desk-user-policy"]);
    });

    it("give the key pair, the secret part as a secret", async () => {
        const { component } = await make();
        const { accessKeyId, secretAccessKey } = component.key;
        expect(await resolved(accessKeyId)).toBe("desk-user-key-id");
        expect(await resolved(secretAccessKey)).toBe("made-by-iam");
        expect(await pulumi.isSecret(secretAccessKey)).toBe(true);
    });
});

describe("the platform's own principal", () => {
    const statements = (objects: string[], uploads: string[] = []) => [
        {
            Effect: "Allow",
            Action: ["s3:ListBucket", "s3:GetBucketLocation", ...uploads],
            Resource: ["arn:aws:s3:::acme-lake"],
        },
        { Effect: "Allow", Action: objects, Resource: ["arn:aws:s3:::acme-lake/*"] },
    ];

    it("may read and write the lake and nothing else; the policy is an output, and nobody gets it by default", async () => {
        const { component, made } = await make(named);
        expect(made.has("desk-platform-policy")).toBe(false);
        const policy = JSON.parse(await resolved(component.platformPolicy));
        expect(policy.Statement).toEqual(
            statements(
                [
                    "s3:GetObject",
                    "s3:PutObject",
                    "s3:DeleteObject",
                    "s3:AbortMultipartUpload",
                    "s3:ListMultipartUploadParts",
                ],
                ["s3:ListBucketMultipartUploads"],
            ),
        );
    });

    it.each([
        [{ role: "vvp-jobs" }, "aws:iam/rolePolicy:RolePolicy"],
        [{ user: "vvp-jobs" }, "aws:iam/userPolicy:UserPolicy"],
    ])("gets it as %o", async (platformPrincipal, type) => {
        const { component, made } = await make({ ...named, platformPrincipal, platformAccess: "read" });
        const policy = made.get("desk-platform-policy");
        expect(policy).toMatchObject({ type, parent: "desk", inputs: platformPrincipal });
        expect(policy?.inputs.policy).toBe(await resolved(component.platformPolicy));
        expect(JSON.parse(String(policy?.inputs.policy)).Statement).toEqual(statements(["s3:GetObject"]));
    });
});

describe("names and tags", () => {
    it("are as given", async () => {
        const { component, made } = await make({ ...named, tags: { team: "desk" }, forceDestroy: true });
        expect(await resolved(component.remoteBucket)).toBe("acme-remote");
        expect(await resolved(component.lakeBucket)).toBe("acme-lake");
        for (const name of ["desk-remote", "desk-lake"]) {
            expect(made.get(name)?.inputs).toMatchObject({ tags: { team: "desk" }, forceDestroy: true });
        }
        expect(made.get("desk-user")?.inputs).toMatchObject({ tags: { team: "desk" } });
    });

    it("are left to the provider otherwise, and objects stop a deletion", async () => {
        const { made } = await make();
        expect(made.get("desk-remote")?.inputs).not.toHaveProperty("bucket");
        expect(made.get("desk-remote")?.inputs.forceDestroy).toBe(false);
    });
});

describe("buckets that exist", () => {
    it.each([
        ["eu-central-1", "aws"],
        ["cn-north-1", "aws-cn"],
        ["us-gov-west-1", "aws-us-gov"],
        ["us-isob-east-1", "aws-iso-b"],
        ["us-iso-east-1", "aws-iso"],
        ["eusc-de-east-1", "aws-eusc"],
    ])("are left as they are, and the user may use them: %s is in %s", async (region, partition) => {
        const { made, component } = await make({
            region,
            remoteBucket: { existing: "acme-remote" },
            lakeBucket: { existing: "acme-lake" },
        });
        expect([...made.keys()]).toEqual(["desk", "desk-user", "desk-user-policy", "desk-user-key"]);
        const { Statement } = JSON.parse(String(made.get("desk-user-policy")?.inputs.policy));
        expect(Statement[0].Resource).toEqual([
            `arn:${partition}:s3:::acme-remote`,
            `arn:${partition}:s3:::acme-lake`,
        ]);
        expect(component.nodes.lake).toBeUndefined();
    });
});

describe("what is kept and for how long", () => {
    it("is said by versioning and lifecycle, when asked for", async () => {
        const { made } = await make({
            ...named,
            versioning: true,
            expireNoncurrentAfterDays: 7,
            abortUploadsAfterDays: 2,
        });
        expect(made.get("desk-lake-versioning")?.inputs).toMatchObject({
            versioningConfiguration: { status: "Enabled" },
        });
        expect(made.get("desk-lake-lifecycle")).toMatchObject({
            dependsOn: ["desk-lake-versioning"],
            inputs: {
                rules: [
                    { noncurrentVersionExpiration: { noncurrentDays: 7 } },
                    { abortIncompleteMultipartUpload: { daysAfterInitiation: 2 } },
                ],
            },
        });
    });

    it("clears up former versions where versioning is no more", async () => {
        const { made } = await make({ ...named, versioning: false, expireNoncurrentAfterDays: 7 });
        expect(made.has("desk-lake-versioning")).toBe(false);
        expect(made.get("desk-lake-lifecycle")?.inputs.rules).toMatchObject([
            { noncurrentVersionExpiration: { noncurrentDays: 7 } },
        ]);
    });

    it("is checked by names and places, all faults at once", async () => {
        const message = await failuresOf(
            (opts) =>
                new LakeBuckets(
                    "desk",
                    {
                        region: "Frankfurt",
                        remoteBucket: "Acme_Remote",
                        lakeBucket: { existing: "" },
                        keys: ["2026/12", "key"],
                        platformPrincipal: { role: "arn:aws:iam::123456789012:role/vvp" },
                        platformAccess: "write" as "read",
                    },
                    opts,
                ),
        );
        expect(message).toMatch(/6 faults in desk/);
        for (const path of [
            "region",
            "remoteBucket",
            "lakeBucket.existing",
            "keys[0]",
            "platformPrincipal.role",
            "platformAccess",
        ])
            expect(message).toContain(`\n- ${path} = "`);
    });

    it.each<[string, Partial<LakeBucketsArgs>, RegExp]>([
        [
            "one bucket for both",
            { remoteBucket: "acme", lakeBucket: { existing: "acme" } },
            /lakeBucket\.existing = "acme": is the bucket of the remote/,
        ],
        [
            "a KMS key of another region",
            { kmsKey: "arn:aws:kms:us-east-1:123456789012:key/1234" },
            /kmsKey = .*is a key of us-east-1, and S3 encrypts with keys of the bucket's own region\. Give a key of eu-central-1/,
        ],
        [
            "a role and a user at once",
            { platformPrincipal: { role: "a", user: "b" } as never },
            /platformPrincipal: is neither one role nor one user/,
        ],
        [
            "a store's key that is a plain text",
            { region: "minio", s3Compatible: { key: "hunter2" as never } },
            /2 faults in desk:\n- s3Compatible\.key\.accessKeyId: is required.*\n- s3Compatible\.key\.secretAccessKey: is required/,
        ],
    ])("refuses %s", async (_, args, told) => {
        const message = await failuresOf(
            (opts) => new LakeBuckets("desk", { region: "eu-central-1", ...args }, opts),
        );
        expect(message).toMatch(told);
        expect(message).not.toContain("hunter2");
    });

    it("is checked, all faults at once", async () => {
        const message = await failuresOf(
            (opts) =>
                new LakeBuckets(
                    "desk",
                    {
                        region: "eu-central-1",
                        versioning: true,
                        abortUploadsAfterDays: 0.5,
                        keys: ["key", "key"],
                    },
                    opts,
                ),
        );
        expect(message).toMatch(/3 faults in desk/);
        expect(message).toMatch(/expireNoncurrentAfterDays.*for ever/);
        expect(message).toMatch(/abortUploadsAfterDays.*not a number of days/);
        expect(message).toMatch(/keys.*one key or two/);
    });
});
