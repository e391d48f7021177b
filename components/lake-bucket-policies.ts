import * as pulumi from "@pulumi/pulumi";

/** What a policy gives rights to. */
export interface PolicyTarget {
    /** ARNs of the buckets. */
    buckets: pulumi.Input<string>[];
    /** ARN of the KMS key that encrypts them, if one does. */
    kmsKey?: pulumi.Input<string>;
    /** ARN of a role that may be assumed. */
    assumedRole?: pulumi.Input<string>;
}

/**
 * The policy of the quickstart: list and locate the buckets; read and, with `readWrite`, write and delete objects in
 * them. Beyond the quickstart: parts of an upload that failed may be listed and given up, for they are paid for until
 * somebody does; and with a KMS key its use, without which S3 refuses every object.
 */
export function bucketPolicy(
    { buckets, kmsKey, assumedRole }: PolicyTarget,
    access: "read" | "readWrite",
): pulumi.Output<string> {
    const write = access === "readWrite";
    const objects = ["s3:GetObject", ...(write ? ["s3:PutObject", "s3:DeleteObject"] : [])];
    const parts = write ? ["s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"] : [];
    const listing = ["s3:ListBucket", "s3:GetBucketLocation"];
    return pulumi.jsonStringify({
        Version: "2012-10-17",
        Statement: [
            {
                Effect: "Allow",
                Action: [...listing, ...(write ? ["s3:ListBucketMultipartUploads"] : [])],
                Resource: buckets,
            },
            {
                Effect: "Allow",
                Action: [...objects, ...parts],
                Resource: buckets.map((arn) => pulumi.interpolate`${arn}/*`),
            },
            ...(kmsKey === undefined
                ? []
                : [
                      {
                          Effect: "Allow",
                          Action: ["kms:Decrypt", ...(write ? ["kms:GenerateDataKey"] : [])],
                          Resource: kmsKey,
                      },
                  ]),
            ...(assumedRole === undefined
                ? []
                : [{ Effect: "Allow", Action: "sts:AssumeRole", Resource: assumedRole }]),
        ],
    });
}

/** Denies everybody every request without TLS. */
export function refuseWithoutTls(bucketArn: pulumi.Output<string>): pulumi.Output<string> {
    return pulumi.jsonStringify({
        Version: "2012-10-17",
        Statement: [
            {
                Sid: "RefuseWithoutTls",
                Effect: "Deny",
                Principal: "*",
                Action: "s3:*",
                Resource: [bucketArn, pulumi.interpolate`${bucketArn}/*`],
                Condition: { Bool: { "aws:SecureTransport": "false" } },
            },
        ],
    });
}
