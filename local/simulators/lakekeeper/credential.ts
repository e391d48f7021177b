import type { Fields } from "./decode.ts";
import { knows, type Version } from "./version.ts";

/** The part of a credential that the server ever shows again. */
export interface CredentialType {
    type: "s3" | "az" | "gcs";
    "credential-type": string;
}

/** A credential as it was sent; only its type outlives the request, since nothing here ever needs the key again. */
export interface Credential {
    kind: CredentialType;
    /** Present for S3 credentials that hold a key pair. */
    accessKey?: { accessKeyId: string; secretAccessKey: string };
}

const s3Kinds = ["access-key", "aws-system-identity", "cloudflare-r2"];
const otherKinds = {
    az: ["client-credentials", "shared-access-key", "azure-system-identity"],
    gcs: ["service-account-key", "gcp-system-identity"],
};

const requiredFields: Record<string, string[]> = {
    "client-credentials": ["client-id", "client-secret", "tenant-id"],
    "shared-access-key": ["key"],
};

const googleKeyFields = [
    "type",
    "project_id",
    "private_key_id",
    "private_key",
    "client_email",
    "client_id",
    "auth_uri",
    "token_uri",
    "auth_provider_x509_cert_url",
    "client_x509_cert_url",
    "universe_domain",
];

/** Reads an optional credential field of a body; undefined when it is absent or null. */
export function decodeCredential(body: Fields, name: string, version: Version): Credential | undefined {
    if (!body.has(name)) return undefined;
    const tags = ["s3", "az", "gcs"] as const;
    const { tag, fields } = body.tagged(name, tags, "internally tagged enum StorageCredential");
    if (tag === "s3") return decodeS3Credential(fields, version);
    const type = tag as "az" | "gcs";
    const kind: CredentialType = { type, "credential-type": fields.tag("credential-type", otherKinds[type]) };
    for (const name of requiredFields[kind["credential-type"]] ?? []) fields.string(name);
    if (kind["credential-type"] === "service-account-key") {
        const key = fields.object("key", "struct GcsServiceKey");
        for (const name of googleKeyFields) key.string(name);
    }
    return { kind };
}

function decodeS3Credential(fields: Fields, version: Version): Credential {
    const kind: CredentialType = { type: "s3", "credential-type": fields.tag("credential-type", s3Kinds) };
    if (kind["credential-type"] === "aws-system-identity") return { kind };
    // Before 0.12 there was only the longer name.
    const part = (name: string) =>
        knows(version, "0.12.0") ? fields.aliased(name, `aws-${name}`) : fields.string(`aws-${name}`);
    const accessKey = { accessKeyId: part("access-key-id"), secretAccessKey: part("secret-access-key") };
    if (kind["credential-type"] === "cloudflare-r2") {
        fields.string("token");
        fields.string("account-id");
    }
    return { kind, accessKey };
}
