import { refuse } from "./answers.ts";
import {
    type AdlsProfile,
    adlsProfilesOverlap,
    decodeAdlsProfile,
    decodeGcsProfile,
    decodeOneLakeProfile,
    type GcsProfile,
    gcsProfilesOverlap,
    normaliseAdlsProfile,
    normaliseGcsProfile,
    normaliseOneLakeProfile,
    type OneLakeProfile,
    oneLakeProfilesOverlap,
    updateAdlsProfile,
    updateGcsProfile,
    updateOneLakeProfile,
} from "./cloud-profiles.ts";
import type { Credential } from "./credential.ts";
import type { Fields } from "./decode.ts";
import {
    decodeS3Profile,
    normaliseS3Profile,
    type S3Profile,
    s3ProfilesOverlap,
    updateS3Profile,
} from "./s3-profile.ts";
import { knows, type Version } from "./version.ts";

/** A storage profile of any kind, as the server echoes it. */
export type Profile = S3Profile | AdlsProfile | GcsProfile | OneLakeProfile;

/** Since when a server knows a field; an older one drops it without a word and never echoes it. */
const fieldSince: Record<string, string> = {
    "sts-endpoint": "0.12.0",
    "storage-layout": "0.12.0",
    "remote-signing-enabled": "0.11.0",
    "legacy-md5-behavior": "0.11.0",
    "sas-enabled": "0.11.0",
};

/** Reads a profile, fills the defaults, and forgets what this version does not know. */
export function decodeProfile(body: Fields, version: Version): Profile {
    const tags = knows(version, "0.12.4")
        ? ["adls", "azdls", "onelake", "s3", "gcs"]
        : ["adls", "azdls", "s3", "gcs"];
    const { tag, fields } = body.tagged("storage-profile", tags, "internally tagged enum StorageProfile");
    const profile = decode(tag, fields);
    const unknown = Object.entries(fieldSince).filter(([, since]) => !knows(version, since));
    for (const [field] of unknown) delete (profile as unknown as Record<string, unknown>)[field];
    if (profile.type === "gcs" && !knows(version, "0.11.0")) {
        delete (profile as Partial<GcsProfile>)["sts-enabled"];
    }
    return profile;
}

/**
 * Checks a profile and brings it into the form that is stored and echoed. Only S3 looks at the credential's kind here.
 * @throws {Refusal} 400 with the types of the real server
 */
export function normaliseProfile(profile: Profile, credential: Credential | undefined): Profile {
    switch (profile.type) {
        case "s3": {
            const normal = normaliseS3Profile(profile, credential?.kind["credential-type"]);
            refuseForeign(credential);
            return normal;
        }
        case "adls":
            return normaliseAdlsProfile(profile);
        case "gcs":
            return normaliseGcsProfile(profile);
        case "onelake":
            return normaliseOneLakeProfile(profile);
    }
}

/**
 * The profile after `POST /storage`: a full replacement, except for what survives being left out.
 * @throws {Refusal} 400 `UpdateError` for what would move the data
 */
export function updateProfile(old: Profile, next: Profile, version: Version): Profile {
    if (old.type === "s3" && next.type === "s3") return updateS3Profile(old, next, version);
    if (old.type === "adls" && next.type === "adls") return updateAdlsProfile(old, next);
    if (old.type === "gcs" && next.type === "gcs") return updateGcsProfile(old, next);
    if (old.type === "onelake" && next.type === "onelake") return updateOneLakeProfile(old, next);
    // The real server names the old type twice.
    throw refuse(400, "UpdateError", `Incompatible profiles: ${old.type} cannot be updated with ${old.type}`);
}

/** Whether two warehouses would share objects, by the real server's rule; never for two kinds of storage. */
export function profilesOverlap(a: Profile, b: Profile): boolean {
    if (a.type === "s3" && b.type === "s3") return s3ProfilesOverlap(a, b);
    if (a.type === "adls" && b.type === "adls") return adlsProfilesOverlap(a, b);
    if (a.type === "gcs" && b.type === "gcs") return gcsProfilesOverlap(a, b);
    if (a.type === "onelake" && b.type === "onelake") return oneLakeProfilesOverlap(a, b);
    return false;
}

function decode(tag: string, fields: Fields): Profile {
    if (tag === "s3") return decodeS3Profile(fields);
    if (tag === "gcs") return decodeGcsProfile(fields);
    return tag === "onelake" ? decodeOneLakeProfile(fields) : decodeAdlsProfile(fields);
}

function refuseForeign(credential: Credential | undefined): void {
    const names: Record<string, string> = { az: "adls", gcs: "gcs" };
    const foreign = credential && names[credential.kind.type];
    if (foreign) {
        throw refuse(400, "UnexpectedStorageProfileType", `Expected storage of type s3, is: ${foreign}`);
    }
}
