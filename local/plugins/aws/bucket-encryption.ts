import {
    DeleteBucketEncryptionCommand,
    GetBucketEncryptionCommand,
    PutBucketEncryptionCommand,
    type ServerSideEncryption,
    type ServerSideEncryptionRule,
} from "@aws-sdk/client-s3";
import { isObject, type Properties, sameValue, type Value } from "../../../host/values.ts";
import type { Failure } from "../resource-type.ts";
import { bucketSetting } from "./bucket-setting.ts";

/** `aws.s3.BucketServerSideEncryptionConfiguration`; deleting it brings back AWS's own default. */
export const bucketEncryption = bucketSetting({
    token: "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
    inputs: ["rules"],
    validate: (inputs) => rulesOf(inputs).flatMap(ruleFailures),
    put: (s3, Bucket, inputs) =>
        s3.send(
            new PutBucketEncryptionCommand({
                Bucket,
                ServerSideEncryptionConfiguration: { Rules: rulesOf(inputs).map(toApi) },
            }),
        ),
    async get(s3, Bucket, last) {
        const answer = await s3.send(new GetBucketEncryptionCommand({ Bucket }));
        const present = (answer.ServerSideEncryptionConfiguration?.Rules ?? []).map(fromApi);
        // The API gives back what was left out as its default, which is no drift.
        const same = sameValue(present, rulesOf(last).map(toApi).map(fromApi));
        return { rules: same ? last["rules"] : present };
    },
    remove: (s3, Bucket) => s3.send(new DeleteBucketEncryptionCommand({ Bucket })),
});

function rulesOf({ rules }: Properties): Properties[] {
    return Array.isArray(rules) ? rules.filter(isObject) : [];
}

function ruleFailures(rule: Properties, index: number): Failure[] {
    if (!("blockedEncryptionTypes" in rule)) return [];
    const reason = "is not done by the stand-in for the aws plugin";
    return [{ property: `rules[${index}].blockedEncryptionTypes`, reason }];
}

function toApi(rule: Properties): ServerSideEncryptionRule {
    const byDefault = rule["applyServerSideEncryptionByDefault"];
    const applied = isObject(byDefault)
        ? {
              ApplyServerSideEncryptionByDefault: {
                  SSEAlgorithm: byDefault["sseAlgorithm"] as ServerSideEncryption,
                  KMSMasterKeyID: textOf(byDefault["kmsMasterKeyId"]),
              },
          }
        : {};
    return { ...applied, BucketKeyEnabled: rule["bucketKeyEnabled"] === true };
}

function fromApi(rule: ServerSideEncryptionRule): Properties {
    const byDefault = rule.ApplyServerSideEncryptionByDefault;
    const properties: Properties = { bucketKeyEnabled: rule.BucketKeyEnabled ?? false };
    if (byDefault?.SSEAlgorithm) {
        properties["applyServerSideEncryptionByDefault"] = {
            sseAlgorithm: byDefault.SSEAlgorithm,
            ...(byDefault.KMSMasterKeyID ? { kmsMasterKeyId: byDefault.KMSMasterKeyID } : {}),
        };
    }
    return properties;
}

function textOf(value: Value | undefined): string | undefined {
    return typeof value === "string" ? value : undefined;
}
