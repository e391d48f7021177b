import * as z from "zod";
import { bytes, type FieldTable, folder, httpUrl, shapeOf, storageLayout } from "./fields.ts";

const arn = z.string().trim().min(1).optional();

/** S3, or a store that speaks its protocol (fields and limits: 0.13.3 observed). */
export const s3Fields = {
    type: { schema: z.literal("s3"), change: "replace" },
    bucket: {
        schema: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, {
            error: "must be a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens",
        }),
        change: "replace",
    },
    /** Without it the warehouse takes the whole bucket, and no other can be in it. */
    keyPrefix: { schema: folder(896), change: "replace" },
    region: {
        schema: z
            .string()
            .min(1)
            .refine((text) => bytes(text) <= 128, { error: "must not be longer than 128 bytes" }),
        // With an endpoint the region is only a word in signatures (0.12 and newer).
        change: (wanted) => (wanted["endpoint"] === undefined ? "replace" : "update"),
    },
    /** For stores other than AWS, as the Lakekeeper server reaches it: `http://minio:9000`. */
    endpoint: { schema: httpUrl.optional(), change: "update" },
    /** `s3-compat` for stores other than AWS. Default `aws`. */
    flavor: { schema: z.enum(["aws", "s3-compat"]).default("aws"), change: "update" },
    pathStyleAccess: { schema: z.boolean().optional(), change: "update" },
    assumeRoleArn: { schema: arn, change: "update" },
    /** Give short-lived keys to clients. Default false: the store may have no STS. */
    stsEnabled: { schema: z.boolean().default(false), change: "update" },
    stsRoleArn: { schema: arn, change: "update" },
    stsEndpoint: { schema: httpUrl.optional(), change: "update", since: "0.12.0" },
    stsTokenValiditySeconds: { schema: z.int().positive().default(3600), change: "update" },
    /** 0.10 knows them, but tries the storage without them (lakekeeper#1411). */
    stsSessionTags: {
        schema: z.record(z.string(), z.string()).default({}),
        change: "update",
        since: "0.11.0",
    },
    /** Let `s3a://` and `s3n://` stand for `s3://` in table locations. Default false. */
    allowAlternativeProtocols: { schema: z.boolean().default(false), change: "update" },
    remoteSigningEnabled: { schema: z.boolean().default(true), change: "update", since: "0.11.0" },
    remoteSigningUrlStyle: {
        schema: z.enum(["path", "virtual_host", "auto"]).default("auto"),
        change: "update",
    },
    pushS3DeleteDisabled: { schema: z.boolean().default(true), change: "update" },
    awsKmsKeyArn: { schema: arn, change: "update" },
    /** Send Content-MD5 with multi-object deletes, which some older stores want. */
    legacyMd5Behavior: { schema: z.boolean().optional(), change: "update", since: "0.11.0" },
    storageLayout,
} satisfies FieldTable;

export const s3Storage = z
    .strictObject(shapeOf(s3Fields))
    .transform((storage) => ({
        ...storage,
        // The server cuts the bucket off an endpoint that ends with it.
        endpoint: storage.endpoint && withoutBucket(storage.endpoint, storage.bucket),
    }))
    .superRefine((storage, issues) => {
        if (storage.endpoint && new URL(storage.endpoint).pathname !== "/") {
            issues.addIssue({ code: "custom", path: ["endpoint"], message: "must not have a path" });
        }
        if (storage.flavor === "aws" && storage.stsEnabled && !storage.stsRoleArn && !storage.assumeRoleArn) {
            issues.addIssue({
                code: "custom",
                path: ["stsRoleArn"],
                message: "is missing: flavor aws with stsEnabled needs stsRoleArn or assumeRoleArn",
            });
        }
    });

function withoutBucket(endpoint: string, bucket: string): string {
    const url = new URL(endpoint);
    if (url.pathname === `/${bucket}`) url.pathname = "/";
    return url.href;
}
