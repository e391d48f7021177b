import {
    DeleteBucketOwnershipControlsCommand,
    GetBucketOwnershipControlsCommand,
    ObjectOwnership,
    PutBucketOwnershipControlsCommand,
} from "@aws-sdk/client-s3";
import { isObject, type Properties } from "../../../host/values.ts";
import type { Failure } from "../resource-type.ts";
import { bucketSetting } from "./bucket-setting.ts";

/** `aws.s3.BucketOwnershipControls` */
export const bucketOwnershipControls = bucketSetting({
    token: "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
    inputs: ["rule"],
    validate: ruleFailures,
    put: (s3, Bucket, inputs) =>
        s3.send(
            new PutBucketOwnershipControlsCommand({
                Bucket,
                OwnershipControls: { Rules: [{ ObjectOwnership: ownershipOf(inputs) }] },
            }),
        ),
    async get(s3, Bucket) {
        const answer = await s3.send(new GetBucketOwnershipControlsCommand({ Bucket }));
        const objectOwnership = answer.OwnershipControls?.Rules?.[0]?.ObjectOwnership;
        return objectOwnership ? { rule: { objectOwnership } } : undefined;
    },
    remove: (s3, Bucket) => s3.send(new DeleteBucketOwnershipControlsCommand({ Bucket })),
});

function ruleFailures(inputs: Properties): Failure[] {
    if (!("rule" in inputs) || ownershipOf(inputs)) return [];
    const reason = `must be one of ${Object.values(ObjectOwnership).join(", ")}`;
    return [{ property: "rule.objectOwnership", reason }];
}

function ownershipOf({ rule }: Properties): ObjectOwnership | undefined {
    const wanted = isObject(rule) ? rule["objectOwnership"] : undefined;
    return Object.values(ObjectOwnership).find((known) => known === wanted);
}
