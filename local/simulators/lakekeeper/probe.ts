import {
    DeleteObjectCommand,
    GetObjectCommand,
    HeadObjectCommand,
    ListObjectsV2Command,
    PutObjectCommand,
    S3Client,
} from "@aws-sdk/client-s3";
import { Refusal, refuse } from "./answers.ts";
import type { Credential } from "./credential.ts";
import { uuidv7 } from "./ids.ts";
import type { Profile } from "./profile.ts";
import type { S3Profile } from "./s3-profile.ts";

/** How storage is checked before a warehouse is created or its storage or credential changed. */
export interface StorageCheck {
    /** Where a profile without an endpoint of its own leads: it stands for AWS. */
    endpoint: string;
}

/** Words of the real server for what its pod runs as. */
const identities: Record<string, string> = {
    "aws-system-identity": "System",
    "azure-system-identity": "Azure system",
    "gcp-system-identity": "GCP system",
};

/**
 * The check of a storage before it is taken. Of the clouds other than S3 only the credential is looked at: there is
 * nothing here that could stand for them.
 * @param backend without `storage` nothing is checked, like with `SKIP_STORAGE_VALIDATION`
 */
export async function checkStorage(
    profile: Profile,
    credential: Credential | undefined,
    backend: { storage?: StorageCheck; systemIdentities: boolean; requestSeconds: number },
): Promise<void> {
    if (!backend.storage) return;
    const identity = identities[credential?.kind["credential-type"] ?? ""];
    if (identity && !backend.systemIdentities) {
        throw refuse(
            400,
            "Misconfiguration",
            `Credentials misconfigured: ${identity} identity credentials are disabled in this Lakekeeper deployment.`,
        );
    }
    if (profile.type === "s3")
        await probeStorage(profile, credential, backend.storage, backend.requestSeconds);
    else if (!credential) throw refuse(400, "MissingCredentialError", "Storage credential is required.");
}

/**
 * Uses the credential on the profile's bucket, with the calls of the real server in its order: write, head, read
 * and delete one object, then list its folder twice.
 * @throws {Refusal} 400 with the types observed on 0.13.3; 412 when STS is on; 408 when the storage hangs
 */
async function probeStorage(
    profile: S3Profile,
    credential: Credential | undefined,
    check: StorageCheck,
    seconds: number,
): Promise<void> {
    const client = clientFor(profile, credential, check);
    const folder = [profile["key-prefix"], uuidv7()].filter((part) => part).join("/");
    const object = { Bucket: profile.bucket, Key: `${folder}/metadata/test` };
    const folderOnly = { Bucket: profile.bucket, Prefix: `${folder}/` };
    const at = `s3://${profile.bucket}/${object.Key}`;
    const abortSignal = AbortSignal.timeout(seconds * 1000);
    const attempt = (operation: Operation, location: string, call: () => Promise<unknown>) =>
        call().catch((error: unknown) => {
            throw abortSignal.aborted
                ? new Refusal({ status: 408 })
                : storageFault(operation, location, error);
        });
    try {
        await attempt("write", at, () =>
            client.send(new PutObjectCommand({ ...object, Body: "test" }), { abortSignal }),
        );
        await attempt("read", at, async () => {
            await client.send(new HeadObjectCommand(object), { abortSignal });
            const found = await client.send(new GetObjectCommand(object), { abortSignal });
            await found.Body?.transformToByteArray();
        });
        await attempt("deletion", at, () => client.send(new DeleteObjectCommand(object), { abortSignal }));
        for (let round = 0; round < 2; round++) {
            await attempt("list", `s3://${profile.bucket}/${folder}/`, () =>
                client.send(new ListObjectsV2Command(folderOnly), { abortSignal }),
            );
        }
    } finally {
        client.destroy();
    }
    if (profile["sts-enabled"]) {
        throw refuse(
            412,
            "ShortTermCredentialError",
            "Downscoped credentials allow write access to parent location.",
        );
    }
}

type Operation = "write" | "read" | "deletion" | "list";

function clientFor(profile: S3Profile, credential: Credential | undefined, check: StorageCheck): S3Client {
    const key = credential?.accessKey;
    return new S3Client({
        endpoint: profile.endpoint ?? check.endpoint,
        region: profile.region || "us-east-1",
        forcePathStyle: true,
        maxAttempts: 2,
        credentials: key ?? { accessKeyId: "anonymous", secretAccessKey: "anonymous" },
        // Without a credential the real server calls the bucket unsigned, which a public bucket would allow.
        ...(key ? {} : { signer: { sign: async (request) => request } }),
    });
}

/** What the storage said, and the type that Lakekeeper gives it. Anything unknown is `Unexpected`. */
const typeByCode: Record<string, string> = {
    NoSuchBucket: "NotFound",
    AccessDenied: "PermissionDenied",
    InvalidAccessKeyId: "ConfigInvalid",
};

function storageFault(operation: Operation, location: string, error: unknown): Refusal {
    const { name, message, $metadata } = error as {
        name?: string;
        message?: string;
        $metadata?: { httpStatusCode?: number };
    };
    const answered = $metadata?.httpStatusCode !== undefined;
    // HEAD has no body to take a code from.
    const code = $metadata?.httpStatusCode === 403 && name === "Unknown" ? "AccessDenied" : (name ?? "");
    const said = answered ? `S3 ${operation} failed: ${message}` : undefined;
    return refuse(
        400,
        typeByCode[code] ?? "Unexpected",
        `IO error at \`${location}\`: ${said ?? `Unknown S3 error during ${operation}: unhandled error`}`,
        ["IO Operation Failed during validation."],
    );
}
