import { refuse } from "./answers.ts";
import type { Fields } from "./decode.ts";
import { decodeLayout, type StorageLayout } from "./layout.ts";
import { immutable, nested, normalisePrefix } from "./profile-rules.ts";
import { knows, type Version } from "./version.ts";

/** An S3 storage profile as the server echoes it: every field present, null when unset, in this order. */
export interface S3Profile {
    type: "s3";
    bucket: string;
    "key-prefix": string | null;
    "assume-role-arn": string | null;
    endpoint: string | null;
    region: string;
    "path-style-access": boolean | null;
    "sts-role-arn": string | null;
    "sts-endpoint": string | null;
    "sts-enabled": boolean;
    "sts-token-validity-seconds": number;
    "sts-session-tags": Record<string, string>;
    flavor: "aws" | "s3-compat";
    "allow-alternative-protocols": boolean | null;
    "remote-signing-url-style": "path" | "virtual_host" | "auto";
    "push-s3-delete-disabled": boolean;
    "aws-kms-key-arn": string | null;
    "remote-signing-enabled": boolean;
    "legacy-md5-behavior": boolean | null;
    "storage-layout": StorageLayout | null;
}

const flavors = { aws: "aws", minio: "s3-compat", "s3-compat": "s3-compat" } as const;
const urlStyles = { path: "path", virtual_host: "virtual_host", auto: "auto" } as const;

/** Reads a profile and fills the defaults (0.13.3 observed); nothing is normalised yet. */
export function decodeS3Profile(fields: Fields): S3Profile {
    const style = fields.has("s3-url-detection-mode") ? "s3-url-detection-mode" : "remote-signing-url-style";
    return {
        type: "s3",
        bucket: fields.string("bucket"),
        "key-prefix": fields.optionalString("key-prefix"),
        "assume-role-arn": fields.optionalString("assume-role-arn"),
        endpoint: fields.optionalUrl("endpoint")?.href ?? null,
        region: fields.string("region"),
        "path-style-access": fields.optionalBoolean("path-style-access"),
        "sts-role-arn": fields.optionalString("sts-role-arn"),
        "sts-endpoint": fields.optionalUrl("sts-endpoint")?.href ?? null,
        "sts-enabled": fields.boolean("sts-enabled"),
        "sts-token-validity-seconds": fields.integer("sts-token-validity-seconds", {
            absent: 3600,
            unsigned: true,
        }),
        "sts-session-tags": fields.stringMap("sts-session-tags"),
        flavor: fields.has("flavor") ? fields.variant("flavor", Object.keys(flavors), flavors) : "aws",
        "allow-alternative-protocols": fields.optionalBoolean("allow-alternative-protocols"),
        "remote-signing-url-style": fields.has(style)
            ? fields.variant(style, Object.keys(urlStyles), urlStyles)
            : "auto",
        "push-s3-delete-disabled": fields.boolean("push-s3-delete-disabled", true),
        "aws-kms-key-arn": fields.optionalString("aws-kms-key-arn"),
        "remote-signing-enabled": fields.boolean("remote-signing-enabled", true),
        "legacy-md5-behavior": fields.optionalBoolean("legacy-md5-behavior"),
        "storage-layout": decodeLayout(fields),
    };
}

/**
 * Checks a profile and brings it into the form that is stored and echoed.
 * @param credentialType for example `cloudflare-r2`, which forces some fields; undefined without a credential
 * @throws {Refusal} 400 with the types of the real server
 */
export function normaliseS3Profile(profile: S3Profile, credentialType: string | undefined): S3Profile {
    checkBucket(profile.bucket);
    if (Buffer.byteLength(profile.region) > 128) {
        throw refuse(400, "Invalidregion", "`region` must be less than 128 characters.");
    }
    const r2 = credentialType === "cloudflare-r2";
    if (r2 && profile.endpoint === null) {
        throw refuse(400, "Invalidendpoint", "Parameter `endpoint` is required for Cloudflare R2.");
    }
    const normal: S3Profile = {
        ...profile,
        "key-prefix": normalisePrefix(profile["key-prefix"], 896),
        endpoint: normaliseEndpoint(profile.endpoint, profile.bucket),
        "assume-role-arn": r2 ? null : trimmed(profile["assume-role-arn"]),
        "sts-role-arn": r2 ? null : trimmed(profile["sts-role-arn"]),
        "sts-enabled": r2 || profile["sts-enabled"],
        flavor: r2 ? "s3-compat" : profile.flavor,
    };
    const role = normal["sts-role-arn"] ?? normal["assume-role-arn"];
    if (normal.flavor === "aws" && normal["sts-enabled"] && role === null) {
        throw refuse(
            400,
            "Invalidsts-role-arn",
            "Either `sts-role-arn` or `assume-role-arn` is required for Storage Profiles with AWS flavor if STS is enabled.",
        );
    }
    return normal;
}

/**
 * The profile after `POST /storage`: a full replacement, except that a layout and `allow-alternative-protocols:
 * true` survive being left out.
 * @throws {Refusal} 400 `UpdateError` for a field that would move the data
 */
export function updateS3Profile(old: S3Profile, next: S3Profile, version: Version): S3Profile {
    if (next.bucket !== old.bucket) throw immutable("bucket");
    if (next["key-prefix"] !== old["key-prefix"]) throw immutable("key-prefix");
    // With an endpoint, AWS's regions say nothing; so it is since 0.12.
    const fixed = next.endpoint === null || !knows(version, "0.12.0");
    if (next.region !== old.region && fixed) throw immutable("region");
    const protocols = next["allow-alternative-protocols"];
    return {
        ...next,
        "storage-layout": next["storage-layout"] ?? old["storage-layout"],
        "allow-alternative-protocols":
            protocols ?? (old["allow-alternative-protocols"] === true ? true : null),
    };
}

/** Whether two warehouses would share objects, by the real server's narrow rule: region and endpoint must be equal too. */
export function s3ProfilesOverlap(a: S3Profile, b: S3Profile): boolean {
    if (a.bucket !== b.bucket || a.region !== b.region || a.endpoint !== b.endpoint) return false;
    return nested(a["key-prefix"], b["key-prefix"]);
}

function normaliseEndpoint(endpoint: string | null, bucket: string): string | null {
    if (endpoint === null) return null;
    const url = new URL(endpoint);
    if (!["http:", "https:"].includes(url.protocol)) {
        throw refuse(
            400,
            "InvalidS3Endpoint",
            "Storage Profile `endpoint` must have http or https protocol.",
        );
    }
    if (url.pathname === `/${bucket}`) url.pathname = "/";
    if (url.pathname !== "/") {
        throw refuse(400, "InvalidS3Endpoint", "Storage Profile `endpoint` must not have a path.");
    }
    return url.href;
}

function checkBucket(bucket: string): void {
    const reason =
        bucket.length < 3 || bucket.length > 63
            ? "`bucket` must be between 3 and 63 characters long."
            : !/^[a-z0-9.-]+$/.test(bucket)
              ? "Bucket name can consist only of lowercase letters, numbers, dots (.), and hyphens (-)."
              : !/^[a-z0-9].*[a-z0-9]$/.test(bucket)
                ? "Bucket name must begin and end with a letter or number."
                : undefined;
    if (reason === undefined) return;
    const source = `Source: Invalid bucket name \`${bucket}\`: ${reason}`;
    throw refuse(400, "InvalidLocation", `Invalid location \`s3://${bucket}\`. Context: []. ${source}`);
}

function trimmed(text: string | null): string | null {
    return text?.trim() || null;
}
