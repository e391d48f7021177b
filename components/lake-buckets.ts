import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";

/** Arguments of {@link LakeBuckets}. */
export interface LakeBucketsArgs {
    /** The AWS region of both buckets, for example `eu-central-1`. It must be the region of the AWS provider. */
    region: string;
    /**
     * Name of the bucket for the cluster's remote storage. S3 names are global: 3 to 63 of `a-z0-9.-`.
     * Default: a name from the component's name and random characters.
     */
    remoteBucket?: pulumi.Input<string>;
    /** Name of the bucket for the tiered lake. Default: as for `remoteBucket`. */
    lakeBucket?: pulumi.Input<string>;
    /**
     * Deletes the objects together with their bucket on `destroy`. Default false: a bucket that holds anything
     * stops the `destroy`.
     */
    forceDestroy?: boolean;
    /** Pulumi refuses to delete or replace the buckets while this is true. Default true. */
    deletionProtection?: boolean;
    /** Refuses requests without TLS by a bucket policy. Default true; false is for emulators without TLS. */
    tlsOnly?: boolean;
    /** Tags of the buckets and the IAM user. */
    tags?: Record<string, pulumi.Input<string>>;
    /**
     * The platform's own IAM principal, with whose rights its jobs reach the lake's bucket when neither catalog nor job gives
     * them a key ("Running Lakehouse Jobs", "Running on Ververica Platform 3"). Gets {@link LakeBuckets.platformPolicy}.
     * Default: none; the policy is an output all the same.
     */
    platformPrincipal?: PlatformPrincipal;
    /**
     * What the platform's jobs do in the lake: `readWrite` (default) for the tiering job, `read` where they only query it.
     */
    platformAccess?: "read" | "readWrite";
}

/** An IAM role, as with IRSA, or an IAM user, by name. It exists already. */
export type PlatformPrincipal = { role: pulumi.Input<string> } | { user: pulumi.Input<string> };

/** An S3 key pair. */
export interface AccessKeyPair {
    /** `<AWS_ACCESS_KEY_ID>` of the quickstart. */
    accessKeyId: pulumi.Output<string>;
    /** `<AWS_SECRET_ACCESS_KEY>` of the quickstart; a secret. */
    secretAccessKey: pulumi.Output<string>;
}

/**
 * The two buckets of the quickstart, "Buckets and an Access Key": one for the cluster's remote storage, one for the
 * tiered lake, both with public access blocked, encrypted and owned by the bucket's account; and an IAM user whose
 * key may read and write both and nothing else.
 */
export class LakeBuckets extends pulumi.ComponentResource {
    /** Name of the remote storage's bucket. */
    readonly remoteBucket: pulumi.Output<string>;
    /** Name of the lake's bucket. */
    readonly lakeBucket: pulumi.Output<string>;
    /** The region of both. */
    readonly region: string;
    /** The key of the IAM user; the Fluss servers and the Lakekeeper warehouse use it. */
    readonly key: AccessKeyPair;
    /**
     * Least rights of the platform's principal, as the text of an IAM policy: the lake's bucket only. The remote storage is
     * reached with credentials that the Fluss servers hand out.
     */
    readonly platformPolicy: pulumi.Output<string>;
    /** The resources that were made, for what this component does not offer. */
    readonly nodes: {
        remote: aws.s3.Bucket;
        lake: aws.s3.Bucket;
        user: aws.iam.User;
        accessKey: aws.iam.AccessKey;
    };

    constructor(name: string, args: LakeBucketsArgs, opts?: pulumi.ComponentResourceOptions) {
        super("fluss:index:LakeBuckets", name, {}, opts);
        const remote = this.#bucket(`${name}-remote`, args.remoteBucket, args);
        const lake = this.#bucket(`${name}-lake`, args.lakeBucket, args);

        const user = new aws.iam.User(`${name}-user`, { tags: args.tags }, { parent: this });
        const policy = new aws.iam.UserPolicy(
            `${name}-user-policy`,
            { user: user.name, policy: bucketPolicy([remote.arn, lake.arn], "readWrite") },
            { parent: this },
        );
        // The key comes after the policy: whoever gets it can use it at once.
        const accessKey = new aws.iam.AccessKey(
            `${name}-user-key`,
            { user: user.name },
            { parent: this, dependsOn: [policy] },
        );

        this.platformPolicy = bucketPolicy([lake.arn], args.platformAccess ?? "readWrite");
        if (args.platformPrincipal) this.#grant(name, args.platformPrincipal);

        this.remoteBucket = remote.bucket;
        this.lakeBucket = lake.bucket;
        this.region = args.region;
        this.key = { accessKeyId: accessKey.id, secretAccessKey: pulumi.secret(accessKey.secret) };
        this.nodes = { remote, lake, user, accessKey };
        this.registerOutputs({
            remoteBucket: this.remoteBucket,
            lakeBucket: this.lakeBucket,
            region: this.region,
        });
    }

    #grant(name: string, principal: PlatformPrincipal): void {
        const policy = { policy: this.platformPolicy };
        const child = { parent: this };
        if ("role" in principal) {
            new aws.iam.RolePolicy(`${name}-platform-policy`, { role: principal.role, ...policy }, child);
        } else {
            new aws.iam.UserPolicy(`${name}-platform-policy`, { user: principal.user, ...policy }, child);
        }
    }

    #bucket(
        name: string,
        bucketName: pulumi.Input<string> | undefined,
        args: LakeBucketsArgs,
    ): aws.s3.Bucket {
        const bucket = new aws.s3.Bucket(
            name,
            { bucket: bucketName, forceDestroy: args.forceDestroy ?? false, tags: args.tags },
            { parent: this, protect: args.deletionProtection ?? true },
        );
        const child = { parent: this, deletedWith: bucket };
        const publicAccess = new aws.s3.BucketPublicAccessBlock(
            `${name}-public-access`,
            {
                bucket: bucket.bucket,
                blockPublicAcls: true,
                blockPublicPolicy: true,
                ignorePublicAcls: true,
                restrictPublicBuckets: true,
            },
            child,
        );
        new aws.s3.BucketServerSideEncryptionConfiguration(
            `${name}-encryption`,
            {
                bucket: bucket.bucket,
                rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: "AES256" } }],
            },
            child,
        );
        new aws.s3.BucketOwnershipControls(
            `${name}-ownership`,
            { bucket: bucket.bucket, rule: { objectOwnership: "BucketOwnerEnforced" } },
            child,
        );
        if (args.tlsOnly ?? true) {
            // S3 refuses two changes of a bucket's access at once, hence one after the other.
            new aws.s3.BucketPolicy(
                `${name}-tls-only`,
                { bucket: bucket.bucket, policy: refuseWithoutTls(bucket.arn) },
                { ...child, dependsOn: [publicAccess] },
            );
        }
        return bucket;
    }
}

/** The policy of the quickstart: list and locate the buckets; read and, with `readWrite`, write and delete objects in them. */
function bucketPolicy(
    bucketArns: pulumi.Output<string>[],
    access: "read" | "readWrite",
): pulumi.Output<string> {
    const writing = access === "readWrite" ? ["s3:PutObject", "s3:DeleteObject"] : [];
    return pulumi.jsonStringify({
        Version: "2012-10-17",
        Statement: [
            { Effect: "Allow", Action: ["s3:ListBucket", "s3:GetBucketLocation"], Resource: bucketArns },
            {
                Effect: "Allow",
                Action: ["s3:GetObject", ...writing],
                Resource: bucketArns.map((arn) => pulumi.interpolate`${arn}/*`),
            },
        ],
    });
}

function refuseWithoutTls(bucketArn: pulumi.Output<string>): pulumi.Output<string> {
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
