import {
    DeleteBucketPolicyCommand,
    GetBucketPolicyCommand,
    PutBucketPolicyCommand,
} from "@aws-sdk/client-s3";
import { bucketSetting } from "./bucket-setting.ts";
import { policyFailures, presentPolicy } from "./policy-text.ts";

/** `aws.s3.BucketPolicy` */
export const bucketPolicy = bucketSetting({
    token: "aws:s3/bucketPolicy:BucketPolicy",
    inputs: ["policy"],
    jsonInputs: ["policy"],
    validate: policyFailures,
    put: (s3, Bucket, { policy }) => s3.send(new PutBucketPolicyCommand({ Bucket, Policy: String(policy) })),
    async get(s3, Bucket, last) {
        const { Policy } = await s3.send(new GetBucketPolicyCommand({ Bucket }));
        return Policy ? { policy: presentPolicy(Policy, last["policy"]) } : undefined;
    },
    remove: (s3, Bucket) => s3.send(new DeleteBucketPolicyCommand({ Bucket })),
});
