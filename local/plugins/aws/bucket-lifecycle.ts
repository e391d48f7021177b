import {
    DeleteBucketLifecycleCommand,
    GetBucketLifecycleConfigurationCommand,
    type LifecycleRule,
    PutBucketLifecycleConfigurationCommand,
} from "@aws-sdk/client-s3";
import { isObject, type Properties, sameValue } from "../../../host/values.ts";
import type { Failure } from "../resource-type.ts";
import { bucketSetting } from "./bucket-setting.ts";

/** `aws.s3.BucketLifecycleConfiguration`, of which the stand-in does the two rules that a lake needs, for all objects. */
export const bucketLifecycle = bucketSetting({
    token: "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
    inputs: ["rules"],
    validate: (inputs) => rulesOf(inputs).flatMap(ruleFailures),
    put: (s3, Bucket, inputs) =>
        s3.send(
            new PutBucketLifecycleConfigurationCommand({
                Bucket,
                LifecycleConfiguration: { Rules: rulesOf(inputs).map(toApi) },
            }),
        ),
    async get(s3, Bucket, last) {
        const answer = await s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }));
        const present = (answer.Rules ?? []).map(fromApi);
        // The API may write an empty filter as an empty prefix, which is no drift.
        const same = sameValue(present, rulesOf(last).map(toApi).map(fromApi));
        return { rules: same ? last["rules"] : present };
    },
    remove: (s3, Bucket) => s3.send(new DeleteBucketLifecycleCommand({ Bucket })),
});

const known = ["id", "status", "filter", "noncurrentVersionExpiration", "abortIncompleteMultipartUpload"];

function rulesOf({ rules }: Properties): Properties[] {
    return Array.isArray(rules) ? rules.filter(isObject) : [];
}

function ruleFailures(rule: Properties, index: number): Failure[] {
    const { filter } = rule;
    const filtered = isObject(filter) && Object.keys(filter).length > 0 ? ["filter"] : [];
    return [...Object.keys(rule).filter((name) => !known.includes(name)), ...filtered].map((name) => ({
        property: `rules[${index}].${name}`,
        reason: "is not done by the stand-in for the aws plugin",
    }));
}

function toApi(rule: Properties): LifecycleRule {
    const former = rule["noncurrentVersionExpiration"];
    const uploads = rule["abortIncompleteMultipartUpload"];
    return {
        ID: String(rule["id"]),
        Status: rule["status"] === "Enabled" ? "Enabled" : "Disabled",
        Filter: { Prefix: "" },
        ...(isObject(former)
            ? { NoncurrentVersionExpiration: { NoncurrentDays: Number(former["noncurrentDays"]) } }
            : {}),
        ...(isObject(uploads)
            ? {
                  AbortIncompleteMultipartUpload: {
                      DaysAfterInitiation: Number(uploads["daysAfterInitiation"]),
                  },
              }
            : {}),
    };
}

function fromApi(rule: LifecycleRule): Properties {
    const { NoncurrentVersionExpiration: former, AbortIncompleteMultipartUpload: uploads } = rule;
    return {
        id: rule.ID ?? "",
        status: rule.Status ?? "",
        ...(former?.NoncurrentDays
            ? { noncurrentVersionExpiration: { noncurrentDays: former.NoncurrentDays } }
            : {}),
        ...(uploads?.DaysAfterInitiation
            ? { abortIncompleteMultipartUpload: { daysAfterInitiation: uploads.DaysAfterInitiation } }
            : {}),
    };
}
