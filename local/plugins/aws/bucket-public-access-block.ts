import {
    DeletePublicAccessBlockCommand,
    GetPublicAccessBlockCommand,
    PutPublicAccessBlockCommand,
} from "@aws-sdk/client-s3";
import { bucketSetting } from "./bucket-setting.ts";

/** `aws.s3.BucketPublicAccessBlock` */
export const bucketPublicAccessBlock = bucketSetting({
    token: "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
    inputs: [
        "blockPublicAcls",
        "blockPublicPolicy",
        "ignorePublicAcls",
        "restrictPublicBuckets",
        "skipDestroy",
    ],
    defaults: {
        blockPublicAcls: false,
        blockPublicPolicy: false,
        ignorePublicAcls: false,
        restrictPublicBuckets: false,
    },
    put: (s3, Bucket, inputs) =>
        s3.send(
            new PutPublicAccessBlockCommand({
                Bucket,
                PublicAccessBlockConfiguration: {
                    BlockPublicAcls: inputs["blockPublicAcls"] === true,
                    BlockPublicPolicy: inputs["blockPublicPolicy"] === true,
                    IgnorePublicAcls: inputs["ignorePublicAcls"] === true,
                    RestrictPublicBuckets: inputs["restrictPublicBuckets"] === true,
                },
            }),
        ),
    async get(s3, Bucket) {
        const answer = await s3.send(new GetPublicAccessBlockCommand({ Bucket }));
        const present = answer.PublicAccessBlockConfiguration;
        return {
            blockPublicAcls: present?.BlockPublicAcls ?? false,
            blockPublicPolicy: present?.BlockPublicPolicy ?? false,
            ignorePublicAcls: present?.IgnorePublicAcls ?? false,
            restrictPublicBuckets: present?.RestrictPublicBuckets ?? false,
        };
    },
    remove: async (s3, Bucket, { skipDestroy }) => {
        if (skipDestroy !== true) await s3.send(new DeletePublicAccessBlockCommand({ Bucket }));
    },
});
