import { all, each, ofType, type PlannedResource, type Rule, textAt, valueAt } from "../rule.ts";
import { at, entries, items, unknown } from "../values.ts";
import {
    bucketsWithout,
    bucketTypes,
    isAbout,
    isPublicStatement,
    isWide,
    statementsOf,
} from "../views/buckets.ts";

const accessBlock = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock";
const blocks = ["blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"];

/** Rules about who can reach buckets, and with which rights. */
export const storageRules: Rule[] = [
    {
        id: "bucket-public-access",
        title: "Every bucket blocks public access",
        why: 'A lake holds a company\'s data; a bucket without the four blocks is public after one wrong policy (quickstart, "Buckets and an Access Key").',
        fix: "Add aws.s3.BucketPublicAccessBlock with all four set to true, or use LakeBuckets.",
        level: "mandatory",
        group: "security",
        check: (plan) =>
            bucketsWithout(plan, [accessBlock], (block) =>
                blocks.every((key) => [true, unknown].includes(valueAt(block, key) as true)),
            ).map((resource) => ({ resource, message: "public access is not blocked in all four ways" })),
        remedy: {
            what: "sets the four blocks of a BucketPublicAccessBlock to true",
            types: [accessBlock],
            apply: (props) =>
                blocks.some((key) => props[key] !== true)
                    ? { ...props, ...Object.fromEntries(blocks.map((key) => [key, true])) }
                    : undefined,
        },
    },
    {
        id: "bucket-no-public-acl",
        title: "No bucket has an ACL that lets everybody in",
        why: "public-read shows every file of the lake to the world (AWS, canned ACLs).",
        fix: "Remove the ACL; LakeBuckets switches ACLs off altogether.",
        level: "mandatory",
        group: "security",
        check: each(
            all(...bucketTypes, "aws:s3/bucketAcl:BucketAcl", "aws:s3/bucketAclV2:BucketAclV2"),
            ({ resource }) =>
                /^(public-|authenticated-read)/.test(textAt(resource, "acl") ?? "")
                    ? `its ACL is ${textAt(resource, "acl")}`
                    : undefined,
        ),
    },
    {
        id: "bucket-policy-not-public",
        title: "No bucket policy allows everybody something",
        why: "Principal * without a condition is the whole internet (AWS, bucket policies).",
        fix: "Name the principals.",
        level: "mandatory",
        group: "security",
        check: each(all("aws:s3/bucketPolicy:BucketPolicy"), ({ resource }) =>
            statementsOf(resource).some(isPublicStatement)
                ? "a statement allows everybody something"
                : undefined,
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
            bucketsWithout(plan, ["aws:s3/bucketPolicy:BucketPolicy"], deniesWithoutTls).map((resource) => ({
                resource,
                message: "requests without TLS are not refused",
            })),
    },
    {
        id: "bucket-encryption",
        title: "Every bucket says how it is encrypted",
        why: "Which key encrypts the lake is a decision; without it S3 takes its own, and nobody notices a change (AWS, default encryption).",
        fix: "Add aws.s3.BucketServerSideEncryptionConfiguration, or use LakeBuckets.",
        level: "advisory",
        group: "security",
        check: (plan) =>
            bucketsWithout(
                plan,
                [
                    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
                    "aws:s3/bucketServerSideEncryptionConfigurationV2:BucketServerSideEncryptionConfigurationV2",
                ],
                () => true,
            )
                .filter((bucket) => valueAt(bucket, "serverSideEncryptionConfiguration") === undefined)
                .map((resource) => ({ resource, message: "nothing says how it is encrypted" })),
    },
    {
        id: "iam-least-privilege",
        title: "No policy allows every action or everything in S3 on every bucket",
        why: 'The key of the Fluss servers and the lake needs five S3 actions on two buckets (quickstart, "Buckets and an Access Key").',
        fix: "Name the actions and the buckets, or use LakeBuckets.",
        level: "mandatory",
        group: "security",
        check: each(
            all(
                "aws:iam/userPolicy:UserPolicy",
                "aws:iam/rolePolicy:RolePolicy",
                "aws:iam/groupPolicy:GroupPolicy",
                "aws:iam/policy:Policy",
            ),
            ({ resource }) =>
                statementsOf(resource).some(isWide) ? "a statement allows more than it needs" : undefined,
        ),
    },
    {
        id: "iam-managed-policy",
        title: "Nobody gets a managed policy that allows all of S3, or all of AWS",
        why: 'AmazonS3FullAccess reaches every bucket of the account, and the jobs need two (quickstart, "Buckets and an Access Key").',
        fix: "Attach a policy of your own; LakeBuckets.platformPolicy has the text of one.",
        level: "mandatory",
        group: "security",
        check: each(
            all(
                "aws:iam/userPolicyAttachment:UserPolicyAttachment",
                "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
                "aws:iam/groupPolicyAttachment:GroupPolicyAttachment",
                "aws:iam/policyAttachment:PolicyAttachment",
            ),
            ({ resource }) => {
                const [name] =
                    /(AmazonS3FullAccess|AdministratorAccess|PowerUserAccess|IAMFullAccess)$/.exec(
                        textAt(resource, "policyArn") ?? "",
                    ) ?? [];
                return name ? `attaches ${name}` : undefined;
            },
        ),
    },
    {
        id: "kubernetes-least-privilege",
        title: "No role in Kubernetes may do everything",
        why: "The platform manages Deployments, Jobs, Services, ConfigMaps, Pods and Secrets in the job namespace (VVP documentation); a * is the whole cluster's.",
        fix: "List resources and verbs, as kubernetes.grant of VvpWorkspaceSetup does.",
        level: "advisory",
        group: "security",
        check: each(
            all(
                "kubernetes:rbac.authorization.k8s.io/v1:Role",
                "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole",
            ),
            ({ resource }) =>
                items(valueAt(resource, "rules")).some((rule) =>
                    ["verbs", "resources"].some((key) => items(at(rule, key)).includes("*")),
                )
                    ? "a rule has a * for verbs or resources"
                    : undefined,
        ),
    },
    {
        id: "bucket-not-emptied",
        title: "No bucket is emptied when it is deleted",
        why: "forceDestroy deletes every file of the lake with the bucket, and nothing brings them back (AWS).",
        fix: "Leave forceDestroy out; empty a bucket by hand when you mean it.",
        level: "advisory",
        group: "reliability",
        check: each(all(...bucketTypes), ({ resource }) =>
            valueAt(resource, "forceDestroy") === true ? "is emptied when it is deleted" : undefined,
        ),
    },
    {
        id: "versions-expire",
        title: "A versioned bucket drops its former versions some day",
        why: "Iceberg and Fluss rewrite and delete many files; each former version is paid for, for ever (AWS, versioning).",
        fix: "Add a lifecycle rule with noncurrentVersionExpiration; LakeBuckets has expireNoncurrentAfterDays.",
        level: "advisory",
        group: "cost",
        check: (plan) => {
            const versioned = ofType(
                plan,
                "aws:s3/bucketVersioning:BucketVersioning",
                "aws:s3/bucketVersioningV2:BucketVersioningV2",
            ).filter((one) => textAt(one, "versioningConfiguration.status") === "Enabled");
            return bucketsWithout(
                plan,
                [
                    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
                    "aws:s3/bucketLifecycleConfigurationV2:BucketLifecycleConfigurationV2",
                ],
                expiresVersions,
            )
                .filter((bucket) => versioned.some((one) => isAbout(one, bucket)))
                .map((resource) => ({ resource, message: "keeps every former version of every file" }));
        },
    },
];

/** A policy that a preview does not know yet is judged by the update. */
function deniesWithoutTls(resource: PlannedResource): boolean {
    if (valueAt(resource, "policy") === unknown) return true;
    return statementsOf(resource).some(
        (statement) =>
            statement["Effect"] === "Deny" &&
            String(at(statement, "Condition", "Bool", "aws:SecureTransport")) === "false",
    );
}

function expiresVersions(lifecycle: PlannedResource): boolean {
    const rules = valueAt(lifecycle, "rules");
    if (rules === unknown) return true;
    return items(rules).some((rule) => {
        const expiration = at(rule, "noncurrentVersionExpiration");
        return expiration === unknown || entries(expiration).length > 0;
    });
}
