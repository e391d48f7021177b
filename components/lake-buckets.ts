// The index of the package would load three hundred modules more.
import * as iam from "@pulumi/aws/iam/index.js";
import type * as s3 from "@pulumi/aws/s3/index.js";
import * as pulumi from "@pulumi/pulumi";
import { awsPartition, bucketArn, isAwsRegion } from "../model/aws-partition.ts";
import { type Fault, faultsIn, parse, shownValue, throwFaults } from "../model/faults.ts";
import { bucketName } from "../model/names.ts";
import { type BucketSettings, makeBucket } from "./lake-bucket.ts";
import { bucketPolicy, type PolicyTarget } from "./lake-bucket-policies.ts";
import {
    type LakeRoles,
    type LakeRolesArgs,
    makeLakekeeperRole,
    makeWebIdentityRole,
    roleFaults,
} from "./lake-roles.ts";

/** Arguments of {@link LakeBuckets}. */
export interface LakeBucketsArgs extends BucketSettings {
    /** The AWS region of both buckets, for example `eu-central-1`. It must be the region of the AWS provider. */
    region: string;
    /**
     * The bucket for the cluster's remote storage: a name for a new one (global in S3, 3 to 63 of `a-z0-9.-`), or one that
     * exists and is left as it is. Default: a new one, with a name from the component's name and random characters.
     */
    remoteBucket?: BucketChoice;
    /** The bucket for the tiered lake. As for `remoteBucket`. */
    lakeBucket?: BucketChoice;
    /**
     * The user's keys that are alive, by names of your own; the first is the one in use, and AWS allows two. Default
     * `["key"]`. To rotate: put a new name in front and run `up`, so that everybody gets the new key while the old
     * one still works; then take the old name away and run `up` again.
     */
    keys?: readonly [string] | readonly [string, string];
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
    /** Roles for Lakekeeper and for jobs in pods of one's own, in the place of keys. Default: none. */
    roles?: LakeRolesArgs;
    /**
     * A store that speaks S3 and has no IAM of AWS, such as MinIO, Ceph, NooBaa and ODF: the buckets are made by the AWS
     * provider's `endpoints`, the key comes from the store's own administration and must have the rights of {@link LakeBuckets.userPolicy},
     * and no user, role or key is made. Default: AWS, or a store with its calls.
     */
    s3Compatible?: {
        /** The key with which servers, warehouse and jobs reach both buckets; its secret part is kept as a secret. */
        key: GivenKey;
    };
}

/** A key pair that the store's administration made. */
export interface GivenKey {
    accessKeyId: pulumi.Input<string>;
    /** Kept as a secret. */
    secretAccessKey: pulumi.Input<string>;
}

/** A bucket: its name if it is to be made, or `{ existing: name }`. */
export type BucketChoice = pulumi.Input<string> | { existing: pulumi.Input<string> };

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
    /**
     * The first key of the IAM user, or the one that was given; the Fluss servers and the Lakekeeper warehouse use it.
     */
    readonly key: AccessKeyPair;
    /** Rights of the key, as the text of an IAM policy: both buckets and nothing else. */
    readonly userPolicy: pulumi.Output<string>;
    /** ARNs of the roles that were asked for. */
    readonly roles: LakeRoles;
    /**
     * Least rights of the platform's principal, as the text of an IAM policy: the lake's bucket only. The remote storage is
     * reached with credentials that the Fluss servers hand out.
     */
    readonly platformPolicy: pulumi.Output<string>;
    /** The resources that were made, for what this component does not offer. */
    readonly nodes: {
        /** Undefined for one that exists. */
        remote: s3.Bucket | undefined;
        lake: s3.Bucket | undefined;
        /** Undefined with `s3Compatible`. */
        user: iam.User | undefined;
        /** The key in use. Undefined with `s3Compatible`. */
        accessKey: iam.AccessKey | undefined;
    };

    constructor(name: string, args: LakeBucketsArgs, opts?: pulumi.ComponentResourceOptions) {
        super("fluss:index:LakeBuckets", name, {}, opts);
        const { keys = ["key"], s3Compatible } = args;
        throwFaults(name, faultsOf(args, keys));
        const kmsKey =
            args.kmsKey === undefined
                ? undefined
                : pulumi.output(args.kmsKey).apply((arn) => {
                      throwFaults(name, keyFaults(arn, args.region));
                      return arn;
                  });
        const settings = { ...args, kmsKey };
        const remote = this.#bucket(`${name}-remote`, args.remoteBucket, settings);
        const lake = this.#bucket(`${name}-lake`, args.lakeBucket, settings);
        const lakeAlone = { buckets: [lake.arn], kmsKey };
        const both = { buckets: [remote.arn, lake.arn], kmsKey };

        const made = s3Compatible ? undefined : this.#identities(name, args, keys, both, lakeAlone);
        this.userPolicy = made?.policy ?? bucketPolicy(both, "readWrite");
        this.roles = made?.roles ?? {};
        this.platformPolicy = bucketPolicy(lakeAlone, args.platformAccess ?? "readWrite");
        if (args.platformPrincipal) this.#grant(name, args.platformPrincipal);

        this.remoteBucket = remote.name;
        this.lakeBucket = lake.name;
        this.region = args.region;
        this.key = made
            ? { accessKeyId: made.accessKey.id, secretAccessKey: pulumi.secret(made.accessKey.secret) }
            : givenKey(s3Compatible!.key);
        this.nodes = {
            remote: remote.made,
            lake: lake.made,
            user: made?.user,
            accessKey: made?.accessKey,
        };
        this.registerOutputs({
            remoteBucket: this.remoteBucket,
            lakeBucket: this.lakeBucket,
            region: this.region,
        });
    }

    #bucket(name: string, choice: BucketChoice | undefined, args: LakeBucketsArgs): KnownBucket {
        if (isExisting(choice)) {
            const existing = pulumi.output(choice.existing);
            return { name: existing, arn: existing.apply((bucket) => bucketArn(args.region, bucket)) };
        }
        const made = makeBucket(this, name, choice, args, args.s3Compatible ? "s3Compatible" : "aws");
        return { made, name: made.bucket, arn: made.arn };
    }

    /** The user with its keys, and the roles. */
    #identities(
        name: string,
        { tags, region, roles = {} }: LakeBucketsArgs,
        keys: readonly string[],
        both: PolicyTarget,
        lake: PolicyTarget,
    ) {
        const child = { parent: this };
        const user = new iam.User(`${name}-user`, { tags }, child);
        const options = { parent: this, tags };
        const lakekeeper =
            roles.lakekeeper &&
            makeLakekeeperRole(`${name}-lakekeeper-role`, roles.lakekeeper, lake, region, user, options);
        const tiering =
            roles.tiering &&
            makeWebIdentityRole(`${name}-tiering-role`, roles.tiering, lake, region, options);
        const policy = bucketPolicy({ ...both, assumedRole: lakekeeper }, "readWrite");
        const userPolicy = new iam.UserPolicy(`${name}-user-policy`, { user: user.name, policy }, child);
        // A key comes after the policy: whoever gets it can use it at once.
        const [accessKey] = keys.map(
            (key) =>
                new iam.AccessKey(
                    `${name}-user-${key}`,
                    { user: user.name },
                    { parent: this, dependsOn: [userPolicy] },
                ),
        ) as [iam.AccessKey];
        return { user, accessKey, policy, roles: { lakekeeper, tiering } };
    }

    #grant(name: string, principal: PlatformPrincipal): void {
        const policy = { policy: this.platformPolicy };
        const child = { parent: this };
        if ("role" in principal) {
            new iam.RolePolicy(`${name}-platform-policy`, { role: principal.role, ...policy }, child);
        } else {
            new iam.UserPolicy(`${name}-platform-policy`, { user: principal.user, ...policy }, child);
        }
    }
}

interface KnownBucket {
    made?: s3.Bucket;
    name: pulumi.Output<string>;
    arn: pulumi.Output<string>;
}

function isExisting(choice: BucketChoice | undefined): choice is { existing: pulumi.Input<string> } {
    return typeof choice === "object" && "existing" in choice && !pulumi.Output.isInstance(choice);
}

function givenKey(key: GivenKey): AccessKeyPair {
    return {
        accessKeyId: pulumi.output(key.accessKeyId),
        secretAccessKey: pulumi.secret(key.secretAccessKey),
    };
}

function faultsOf(args: LakeBucketsArgs, keys: readonly string[]): Fault[] {
    const faults = [
        ...regionFaults(args),
        ...bucketFaults(args),
        ...(args.roles ? roleFaults(args.roles, args.region ?? "") : []),
        ...storeFaults(args),
        ...principalFaults(args),
    ];
    const { versioning = false, expireNoncurrentAfterDays, abortUploadsAfterDays } = args;
    if (versioning && expireNoncurrentAfterDays === undefined) {
        const reason = "former versions of objects would be kept, and paid for, for ever";
        const fix = "Give it with versioning";
        faults.push({ path: "expireNoncurrentAfterDays", reason, fix });
    }
    if (typeof args.kmsKey === "string" && !args.s3Compatible) {
        faults.push(...keyFaults(args.kmsKey, args.region));
    }
    for (const [path, days] of Object.entries({ expireNoncurrentAfterDays, abortUploadsAfterDays })) {
        if (days === undefined || (Number.isInteger(days) && days >= 1)) continue;
        faults.push({ path, value: String(days), reason: "is not a number of days", fix: "Give 1 or more" });
    }
    if (keys.length < 1 || keys.length > 2 || new Set(keys).size < keys.length) {
        const reason = "a user has one key or two, of different names";
        const fix = "Give the one in use, and the old one";
        faults.push({ path: "keys", value: JSON.stringify(keys), reason, fix });
    }
    for (const [index, key] of keys.entries()) {
        if (/^[\w.-]+$/.test(key)) continue;
        const reason = "is no name that a resource can have";
        const fix = "Use letters, digits, . _ and -, like 2026-12";
        faults.push({ path: `keys[${index}]`, ...shownValue("", key), reason, fix });
    }
    return faults;
}

/** An S3-compatible store has regions of its own. */
function regionFaults({ region, s3Compatible }: LakeBucketsArgs): Fault[] {
    const path = "region";
    if (region === undefined)
        return [{ path, reason: "is required and missing", fix: "Give one like eu-central-1" }];
    if (s3Compatible ? /^[A-Za-z0-9-]+$/.test(region) : isAwsRegion(region)) return [];
    const fix = "Write it as AWS does, like eu-central-1";
    return [{ path, ...shownValue("", region), reason: "is not the name of an AWS region", fix }];
}

function bucketFaults(args: LakeBucketsArgs): Fault[] {
    const places = (["remoteBucket", "lakeBucket"] as const).map((field) => {
        const choice = args[field];
        return isExisting(choice)
            ? { path: `${field}.existing`, name: choice.existing }
            : { path: field, name: choice };
    });
    const faults = places.flatMap(({ path, name }): Fault[] => {
        if (name === undefined || pulumi.Output.isInstance(name) || isPromise(name)) return [];
        return [...faultsIn(() => parse(bucketName, name, path))];
    });
    const [remote, lake] = places;
    if (typeof lake?.name === "string" && lake.name === remote?.name) {
        const reason =
            "is the bucket of the remote storage, too, and whoever may read the lake would read that";
        const fix = "Give each a bucket of its own";
        faults.push({ path: lake.path, ...shownValue("", lake.name), reason, fix });
    }
    return faults;
}

function isPromise(value: unknown): boolean {
    return typeof (value as { then?: unknown } | null)?.then === "function";
}

function principalFaults({ platformPrincipal, platformAccess }: LakeBucketsArgs): Fault[] {
    const faults: Fault[] = [];
    if (platformPrincipal && !["role", "user"].includes(Object.keys(platformPrincipal).join())) {
        const fix = "Give { role } or { user }, by name";
        faults.push({ path: "platformPrincipal", reason: "is neither one role nor one user", fix });
    }
    for (const [kind, name] of Object.entries(platformPrincipal ?? {})) {
        if (typeof name !== "string" || /^[\w+=,.@-]{1,128}$/.test(name)) continue;
        const fix = "Give the name alone, and no ARN or path";
        faults.push({
            path: `platformPrincipal.${kind}`,
            ...shownValue("", name),
            reason: "is no name in IAM",
            fix,
        });
    }
    if (platformAccess !== undefined && !["read", "readWrite"].includes(platformAccess)) {
        const fix = "Use one of: read, readWrite";
        const reason = "is none of the values that exist here";
        faults.push({ path: "platformAccess", ...shownValue("", platformAccess), reason, fix });
    }
    return faults;
}

/** S3 takes an alias, too, but a policy whose Resource is one matches no key. */
function keyFaults(arn: string, region: string): Fault[] {
    const partition = awsPartition(region);
    const home = new RegExp(`^arn:${partition}:kms:([a-z0-9-]+):\\d{12}:key/[\\w-]+$`).exec(arn)?.[1];
    if (home === region) return [];
    if (home !== undefined && isAwsRegion(region)) {
        const reason = `is a key of ${home}, and S3 encrypts with keys of the bucket's own region`;
        return [{ path: "kmsKey", value: arn, reason, fix: `Give a key of ${region}` }];
    }
    const reason = "is not the ARN of a KMS key, and a policy would give no right to use what it stands for";
    const fix = `Write it like arn:${partition}:kms:${region}:123456789012:key/<id>; aws kms describe-key tells that of an alias`;
    return [{ path: "kmsKey", value: arn, reason, fix }];
}

/** What only AWS has. */
function storeFaults(args: LakeBucketsArgs): Fault[] {
    if (!args.s3Compatible) return [];
    const { accessKeyId, secretAccessKey } = (args.s3Compatible.key ?? {}) as Partial<GivenKey>;
    const missing = Object.entries({ accessKeyId, secretAccessKey }).flatMap(([part, value]): Fault[] => {
        if (value !== undefined && value !== "") return [];
        const path = `s3Compatible.key.${part}`;
        const reason = value === "" ? "is empty" : "is required and missing";
        return [{ path, reason, fix: "Give the key that the store's administration made" }];
    });
    const ofAws = ["keys", "roles", "platformPrincipal", "kmsKey"] as const;
    const tooMuch = ofAws.flatMap((path): Fault[] => {
        if (args[path] === undefined) return [];
        const reason = "an S3-compatible store has neither users, roles and keys of IAM nor AWS's KMS";
        return [{ path, reason, fix: "Remove it; use what the store itself has" }];
    });
    return [...missing, ...tooMuch];
}
