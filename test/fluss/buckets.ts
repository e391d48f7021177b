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
    return { name, policyName, policy, ...(await makeUser(admin, name, policy, policyName)) };
}

/** An IAM user with that policy, and a key. */
export async function makeUser(admin: S3Admin, UserName: string, policy: string, PolicyName = "own") {
    const iam = iamOf(admin);
    await iam.send(new CreateUserCommand({ UserName }));
    await iam.send(new PutUserPolicyCommand({ UserName, PolicyName, PolicyDocument: policy }));
    return makeKey(admin, UserName);
}

/** One more key of the user. */
export async function makeKey(admin: S3Admin, UserName: string) {
    const { AccessKey } = await iamOf(admin).send(new CreateAccessKeyCommand({ UserName }));
    return {
        accessKeyId: AccessKey?.AccessKeyId ?? "",
        secretAccessKey: AccessKey?.SecretAccessKey ?? "",
    };
}

/** IAM of the emulator, as its administrator. */
export function iamOf(admin: S3Admin): IAMClient {
    return new IAMClient({ ...placeOf(admin), credentials: keyOf(admin) });
}

/** A new object: the AWS SDK writes into the one that it is given. */
export function keyOf({ accessKeyId, secretAccessKey }: Pick<S3Admin, "accessKeyId" | "secretAccessKey">) {
    return { accessKeyId, secretAccessKey };
}

/** Where the emulator is, as the AWS SDK takes it. */
export function placeOf({ endpoint, region }: Pick<S3Admin, "endpoint" | "region">) {
    return { endpoint, region };
}
