import { refuse } from "./answers.ts";
import type { Fields } from "./decode.ts";
import { decodeLayout, type StorageLayout } from "./layout.ts";
import { immutable, nested, normalisePrefix } from "./profile-rules.ts";

/** An Azure profile as the server echoes it: every field present, null when unset (0.13.3 observed). */
export interface AdlsProfile {
    type: "adls";
    filesystem: string;
    "key-prefix": string | null;
    "account-name": string;
    "authority-host": string | null;
    host: string | null;
    "sas-token-validity-seconds": number | null;
    "allow-alternative-protocols": boolean;
    "sas-enabled": boolean;
    "storage-layout": StorageLayout | null;
}

/** A Google profile as the server echoes it. */
export interface GcsProfile {
    type: "gcs";
    bucket: string;
    "key-prefix": string | null;
    "sts-enabled": boolean;
    "storage-layout": StorageLayout | null;
}

/** A Fabric lakehouse as the server echoes it. */
export interface OneLakeProfile {
    type: "onelake";
    "workspace-id": string;
    "lakehouse-id": string;
    "directory-rel-path": string | null;
    "top-level-folder": "Files" | "Tables";
    "endpoint-mode": Record<string, string>;
    "sas-token-validity-seconds": number | null;
    "sas-enabled": boolean;
    "authority-host": string | null;
    "storage-layout": StorageLayout | null;
}

const topFolders = { Files: "Files", Tables: "Tables" } as const;

export function decodeAdlsProfile(fields: Fields): AdlsProfile {
    return {
        type: "adls",
        filesystem: fields.string("filesystem"),
        "key-prefix": fields.optionalString("key-prefix"),
        "account-name": fields.string("account-name"),
        "authority-host": fields.optionalUrl("authority-host")?.href ?? null,
        host: fields.optionalString("host"),
        "sas-token-validity-seconds": seconds(fields),
        "allow-alternative-protocols": fields.boolean("allow-alternative-protocols", false),
        "sas-enabled": fields.boolean("sas-enabled", true),
        "storage-layout": decodeLayout(fields),
    };
}

export function decodeGcsProfile(fields: Fields): GcsProfile {
    return {
        type: "gcs",
        bucket: fields.string("bucket"),
        "key-prefix": fields.optionalString("key-prefix"),
        "sts-enabled": fields.boolean("sts-enabled", true),
        "storage-layout": decodeLayout(fields),
    };
}

export function decodeOneLakeProfile(fields: Fields): OneLakeProfile {
    return {
        type: "onelake",
        "workspace-id": fields.string("workspace-id"),
        "lakehouse-id": fields.string("lakehouse-id"),
        "directory-rel-path": fields.optionalString("directory-rel-path"),
        "top-level-folder": fields.has("top-level-folder")
            ? fields.variant("top-level-folder", Object.keys(topFolders), topFolders)
            : "Files",
        "endpoint-mode": decodeEndpointMode(fields),
        "sas-token-validity-seconds": seconds(fields),
        "sas-enabled": fields.boolean("sas-enabled", true),
        "authority-host": fields.optionalUrl("authority-host")?.href ?? null,
        "storage-layout": decodeLayout(fields),
    };
}

/** @throws {Refusal} 400 with the types of the real server */
export function normaliseAdlsProfile(profile: AdlsProfile): AdlsProfile {
    const { filesystem, "account-name": account } = profile;
    const faults: [boolean, string, string][] = [
        [
            !/^[a-z0-9-]*$/.test(filesystem),
            "Invalidfilesystem",
            `Invalid ADLS filesystem / container name \`${filesystem}\`: Filesystem name can only contain lowercase letters, numbers, and hyphens (-).`,
        ],
        [
            account.length < 3 || account.length > 24,
            "Invalidaccount_name",
            `Invalid ADLS Account Name \`${account}\`: Must be between 3 and 24 characters long.`,
        ],
        [
            !/^[a-z0-9]*$/.test(account),
            "Invalidaccount_name",
            `Invalid ADLS Account Name \`${account}\`: Must contain only lowercase letters and numbers.`,
        ],
    ];
    for (const [wrong, type, message] of faults) if (wrong) throw refuse(400, type, message);
    checkSeconds(profile);
    const prefix = normalisePrefix(profile["key-prefix"], 512, "key-prefix");
    checkHost(profile, prefix);
    return { ...profile, "key-prefix": prefix };
}

/** @throws {Refusal} 400 `Invalidbucket_name` or `Invalidkey_prefix` */
export function normaliseGcsProfile(profile: GcsProfile): GcsProfile {
    const { bucket } = profile;
    const reason =
        bucket.length < 3 || bucket.length > 63
            ? "must be between 3 and 63 characters long."
            : !/^[a-z0-9.-]+$/.test(bucket)
              ? "can consist only of lowercase letters, numbers, dots (.), and hyphens (-)."
              : bucket.startsWith("goog")
                ? 'cannot begin with the "goog" prefix.'
                : /^\d+(\.\d+){3}$/.test(bucket)
                  ? "Bucket name cannot be represented as an IP address in dotted-decimal notation."
                  : undefined;
    if (reason) throw refuse(400, "Invalidbucket_name", `Invalid GCS Bucket Name \`${bucket}\`: ${reason}`);
    return { ...profile, "key-prefix": normalisePrefix(profile["key-prefix"], 896) };
}

/** @throws {Refusal} 400 for slashes at the ends of the folder, which are not cut here, and for long-lived tokens */
export function normaliseOneLakeProfile(profile: OneLakeProfile): OneLakeProfile {
    checkSeconds(profile);
    if ((profile["sas-token-validity-seconds"] ?? 0) > 3600) {
        const message = "SAS token validity must not exceed 3600 seconds.";
        throw refuse(400, "Invalidsas-token-validity-seconds", message);
    }
    const path = profile["directory-rel-path"];
    if (path !== null && /^\/|\/$/.test(path)) {
        const { "workspace-id": workspace, "lakehouse-id": lakehouse, "top-level-folder": top } = profile;
        const address = `${workspace}@onelake.dfs.fabric.microsoft.com/${lakehouse}/${top}/${path}/`;
        throw badLocation(`abfss://${address}`, `empty path segment (consecutive \`/\`) in "${address}"`);
    }
    return profile;
}

/** @throws {Refusal} 400 `UpdateError`; another account is accepted although the tables stay in the old one (observed) */
export function updateAdlsProfile(old: AdlsProfile, next: AdlsProfile): AdlsProfile {
    refuseChange(old, next, ["filesystem", "key-prefix", "host", "authority-host"]);
    return { ...next, "storage-layout": next["storage-layout"] ?? old["storage-layout"] };
}

export function updateGcsProfile(old: GcsProfile, next: GcsProfile): GcsProfile {
    refuseChange(old, next, ["bucket", "key-prefix"]);
    return { ...next, "storage-layout": next["storage-layout"] ?? old["storage-layout"] };
}

export function updateOneLakeProfile(old: OneLakeProfile, next: OneLakeProfile): OneLakeProfile {
    refuseChange(old, next, [
        "workspace-id",
        "lakehouse-id",
        "top-level-folder",
        "directory-rel-path",
        "endpoint-mode",
    ]);
    return { ...next, "storage-layout": next["storage-layout"] ?? old["storage-layout"] };
}

export function adlsProfilesOverlap(a: AdlsProfile, b: AdlsProfile): boolean {
    const same = ["filesystem", "account-name", "host", "authority-host"] as const;
    return same.every((field) => a[field] === b[field]) && nested(a["key-prefix"], b["key-prefix"]);
}

export function gcsProfilesOverlap(a: GcsProfile, b: GcsProfile): boolean {
    return a.bucket === b.bucket && nested(a["key-prefix"], b["key-prefix"]);
}

export function oneLakeProfilesOverlap(a: OneLakeProfile, b: OneLakeProfile): boolean {
    const same = ["workspace-id", "lakehouse-id", "top-level-folder"] as const;
    return (
        same.every((field) => a[field] === b[field]) &&
        nested(a["directory-rel-path"], b["directory-rel-path"])
    );
}

function refuseChange<T extends object>(old: T, next: T, fields: (keyof T & string)[]): void {
    for (const field of fields) {
        if (JSON.stringify(old[field]) !== JSON.stringify(next[field])) throw immutable(field);
    }
}

function seconds(fields: Fields): number | null {
    return fields.has("sas-token-validity-seconds")
        ? fields.integer("sas-token-validity-seconds", { unsigned: true })
        : null;
}

function decodeEndpointMode(profile: Fields): Record<string, string> {
    if (!profile.has("endpoint-mode")) return { type: "default" };
    const kinds = ["default", "regional", "workspace-private-link"];
    const { tag, fields } = profile.tagged("endpoint-mode", kinds, "internally tagged enum EndpointMode");
    return tag === "regional" ? { type: tag, region: fields.string("region") } : { type: tag };
}

function checkSeconds({ "sas-token-validity-seconds": wanted }: AdlsProfile | OneLakeProfile): void {
    if (wanted !== 0) return;
    const message = "SAS token validity must be greater than 0 seconds.";
    throw refuse(400, "Invalidsas-token-validity-seconds", message);
}

/** A bad host shows only in the address that is made of it. */
function checkHost({ filesystem, "account-name": account, host }: AdlsProfile, prefix: string | null): void {
    if (host === null) return;
    const location = `abfss://${filesystem}@${account}.${host}/${prefix ? `${prefix}/` : ""}`;
    const reason =
        host === ""
            ? "host has a trailing `.` — Azure Blob aliases `host.` to `host`, reject globally to avoid backend-specific divergence"
            : host.includes("://")
              ? "Expected exactly one :// in the Location"
              : /[\s/?#]/.test(host)
                ? "Not a valid URL - `invalid domain character`"
                : undefined;
    if (reason === undefined) return;
    throw badLocation(location, reason);
}

function badLocation(location: string, reason: string): Error {
    const source = `Failed to create base location for storage profile: Failed to parse '${location}' as Location: ${reason}`;
    return refuse(400, "InvalidLocation", `Invalid location \`${location}\`. Context: []. Source: ${source}`);
}
