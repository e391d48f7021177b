import type { Plugin } from "../resource-type.ts";
import { accessKey } from "./access-key.ts";
import { bucket } from "./bucket.ts";
import { bucketEncryption } from "./bucket-encryption.ts";
import { bucketLifecycle } from "./bucket-lifecycle.ts";
import { bucketOwnershipControls } from "./bucket-ownership-controls.ts";
import { bucketPolicy } from "./bucket-policy.ts";
import { bucketPublicAccessBlock } from "./bucket-public-access-block.ts";
import { bucketVersioning } from "./bucket-versioning.ts";
import { type AwsContext, awsContext, withoutSecrets } from "./context.ts";
import { awsFunctions } from "./functions.ts";
import { role } from "./role.ts";
import { rolePolicy } from "./role-policy.ts";
import { user } from "./user.ts";
import { userPolicy } from "./user-policy.ts";

/** Stand-in for the aws package's plugin: S3 buckets with their settings, and IAM users, keys, roles and policies. */
export const awsPlugin: Plugin<AwsContext> = {
    name: "aws",
    sdk: "@pulumi/aws",
    options: [
        "accessKey",
        "endpoints",
        "insecure",
        "maxRetries",
        "region",
        "retryMode",
        "s3UsEast1RegionalEndpoint",
        "s3UsePathStyle",
        "secretKey",
        "skipCredentialsValidation",
        "skipMetadataApiCheck",
        "skipRegionValidation",
        "skipRequestingAccountId",
        "stsRegion",
        "token",
    ],
    types: [
        bucket,
        bucketPublicAccessBlock,
        bucketEncryption,
        bucketOwnershipControls,
        bucketPolicy,
        bucketLifecycle,
        bucketVersioning,
        user,
        userPolicy,
        accessKey,
        role,
        rolePolicy,
    ],
    functions: awsFunctions,
    configure: awsContext,
    explain: (error, context) =>
        withoutSecrets(error instanceof Error ? error.message : String(error), context?.secrets ?? []),
};
