import { refuse, refuseText } from "./answers.ts";
import { type Credential, decodeCredential } from "./credential.ts";
import type { Fields } from "./decode.ts";
import { badId } from "./projects.ts";
import { decodeS3Profile, normaliseS3Profile, type S3Profile } from "./s3-profile.ts";
import type { DeleteProfile } from "./state.ts";

const formatVersions = [1, 2, 3];
const managers = ["self-managed", "instance-admin"];
const managerNames = { "self-managed": "self-managed", "instance-admin": "instance-admin" };

/** The body of `POST /warehouse`. */
export function decodeNewWarehouse(body: Fields) {
    const name = body.string("warehouse-name");
    const profile = decodeProfile(body);
    const projectId = body.optionalString("project-id");
    if (projectId !== null && !/^[\w-]+$/.test(projectId)) throw body.fault("project-id", badId(projectId));
    return {
        name,
        profile,
        credential: decodeCredential(body, "storage-credential"),
        deleteProfile: body.given("delete-profile") ? decodeDeleteProfile(body) : ({ type: "hard" } as const),
        versions: decodeFormatVersions(body, false),
        managedBy: body.has("managed-by") ? decodeManager(body) : "self-managed",
        projectId,
    };
}

export function decodeManager(body: Fields): string {
    return body.variant("managed-by", managers, managerNames);
}

/** Nobody here is an instance admin, so only one manager can be asked for. */
export function checkManager(manager: string): void {
    if (manager === "self-managed") return;
    throw refuse(
        403,
        "WarehouseManaged",
        `Warehouse spec is managed by '${manager}' and cannot be modified by this caller. Manage it through the controlling instance admin (e.g. your operator / IaC), or have an instance admin clear the managed-by marker.`,
    );
}

export function decodeProfile(body: Fields): S3Profile {
    const tags = ["adls", "azdls", "onelake", "s3", "gcs"];
    const { tag, fields } = body.tagged("storage-profile", tags, "internally tagged enum StorageProfile");
    if (tag !== "s3")
        throw refuseText(501, `The simulated Lakekeeper knows no storage profile of type ${tag} yet.`);
    return decodeS3Profile(fields);
}

export function decodeDeleteProfile(body: Fields): DeleteProfile {
    const kinds = ["hard", "soft"];
    const { tag, fields } = body.tagged(
        "delete-profile",
        kinds,
        "internally tagged enum TabularDeleteProfile",
    );
    if (tag === "hard") return { type: "hard" };
    return { type: "soft", "expiration-seconds": fields.integer("expiration-seconds") };
}

export function decodeFormatVersions(
    body: Fields,
    required: boolean,
): { allowedFormatVersions: number[]; defaultFormatVersion?: number } {
    const allowed =
        required || body.has("allowed-format-versions")
            ? body.integers("allowed-format-versions", formatVersions)
            : formatVersions;
    const chosen = body.has("default-format-version") ? body.integer("default-format-version") : undefined;
    if (chosen !== undefined && !formatVersions.includes(chosen)) {
        throw body.fault("default-format-version", `invalid value: ${chosen}, expected one of: 1, 2, 3`);
    }
    return {
        allowedFormatVersions: [...new Set(allowed)].sort((a, b) => a - b),
        defaultFormatVersion: chosen,
    };
}

export function checkFormatVersions(policy: {
    allowedFormatVersions: number[];
    defaultFormatVersion?: number;
}): void {
    const { allowedFormatVersions: allowed, defaultFormatVersion: chosen } = policy;
    if (allowed.length === 0) {
        const message = "allowed_format_versions must contain at least one format version.";
        throw refuse(400, "EmptyAllowedFormatVersions", message);
    }
    if (chosen !== undefined && !allowed.includes(chosen)) {
        const message = `default_format_version '${chosen}' is not in allowed_format_versions`;
        throw refuse(400, "DefaultFormatVersionNotAllowed", message);
    }
}

export function checkName(name: string): void {
    if (name === "") throw refuse(400, "EmptyWarehouseName", "Warehouse name cannot be empty");
    if (Buffer.byteLength(name) > 128) {
        throw refuse(400, "WarehouseNameTooLong", "Warehouse must be shorter than 128 chars");
    }
}

export function normaliseProfile(profile: S3Profile, credential: Credential | undefined): S3Profile {
    const names: Record<string, string> = { az: "adls", gcs: "gcs" };
    const foreign = credential ? names[credential.kind.type] : undefined;
    const normal = normaliseS3Profile(profile, credential?.kind["credential-type"]);
    if (foreign) {
        throw refuse(400, "UnexpectedStorageProfileType", `Expected storage of type s3, is: ${foreign}`);
    }
    return normal;
}
