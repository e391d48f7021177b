import {
    type BucketLocationConstraint,
    CreateBucketCommand,
    DeleteBucketCommand,
    DeleteBucketTaggingCommand,
    DeleteObjectsCommand,
    GetBucketTaggingCommand,
    HeadBucketCommand,
    ListObjectVersionsCommand,
    PutBucketTaggingCommand,
    type S3Client,
} from "@aws-sdk/client-s3";
import { sameValue, type Value } from "../../../host/values.ts";
import { IncompleteError, type ResourceType } from "../resource-type.ts";
import { AwsCallError, unlessGone } from "./call-error.ts";
import type { AwsContext } from "./context.ts";
import { allTags, tagList, tagOutputs } from "./tags.ts";

/** `aws.s3.Bucket` with name, tags and `forceDestroy`; everything else has resources of its own. */
export const bucket: ResourceType<AwsContext> = {
    token: "aws:s3/bucket:Bucket",
    inputs: ["bucket", "bucketPrefix", "forceDestroy", "region", "tags"],
    forceNew: ["bucket", "bucketPrefix", "region"],
    outputs: ["arn", "bucketDomainName", "bucketRegion", "bucketRegionalDomainName", "region", "tagsAll"],
    unstableOutputs: ["tagsAll"],
    defaults: { forceDestroy: false },
    autoName: { property: "bucket", prefixInput: "bucketPrefix", lowerCase: true },
    validate({ bucket: name, bucketPrefix }) {
        // The check comes before names are generated, so both are what the program gave.
        const both = name !== undefined && bucketPrefix !== undefined;
        return both ? [{ property: "bucketPrefix", reason: "conflicts with bucket: give one of them" }] : [];
    },
    async create(aws, inputs) {
        const name = String(inputs["bucket"]);
        const region = String(inputs["region"] ?? aws.region);
        const s3 = aws.s3(region);
        await createOwned(s3, name, region);
        const outputs = { ...addressesOf(aws, name, region), region, tagsAll: allTags(inputs["tags"]) };
        try {
            if (inputs["tags"]) await putTags(s3, name, inputs["tags"]);
        } catch (error) {
            throw new IncompleteError({ id: name, outputs }, error);
        }
        return { id: name, outputs };
    },
    async read(aws, id, outputs) {
        const s3 = aws.s3(outputs["region"]);
        if (!(await unlessGone(s3.send(new HeadBucketCommand({ Bucket: id }))))) return undefined;
        const region = String(outputs["region"] ?? aws.region);
        const tags = await unlessGone(s3.send(new GetBucketTaggingCommand({ Bucket: id })));
        return { bucket: id, region, ...addressesOf(aws, id, region), ...tagOutputs(tags?.TagSet) };
    },
    async update(aws, { id, olds, news }) {
        const s3 = aws.s3(olds["region"]);
        // After an incomplete creation the last outputs name tags that were not set.
        const present = tagOutputs(
            (await unlessGone(s3.send(new GetBucketTaggingCommand({ Bucket: id }))))?.TagSet,
        );
        if (!sameValue(present.tagsAll, allTags(news["tags"]))) await putTags(s3, id, news["tags"]);
        return { tagsAll: allTags(news["tags"]) };
    },
    async delete(aws, id, outputs) {
        const s3 = aws.s3(outputs["region"]);
        if (outputs["forceDestroy"] === true) await unlessGone(empty(s3, id));
        await unlessGone(s3.send(new DeleteBucketCommand({ Bucket: id })));
    },
};

/** A bucket that this account owns already is taken over: a killed run may have left it. */
async function createOwned(s3: S3Client, name: string, region: string): Promise<void> {
    // us-east-1 is where buckets are by default, and the API refuses it as a constraint.
    const placed =
        region === "us-east-1"
            ? {}
            : { CreateBucketConfiguration: { LocationConstraint: region as BucketLocationConstraint } };
    try {
        await s3.send(new CreateBucketCommand({ Bucket: name, ...placed }));
    } catch (error) {
        if (!(error instanceof AwsCallError && error.code === "BucketAlreadyOwnedByYou")) throw error;
    }
}

function addressesOf(aws: AwsContext, name: string, region: string) {
    return {
        arn: `arn:${aws.partition}:s3:::${name}`,
        bucketDomainName: `${name}.s3.amazonaws.com`,
        bucketRegion: region,
        bucketRegionalDomainName: `${name}.s3.${region}.amazonaws.com`,
    };
}

async function putTags(s3: S3Client, name: string, tags: Value | undefined): Promise<void> {
    const TagSet = tagList(tags);
    await (TagSet.length > 0
        ? s3.send(new PutBucketTaggingCommand({ Bucket: name, Tagging: { TagSet } }))
        : s3.send(new DeleteBucketTaggingCommand({ Bucket: name })));
}

/** Deletes all versions of all objects, page by page. */
async function empty(s3: S3Client, name: string): Promise<void> {
    for (;;) {
        const page = await s3.send(new ListObjectVersionsCommand({ Bucket: name }));
        const found = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])];
        if (found.length === 0) return;
        const Objects = found.map(({ Key, VersionId }) => ({ Key, VersionId }));
        const answer = await s3.send(
            new DeleteObjectsCommand({ Bucket: name, Delete: { Objects, Quiet: true } }),
        );
        const [refused] = answer.Errors ?? [];
        if (refused) throw new Error(`cannot empty bucket '${name}': ${refused.Key}: ${refused.Code}`);
    }
}
