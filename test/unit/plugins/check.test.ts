import { expect, test } from "vitest";
import { type Properties, unknownValue } from "../../../host/values.ts";
import { awsPlugin } from "../../../local/plugins/aws/plugin.ts";
import { inputFailures } from "../../../local/plugins/check.ts";
import { randomPlugin } from "../../../local/plugins/random/plugin.ts";
import { SdkInputs } from "../../../local/plugins/sdk-inputs.ts";

const sdk = new SdkInputs("@pulumi/aws");

test.each([awsPlugin, randomPlugin])(
    "every type and input of the $name stand-in is one of the SDK",
    (plugin) => {
        const inputs = new SdkInputs(plugin.sdk);
        for (const type of plugin.types) {
            const known = [...inputs.ofType(type.token).keys()];
            expect(known).toEqual(expect.arrayContaining([...type.inputs]));
            expect(type.inputs).toEqual(expect.arrayContaining([...type.forceNew]));
        }
        expect([...inputs.ofProvider().keys()]).toEqual(expect.arrayContaining([...plugin.options]));
    },
);

test("the SDK's declarations tell names, which are required, and nested types", () => {
    const rules = sdk.ofType(
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
    );
    expect([...rules].map(([name, { required }]) => [name, required])).toEqual([
        ["bucket", true],
        ["expectedBucketOwner", false],
        ["region", false],
        ["rules", true],
    ]);
    expect(sdk.version).toBe("7.48.0");
});

test.each<[string, Properties, string[]]>([
    ["s3/bucket:Bucket", { tags: { a: "b" }, forceDestroy: true }, []],
    ["s3/bucket:Bucket", { tags: unknownValue, bucket: unknownValue, bucketPrefix: "p" }, []],
    ["s3/bucket:Bucket", { blockAll: true }, ["blockAll: aws:s3/bucket:Bucket has no input 'blockAll'"]],
    ["s3/bucket:Bucket", { tags: { a: 1 } }, ["tags.a: must be a string, not a number"]],
    ["s3/bucket:Bucket", { tags: ["a"] }, ["tags: must be an object, not a list"]],
    [
        "s3/bucket:Bucket",
        { bucket: "a", bucketPrefix: "b" },
        ["bucketPrefix: conflicts with bucket: give one of them"],
    ],
    ["s3/bucketPolicy:BucketPolicy", { policy: "{}" }, ["bucket: is required"]],
    ["s3/bucketPolicy:BucketPolicy", { bucket: "b", policy: "[]" }, ["policy: must be a JSON object"]],
    [
        "s3/bucketPolicy:BucketPolicy",
        { bucket: "b", policy: { Version: "2012-10-17", Statements: [] } },
        [
            "policy.Statements: inputs.s3.PolicyDocument has no input 'Statements'",
            "policy.Statement: is required",
        ],
    ],
    [
        "s3/bucketOwnershipControls:BucketOwnershipControls",
        { bucket: "b", rule: { objectOwnership: "Nobody" } },
        ["rule.objectOwnership: must be one of BucketOwnerEnforced, BucketOwnerPreferred, ObjectWriter"],
    ],
    [
        "s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        { bucket: "b", rules: [{ id: "a", status: "Enabled", expiration: { days: 1 } }] },
        ["rules[0].expiration: is not done by the stand-in for the aws plugin"],
    ],
    [
        "s3/bucketVersioning:BucketVersioning",
        { bucket: "b", versioningConfiguration: { status: "On", mfaDelete: "Enabled" } },
        [
            "versioningConfiguration.status: must be one of Enabled, Suspended, Disabled",
            "versioningConfiguration.mfaDelete: is not done by the stand-in for the aws plugin",
        ],
    ],
    [
        "s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
        { bucket: "b", rules: [{ applyServerSideEncryptionByDefault: { algorithm: "AES256" } }] },
        [
            "rules[0].applyServerSideEncryptionByDefault.algorithm: inputs.s3.BucketServerSideEncryptionConfiguration" +
                "RuleApplyServerSideEncryptionByDefault has no input 'algorithm'",
            "rules[0].applyServerSideEncryptionByDefault.sseAlgorithm: is required",
        ],
    ],
    ["iam/accessKey:AccessKey", { user: "u", status: "active" }, ["status: must be Active or Inactive"]],
    [
        "iam/accessKey:AccessKey",
        { user: "u", pgpKey: "k" },
        ["pgpKey: the stand-in for aws:iam/accessKey:AccessKey cannot do 'pgpKey'"],
    ],
])("%s with %j", (token, inputs, expected) => {
    const type = awsPlugin.types.find((one) => one.token === `aws:${token}`)!;
    const failures = inputFailures(type, sdk.ofType(type.token), inputs);
    expect(failures.map(({ property, reason }) => `${property}: ${reason}`)).toEqual(expected);
});
