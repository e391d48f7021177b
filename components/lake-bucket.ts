// The index of the package would load three hundred modules more.
import type * as aws from "@pulumi/aws";
import * as s3 from "@pulumi/aws/s3/index.js";
import type * as pulumi from "@pulumi/pulumi";
import { refuseWithoutTls } from "./lake-bucket-policies.ts";

/** How each of the two buckets is set up. */
export interface BucketSettings {
    /**
     * Deletes the objects together with their bucket on `destroy`. Default false: a bucket that holds anything
     * stops the `destroy`.
     */
    forceDestroy?: boolean;
    /** Pulumi refuses to delete or replace the buckets while this is true. Default true. */
    deletionProtection?: boolean;
    /**
     * Refuses requests without TLS by a bucket policy. Default true, and false for an S3-compatible store, of which not every
     * one knows the condition; false is also for emulators without TLS.
     */
    tlsOnly?: boolean;
    /**
     * ARN of the KMS key that encrypts the objects, not of an alias: no policy can name a key by that. Users get the right to use it; the key's own policy must let IAM policies
     * decide, as the default one does. Default: S3's own keys (AES256).
     */
    kmsKey?: pulumi.Input<string>;
    /**
     * Keeps former versions of objects. Iceberg and Fluss delete and rewrite many, so that every version is paid for until
     * `expireNoncurrentAfterDays`, which is needed with it. Default false.
     */
    versioning?: boolean;
    /**
     * Days after which a former version of an object is deleted. Without `versioning` it clears up what a bucket still has from the
     * time when it was versioned.
     */
    expireNoncurrentAfterDays?: number;
    /** Days after which the parts of an upload that never ended are deleted. Default: never. */
    abortUploadsAfterDays?: number;
    /** Tags of the buckets and the IAM user. */
    tags?: Record<string, pulumi.Input<string>>;
}

/**
 * One bucket with public access blocked, encrypted, owned by its account, and with the settings that were asked for. In an
 * S3-compatible store only the latter: its buckets are private from the beginning, and the calls for the rest are AWS's.
 */
export function makeBucket(
    parent: pulumi.Resource,
    name: string,
    bucketName: pulumi.Input<string> | undefined,
    settings: BucketSettings,
    store: "aws" | "s3Compatible",
): s3.Bucket {
    const onAws = store === "aws";
    const { forceDestroy = false, deletionProtection = true, tlsOnly = onAws, tags } = settings;
    const made = new s3.Bucket(
        name,
        { bucket: bucketName, forceDestroy, tags },
        { parent, protect: deletionProtection },
    );
    const bucket = made.bucket;
    const child = { parent, deletedWith: made };
    const guards = onAws ? addGuards(name, bucket, settings, child) : [];
    if (tlsOnly) {
        // S3 refuses two changes of a bucket's access at once, hence one after the other.
        new s3.BucketPolicy(
            `${name}-tls-only`,
            { bucket, policy: refuseWithoutTls(made.arn) },
            { ...child, dependsOn: guards },
        );
    }
    addLifecycle(name, bucket, settings, child);
    return made;
}

/** @returns what changes the bucket's access */
function addGuards(
    name: string,
    bucket: pulumi.Output<string>,
    { kmsKey }: BucketSettings,
    child: pulumi.CustomResourceOptions,
): pulumi.Resource[] {
    const publicAccess = new s3.BucketPublicAccessBlock(
        `${name}-public-access`,
        {
            bucket,
            blockPublicAcls: true,
            blockPublicPolicy: true,
            ignorePublicAcls: true,
            restrictPublicBuckets: true,
        },
        child,
    );
    new s3.BucketServerSideEncryptionConfiguration(
        `${name}-encryption`,
        { bucket, rules: [encryptionRule(kmsKey)] },
        child,
    );
    new s3.BucketOwnershipControls(
        `${name}-ownership`,
        { bucket, rule: { objectOwnership: "BucketOwnerEnforced" } },
        child,
    );
    return [publicAccess];
}

function encryptionRule(kmsKey: pulumi.Input<string> | undefined) {
    if (kmsKey === undefined) return { applyServerSideEncryptionByDefault: { sseAlgorithm: "AES256" } };
    return {
        applyServerSideEncryptionByDefault: { sseAlgorithm: "aws:kms", kmsMasterKeyId: kmsKey },
        // One call of KMS for many objects; without it every file of a table costs one.
        bucketKeyEnabled: true,
    };
}

function addLifecycle(
    name: string,
    bucket: pulumi.Output<string>,
    { versioning = false, expireNoncurrentAfterDays, abortUploadsAfterDays }: BucketSettings,
    child: pulumi.CustomResourceOptions,
): void {
    const versioned = versioning
        ? [
              new s3.BucketVersioning(
                  `${name}-versioning`,
                  { bucket, versioningConfiguration: { status: "Enabled" } },
                  child,
              ),
          ]
        : [];
    const rules: aws.types.input.s3.BucketLifecycleConfigurationRule[] = [];
    if (expireNoncurrentAfterDays !== undefined) {
        const noncurrentVersionExpiration = { noncurrentDays: expireNoncurrentAfterDays };
        rules.push({ id: "former-versions", status: "Enabled", filter: {}, noncurrentVersionExpiration });
    }
    if (abortUploadsAfterDays !== undefined) {
        const abortIncompleteMultipartUpload = { daysAfterInitiation: abortUploadsAfterDays };
        rules.push({
            id: "uploads-that-never-ended",
            status: "Enabled",
            filter: {},
            abortIncompleteMultipartUpload,
        });
    }
    if (rules.length > 0) {
        new s3.BucketLifecycleConfiguration(
            `${name}-lifecycle`,
            { bucket, rules },
            { ...child, dependsOn: versioned },
        );
    }
}
