import { ofType, type PlannedResource, textAt, valueAt } from "../rule.ts";
import { at, items, text } from "../values.ts";

/** A statement of an IAM policy. */
export type Statement = Record<string, unknown>;

/** Buckets that no resource of the other types, which fulfils the condition, is about. */
export function bucketsWithout(
    plan: readonly PlannedResource[],
    types: readonly string[],
    fulfils: (resource: PlannedResource) => boolean,
): PlannedResource[] {
    const others = ofType(plan, ...types).filter(fulfils);
    return buckets(plan).filter((bucket) => !others.some((other) => isAbout(other, bucket)));
}

/** Types of buckets: the newest and its forerunner. */
export const bucketTypes = ["aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2"] as const;

/** The buckets in the plan. */
export function buckets(plan: readonly PlannedResource[]): PlannedResource[] {
    return ofType(plan, ...bucketTypes);
}

/** True when the resource sets something of the bucket: it names it, or is made from its outputs. */
export function isAbout(resource: PlannedResource, bucket: PlannedResource): boolean {
    const name = textAt(bucket, "bucket");
    return (
        resource.dependencies.includes(bucket.urn) ||
        (name !== undefined && textAt(resource, "bucket") === name)
    );
}

/** The statements of a resource's policy; none when it is unknown or cannot be read. */
export function statementsOf(resource: PlannedResource): Statement[] {
    const policy = valueAt(resource, "policy");
    const statements = at(typeof policy === "string" ? parsed(policy) : policy, "Statement");
    return [statements ?? []]
        .flat()
        .filter((one): one is Statement => typeof one === "object" && one !== null);
}

/** Allows every action, all of S3, or something in S3 on every bucket; that buckets are listed cannot be limited to one. */
export function isWide(statement: Statement): boolean {
    const actions = listOf(statement["Action"]);
    const everywhere = listOf(statement["Resource"]).some((target) =>
        /^(\*|arn:aws[\w-]*:s3:::\*)$/.test(target),
    );
    const inS3 = actions.some((action) => /^s3:/i.test(action) && action !== "s3:ListAllMyBuckets");
    return (
        statement["Effect"] === "Allow" &&
        (actions.some((action) => action === "*" || action === "s3:*") || (everywhere && inS3))
    );
}

/** Allows everybody something, whatever the condition would be. */
export function isPublicStatement(statement: Statement): boolean {
    const principal = statement["Principal"];
    const everybody = principal === "*" || listOf(at(principal, "AWS")).includes("*");
    return statement["Effect"] === "Allow" && everybody && statement["Condition"] === undefined;
}

function listOf(value: unknown): string[] {
    return (typeof value === "string" ? [value] : items(value)).flatMap((one) => text(one) ?? []);
}

function parsed(json: string): unknown {
    try {
        return JSON.parse(json);
    } catch {
        return undefined;
    }
}
