import {
    CreateAccessKeyCommand,
    CreateUserCommand,
    IAMClient,
    PutUserPolicyCommand,
} from "@aws-sdk/client-iam";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import type { S3Admin } from "../../local/services/index.ts";

/** The buckets, and the quickstart's IAM user with the quickstart's policy. */
export async function makeBuckets(admin: S3Admin, buckets: { remote: string; lake: string }) {
    const access = { ...placeOf(admin), credentials: keyOf(admin) };
    const s3 = new S3Client({ ...access, forcePathStyle: true });
    for (const Bucket of Object.values(buckets)) await s3.send(new CreateBucketCommand({ Bucket }));
    const iam = new IAMClient(access);
    const name = "fluss";
    const policyName = "fluss-buckets";
    const arns = Object.values(buckets).map((bucket) => `arn:aws:s3:::${bucket}`);
    const policy = JSON.stringify({
        Version: "2012-10-17",
        Statement: [
            { Effect: "Allow", Action: ["s3:ListBucket", "s3:GetBucketLocation"], Resource: arns },
            {
                Effect: "Allow",
                Action: ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
                Resource: arns.map((arn) => `${arn}/*`),
            },
        ],
    });
    await iam.send(new CreateUserCommand({ UserName: name }));
    await iam.send(
        new PutUserPolicyCommand({ UserName: name, PolicyName: policyName, PolicyDocument: policy }),
    );
    const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName: name }));
    return {
        name,
        policyName,
        policy,
        accessKeyId: AccessKey?.AccessKeyId ?? "",
        secretAccessKey: AccessKey?.SecretAccessKey ?? "",
    };
}

/** A new object: the AWS SDK writes into the one that it is given. */
export function keyOf({ accessKeyId, secretAccessKey }: S3Admin) {
    return { accessKeyId, secretAccessKey };
}

/** Where the emulator is, as the AWS SDK takes it. */
export function placeOf({ endpoint, region }: S3Admin) {
    return { endpoint, region };
}
