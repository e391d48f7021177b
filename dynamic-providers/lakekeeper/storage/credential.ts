import * as z from "zod";
import type { Storage } from "./index.ts";

const text = z.string().min(1);

/** All fields of a key file of a Google service account; the server demands each of them. */
const googleKey = z.looseObject({
    type: z.literal("service_account", {
        error: "must be service_account: the server knows no other kind of key file",
    }),
    project_id: text,
    private_key_id: text,
    private_key: text,
    client_email: text,
    client_id: text,
    auth_uri: text,
    token_uri: text,
    auth_provider_x509_cert_url: text,
    client_x509_cert_url: text,
    // Older key files do not have it.
    universe_domain: text.default("googleapis.com"),
});

/** With which the server works on the storage. It never gives a key back. */
export const credentialSchema = z.discriminatedUnion("type", [
    z.strictObject({
        type: z.literal("s3-access-key"),
        accessKeyId: text,
        secretAccessKey: text,
        /** For a role in another account; see assumeRoleArn. */
        externalId: text.optional(),
    }),
    /** What the server's pod runs as; must be switched on in the server. */
    z.strictObject({ type: z.literal("s3-system-identity"), externalId: text.optional() }),
    z.strictObject({
        type: z.literal("s3-cloudflare-r2"),
        accessKeyId: text,
        secretAccessKey: text,
        /** API token with which the server asks Cloudflare for short-lived keys. */
        token: text,
        accountId: text,
    }),
    z.strictObject({
        type: z.literal("az-client-credentials"),
        clientId: text,
        clientSecret: text,
        tenantId: text,
    }),
    z.strictObject({ type: z.literal("az-shared-key"), key: text }),
    z.strictObject({ type: z.literal("az-system-identity") }),
    z.strictObject({
        type: z.literal("gcs-service-account-key"),
        /** The key file, as its text. */
        key: z.string().transform((file, issues) => {
            const parsed = googleKey.safeParse(parseJson(file));
            if (parsed.success) return JSON.stringify(parsed.data);
            for (const { path, message } of parsed.error.issues) {
                // Never the value: it may be the private key.
                issues.addIssue({ code: "custom", path, message: `in the key file: ${message}` });
            }
            return z.NEVER;
        }),
    }),
    z.strictObject({ type: z.literal("gcs-system-identity") }),
]);

export type Credential = z.output<typeof credentialSchema>;

/** What the server calls a credential, which kind of storage it is for, and which of its switches must be on. */
const kinds: Record<
    Credential["type"],
    { told: string; storages: Storage["type"][]; switchedOnBy?: SystemIdentity }
> = {
    "s3-access-key": { told: "s3/access-key", storages: ["s3"] },
    "s3-system-identity": {
        told: "s3/aws-system-identity",
        storages: ["s3"],
        switchedOnBy: "aws-system-identities-enabled",
    },
    "s3-cloudflare-r2": { told: "s3/cloudflare-r2", storages: ["s3"] },
    "az-client-credentials": { told: "az/client-credentials", storages: ["adls", "onelake"] },
    "az-shared-key": { told: "az/shared-access-key", storages: ["adls"] },
    "az-system-identity": {
        told: "az/azure-system-identity",
        storages: ["adls", "onelake"],
        switchedOnBy: "azure-system-identities-enabled",
    },
    "gcs-service-account-key": { told: "gcs/service-account-key", storages: ["gcs"] },
    "gcs-system-identity": {
        told: "gcs/gcp-system-identity",
        storages: ["gcs"],
        switchedOnBy: "gcp-system-identities-enabled",
    },
};

/** Field of the server's info that says whether it works with what its pod runs as. */
export type SystemIdentity =
    | "aws-system-identities-enabled"
    | "azure-system-identities-enabled"
    | "gcp-system-identities-enabled";

/** The switch of the server that a credential needs. */
export function systemIdentityOf(credential: Credential): SystemIdentity | undefined {
    return kinds[credential.type].switchedOnBy;
}

/** What the server tells about a credential: `s3/access-key`. */
export function credentialTypeOf(credential: Credential | undefined): string | undefined {
    return credential && kinds[credential.type].told;
}

/** The type of a credential of which the server tells so. Undefined for a kind that is not known here. */
export function credentialTypeTold(told: string): Credential["type"] | undefined {
    const types = Object.keys(kinds) as Credential["type"][];
    return types.find((type) => kinds[type].told === told);
}

/**
 * Why a credential does not go with a storage. The server finds some of it only when it tries the storage, and
 * overwrites fields of the profile for R2 (0.13.3 observed), which would come back as drift.
 */
export function credentialFaults(
    storage: Storage,
    credential: Credential | undefined,
): { path: string[]; message: string }[] {
    if (!credential) return [];
    const { storages } = kinds[credential.type];
    if (!storages.includes(storage.type)) {
        const message = `is for storage of type ${storages.join(" or ")}, not ${storage.type}`;
        return [{ path: ["credential", "type"], message }];
    }
    if (credential.type !== "s3-cloudflare-r2" || storage.type !== "s3") return [];
    const wrong: [keyof typeof storage, boolean, string][] = [
        ["endpoint", storage.endpoint === undefined, "is missing"],
        ["stsEnabled", !storage.stsEnabled, "must be true"],
        ["flavor", storage.flavor !== "s3-compat", "must be s3-compat"],
        ["assumeRoleArn", storage.assumeRoleArn !== undefined, "must be left out"],
        ["stsRoleArn", storage.stsRoleArn !== undefined, "must be left out"],
    ];
    return wrong
        .filter(([, isWrong]) => isWrong)
        .map(([field, , what]) => ({ path: ["storage", field], message: `${what} with an R2 credential` }));
}

/** What of a credential must be shown to nobody. */
export function secretsOf(credential: Credential | undefined): string[] {
    switch (credential?.type) {
        case "s3-access-key":
            return [credential.secretAccessKey];
        case "s3-cloudflare-r2":
            return [credential.secretAccessKey, credential.token];
        case "az-client-credentials":
            return [credential.clientSecret];
        case "az-shared-key":
            return [credential.key];
        case "gcs-service-account-key":
            // The server gets the file parsed, and may show its parts.
            return [credential.key, String(googleKey.parse(JSON.parse(credential.key)).private_key)];
        default:
            return [];
    }
}

/** The names with `aws-` are the ones that all servers from 0.9 to 0.13 know. */
export function toCredential(credential: Credential): Record<string, unknown> {
    const [type, kind] = kinds[credential.type].told.split("/");
    const tags = { type, "credential-type": kind };
    switch (credential.type) {
        case "s3-access-key":
            return {
                ...tags,
                "aws-access-key-id": credential.accessKeyId,
                "aws-secret-access-key": credential.secretAccessKey,
                "external-id": credential.externalId,
            };
        case "s3-system-identity":
            return { ...tags, "external-id": credential.externalId };
        case "s3-cloudflare-r2":
            return {
                ...tags,
                "access-key-id": credential.accessKeyId,
                "secret-access-key": credential.secretAccessKey,
                token: credential.token,
                "account-id": credential.accountId,
            };
        case "az-client-credentials":
            return {
                ...tags,
                "client-id": credential.clientId,
                "client-secret": credential.clientSecret,
                "tenant-id": credential.tenantId,
            };
        case "az-shared-key":
            return { ...tags, key: credential.key };
        case "gcs-service-account-key":
            return { ...tags, key: JSON.parse(credential.key) };
        case "az-system-identity":
        case "gcs-system-identity":
            return tags;
    }
}

function parseJson(file: string): unknown {
    try {
        return JSON.parse(file);
    } catch {
        return undefined;
    }
}
