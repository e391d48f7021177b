import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { S3Admin } from "./services/s3-admin.ts";

/** The AWS provider of programs that use the emulator of S3 and IAM on this machine. */
export function emulatedAws(s3: S3Admin): aws.Provider {
    return new aws.Provider("aws", {
        region: s3.region as aws.Region,
        accessKey: s3.accessKeyId,
        secretKey: pulumi.secret(s3.secretAccessKey),
        endpoints: [{ s3: s3.endpoint, iam: s3.endpoint, sts: s3.endpoint }],
        s3UsePathStyle: true,
        skipCredentialsValidation: true,
        skipMetadataApiCheck: true,
        skipRequestingAccountId: true,
    });
}
