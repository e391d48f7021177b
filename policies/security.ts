import { isSecretOption } from "../model/show-create.ts";
import { type Finding, ofType, type PlannedResource, type Rule, textAt, valueAt } from "./rule.ts";

/** Rules about who can reach data and keys. */
export const securityRules: Rule[] = [
    {
        id: "bucket-public-access",
        title: "Every bucket blocks public access",
        why: "A lake holds a company's data; a bucket without the four blocks is public after one wrong policy (AWS, S3 Block Public Access).",
        fix: "Add aws.s3.BucketPublicAccessBlock with all four set to true, or use LakeBuckets.",
        level: "mandatory",
        group: "security",
        check: (plan) =>
            bucketsWithout(plan, "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", blocksAll).map(
                (resource) => ({
                    resource,
                    message: "public access is not blocked in all four ways",
                }),
            ),
    },
    {
        id: "bucket-tls-only",
        title: "Every bucket refuses requests without TLS",
        why: "Keys and data would cross the network in clear (AWS, aws:SecureTransport).",
        fix: "Add a bucket policy that denies s3:* where aws:SecureTransport is false, or use LakeBuckets.",
        level: "advisory",
        group: "security",
        check: (plan) =>
            bucketsWithout(plan, "aws:s3/bucketPolicy:BucketPolicy", deniesWithoutTls).map((resource) => ({
                resource,
                message: "requests without TLS are not refused",
            })),
    },
    {
        id: "iam-least-privilege",
        title: "No policy allows every action or everything in S3 on every bucket",
        why: 'The key of the Fluss servers and the lake needs five S3 actions on two buckets (quickstart, "Buckets and an Access Key").',
        fix: "Name the actions and the buckets, or use LakeBuckets.",
        level: "mandatory",
        group: "security",
        check: (plan) =>
            ofType(plan, ...iamPolicies).flatMap((resource) => {
                const wide = statementsOf(resource).filter(
                    ({ Effect, Action, Resource }) =>
                        Effect === "Allow" &&
                        (listOf(Action).some((action) => action === "*" || action === "s3:*") ||
                            listOf(Resource).some((target) => target === "*" || target === "arn:aws:s3:::*")),
                );
                return wide.length > 0
                    ? [{ resource, message: "a statement allows more than it needs" }]
                    : [];
            }),
    },
    {
        id: "no-secret-in-job",
        title: "A job names its secrets, it does not hold them",
        why: 'Arguments and SQL of a deployment are shown in the console and in Flink\'s own UI (quickstart, "Creating the Secret Values").',
        fix: "Make a VvpSecretValue and write ${secret_values.<name>} in its place.",
        level: "mandatory",
        group: "security",
        check: (plan) => ofType(plan, "pulumi-nodejs:dynamic/vvp:Deployment").flatMap(secretsOfJob),
    },
];

const iamPolicies = [
    "aws:iam/userPolicy:UserPolicy",
    "aws:iam/rolePolicy:RolePolicy",
    "aws:iam/groupPolicy:GroupPolicy",
    "aws:iam/policy:Policy",
];

interface Statement {
    Effect?: string;
    Action?: string | string[];
    Resource?: string | string[];
    Condition?: { Bool?: Record<string, unknown> };
}

/** Buckets that no resource of the other type, which fulfils the condition, names. */
function bucketsWithout(
    plan: readonly PlannedResource[],
    type: string,
    fulfils: (resource: PlannedResource) => boolean,
): PlannedResource[] {
    const others = ofType(plan, type).filter(fulfils);
    return ofType(plan, "aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2").filter((bucket) => {
        const name = textAt(bucket, "bucket");
        return !others.some(
            (other) => other.dependencies.includes(bucket.urn) || (name && textAt(other, "bucket") === name),
        );
    });
}

function blocksAll(resource: PlannedResource): boolean {
    const blocks = ["blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"];
    return blocks.every((block) => valueAt(resource, block) === true);
}

/** A policy that a preview does not know yet is judged by the update. */
function deniesWithoutTls(resource: PlannedResource): boolean {
    if (valueAt(resource, "policy") === undefined) return true;
    return statementsOf(resource).some(
        ({ Effect, Condition }) =>
            Effect === "Deny" && String(Condition?.Bool?.["aws:SecureTransport"]) === "false",
    );
}

function statementsOf(resource: PlannedResource): Statement[] {
    try {
        const { Statement } = JSON.parse(textAt(resource, "policy") ?? "{}") as {
            Statement?: Statement | Statement[];
        };
        return Statement === undefined ? [] : [Statement].flat();
    } catch {
        return [];
    }
}

function listOf(value: string | string[] | undefined): string[] {
    return value === undefined ? [] : [value].flat();
}

function secretsOfJob(resource: PlannedResource): Finding[] {
    const options: [string, string][] = [
        ...pairs(textAt(resource, "mainArgs") ?? "", /--([\w.-]+)[\s=]+("[^"]*"|\S+)/g),
        ...pairs(textAt(resource, "sqlScript") ?? "", /'([\w.-]+)'\s*=\s*'((?:[^']|'')*)'/g),
        ...Object.entries((valueAt(resource, "flinkConf") ?? {}) as Record<string, string>),
    ];
    return options
        .filter(([key, value]) => isSecretOption(key, String(value).replace(/^"(.*)"$/, "$1")))
        .map(([key]) => ({ resource, message: `${key} is given in clear` }));
}

function pairs(text: string, pattern: RegExp): [string, string][] {
    return [...text.matchAll(pattern)].map(([, key = "", value = ""]) => [key, value]);
}
