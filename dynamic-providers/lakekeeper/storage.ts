import * as z from "zod";

const bytes = (text: string) => new TextEncoder().encode(text).length;

const arn = z.string().trim().min(1).optional();

/** A URL as the server writes it back: lower-case host, no default port, a slash at its end. */
const httpUrl = z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
        error: "must be an http or https URL",
    })
    .transform((text) => new URL(text).href);

const layout = z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("default") }),
    z.strictObject({
        type: z.literal("tabular-only"),
        tabular: z.string().refine((template) => template.includes("{uuid}"), {
            error: "must contain {uuid}, since two tables may have the same name",
        }),
    }),
    z.strictObject({ type: z.literal("full-hierarchy"), namespace: z.string(), tabular: z.string() }),
]);

/**
 * Where a warehouse keeps its tables, in S3 or a store that speaks its protocol. Values are brought into the form in
 * which the server stores them, so that what it answers can be compared.
 */
export const s3StorageSchema = z
    .strictObject({
        type: z.literal("s3"),
        bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, {
            error: "must be a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens",
        }),
        /** Folder in the bucket. Without it the warehouse takes the whole bucket, and no other can be in it. */
        keyPrefix: z
            .string()
            .transform((text) => text.trim().replace(/^\/+|\/+$/g, "") || undefined)
            .refine((text) => text === undefined || bytes(text) <= 896, {
                error: "must not be longer than 896 bytes",
            })
            .optional(),
        region: z
            .string()
            .min(1)
            .refine((text) => bytes(text) <= 128, { error: "must not be longer than 128 bytes" }),
        /** For stores other than AWS, as the Lakekeeper server reaches it: `http://minio:9000`. */
        endpoint: httpUrl.optional(),
        /** `s3-compat` for stores other than AWS. Default `aws`. */
        flavor: z.enum(["aws", "s3-compat"]).default("aws"),
        pathStyleAccess: z.boolean().optional(),
        assumeRoleArn: arn,
        /** Give short-lived keys to clients. Default false: the store may have no STS. */
        stsEnabled: z.boolean().default(false),
        stsRoleArn: arn,
        stsEndpoint: httpUrl.optional(),
        /** Default 3600. */
        stsTokenValiditySeconds: z.int().positive().default(3600),
        stsSessionTags: z.record(z.string(), z.string()).default({}),
        /** Let `s3a://` and `s3n://` stand for `s3://` in table locations. Default false. */
        allowAlternativeProtocols: z.boolean().default(false),
        remoteSigningEnabled: z.boolean().default(true),
        remoteSigningUrlStyle: z.enum(["path", "virtual_host", "auto"]).default("auto"),
        pushS3DeleteDisabled: z.boolean().default(true),
        awsKmsKeyArn: arn,
        /** Send Content-MD5 with multi-object deletes, which some older stores want. */
        legacyMd5Behavior: z.boolean().optional(),
        /** How folders of new tables are named. Default: the server's. */
        storageLayout: layout.optional(),
    })
    .transform((storage) => ({
        ...storage,
        // The server cuts the bucket off an endpoint that ends with it.
        endpoint: storage.endpoint && withoutBucket(storage.endpoint, storage.bucket),
        storageLayout: storage.storageLayout?.type === "default" ? undefined : storage.storageLayout,
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

export type S3Storage = z.output<typeof s3StorageSchema>;

/** The key with which the server works on the storage. It never gives it back. */
export const s3CredentialSchema = z.strictObject({
    type: z.literal("s3-access-key"),
    accessKeyId: z.string().min(1),
    secretAccessKey: z.string().min(1),
    /** For a role in another account; see assumeRoleArn. */
    externalId: z.string().min(1).optional(),
});

export type S3Credential = z.output<typeof s3CredentialSchema>;

/** What the server tells about a credential: `s3/access-key`. */
export function credentialTypeOf(credential: S3Credential | undefined): string | undefined {
    return credential && "s3/access-key";
}

/**
 * The whole profile, since the server replaces what is left out by its default. Two fields survive being left out and
 * are therefore always said: the layout and the alternative protocols.
 */
export function toProfile(storage: S3Storage): Record<string, unknown> {
    return {
        type: "s3",
        bucket: storage.bucket,
        "key-prefix": storage.keyPrefix,
        region: storage.region,
        endpoint: storage.endpoint,
        flavor: storage.flavor,
        "path-style-access": storage.pathStyleAccess,
        "assume-role-arn": storage.assumeRoleArn,
        "sts-enabled": storage.stsEnabled,
        "sts-role-arn": storage.stsRoleArn,
        "sts-endpoint": storage.stsEndpoint,
        "sts-token-validity-seconds": storage.stsTokenValiditySeconds,
        "sts-session-tags": storage.stsSessionTags,
        "allow-alternative-protocols": storage.allowAlternativeProtocols,
        "remote-signing-enabled": storage.remoteSigningEnabled,
        "remote-signing-url-style": storage.remoteSigningUrlStyle,
        "push-s3-delete-disabled": storage.pushS3DeleteDisabled,
        "aws-kms-key-arn": storage.awsKmsKeyArn,
        "legacy-md5-behavior": storage.legacyMd5Behavior,
        "storage-layout": storage.storageLayout ?? { type: "default" },
    };
}

/** The names with `aws-` are the ones that all servers from 0.9 to 0.13 know. */
export function toCredential(credential: S3Credential): Record<string, unknown> {
    return {
        type: "s3",
        "credential-type": "access-key",
        "aws-access-key-id": credential.accessKeyId,
        "aws-secret-access-key": credential.secretAccessKey,
        "external-id": credential.externalId,
    };
}

/** A profile as a server answers it. Older servers leave fields out, others write null: both mean unset. */
export const profileAnswer = z.looseObject({
    type: z.string(),
    bucket: z.string().nullish(),
    "key-prefix": z.string().nullish(),
    region: z.string().nullish(),
    endpoint: z.string().nullish(),
});

export type ProfileAnswer = z.output<typeof profileAnswer>;

/** The inputs that would make this profile. One that our rules would not accept comes as it is: it shows up as drift. */
export function fromProfile(profile: ProfileAnswer): S3Storage {
    const given = Object.fromEntries(
        Object.entries(profile)
            .filter(([, value]) => value !== null)
            .map(([key, value]) => [camelCase(key), value] as const)
            .filter(([key]) => key in s3StorageSchema.in.shape),
    );
    const parsed = s3StorageSchema.safeParse(given);
    return parsed.success ? parsed.data : (given as S3Storage);
}

/** Whether the server can go from one storage to the other without moving data (its own rule, 0.12 and newer). */
export function sameLocation(old: S3Storage, wanted: S3Storage): boolean {
    return (
        old.type === wanted.type &&
        old.bucket === wanted.bucket &&
        old.keyPrefix === wanted.keyPrefix &&
        (old.region === wanted.region || wanted.endpoint !== undefined)
    );
}

/**
 * Whether the two would share objects. Stricter than the server, which takes another spelling of the region or of the
 * endpoint's scheme for another store, and which does not look at all when a storage is changed (0.13.3 observed).
 */
export function overlaps(one: S3Storage, profile: ProfileAnswer): boolean {
    if (profile.type !== "s3" || profile.bucket !== one.bucket) return false;
    if (hostOf(profile.endpoint) !== hostOf(one.endpoint)) return false;
    const [a, b] = [one.keyPrefix, profile["key-prefix"]].map((prefix) => `${prefix ?? ""}/`) as [
        string,
        string,
    ];
    return a === "/" || b === "/" || a.startsWith(b) || b.startsWith(a);
}

/** Whether a warehouse with this profile is at exactly this place. */
export function isAt(storage: S3Storage, profile: ProfileAnswer): boolean {
    return overlaps(storage, profile) && (profile["key-prefix"] ?? undefined) === storage.keyPrefix;
}

/** A location for people: `s3://bucket/prefix in region`. */
export function describeLocation(storage: Pick<S3Storage, "bucket" | "keyPrefix" | "region">): string {
    return `s3://${storage.bucket}${storage.keyPrefix ? `/${storage.keyPrefix}` : ""} in ${storage.region}`;
}

function hostOf(endpoint: string | null | undefined): string | undefined {
    return endpoint ? new URL(endpoint).host : undefined;
}

function withoutBucket(endpoint: string, bucket: string): string {
    const url = new URL(endpoint);
    if (url.pathname === `/${bucket}`) url.pathname = "/";
    return url.href;
}

function camelCase(key: string): string {
    return key.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
