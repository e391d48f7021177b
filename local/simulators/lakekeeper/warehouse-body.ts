import { refuse } from "./answers.ts";
import { decodeCredential } from "./credential.ts";
import type { Fields } from "./decode.ts";
import { decodeProfile } from "./profile.ts";
import { badId } from "./projects.ts";
import type { DeleteProfile } from "./state.ts";
import type { Version } from "./version.ts";

const formatVersions = [1, 2, 3];
const managers = ["self-managed", "instance-admin"];
const managerNames = { "self-managed": "self-managed", "instance-admin": "instance-admin" };

/** The body of `POST /warehouse`. */
export function decodeNewWarehouse(body: Fields, version: Version) {
    const name = body.string("warehouse-name");
    const profile = decodeProfile(body, version);
    const projectId = body.optionalString("project-id");
    if (projectId !== null && !/^[\w-]+$/.test(projectId)) throw body.fault("project-id", badId(projectId));
    return {
        name,
        profile,
        credential: decodeCredential(body, "storage-credential", version),
        deleteProfile: body.given("delete-profile") ? decodeDeleteProfile(body) : ({ type: "hard" } as const),
        versions: decodeFormatVersions(body, false),
        managedBy: body.has("managed-by") ? decodeManager(body) : "self-managed",
        projectId,
    };
}

export function decodeManager(body: Fields): string {
    return body.variant("managed-by", managers, managerNames);
}

/** Only an instance admin can take a warehouse for itself. */
export function checkManager(manager: string, instanceAdmin: boolean): void {
    if (manager === "self-managed" || instanceAdmin) return;
    throw refuse(403, "WarehouseManaged", managedMessage(manager));
}

/** A warehouse that an instance admin has taken is changed and deleted by none but them. */
export function checkSpecMutable(managedBy: string | undefined, instanceAdmin: boolean): void {
    if (managedBy !== "instance-admin" || instanceAdmin) return;
    throw refuse(403, "WarehouseManaged", managedMessage(managedBy), [
        "Error verifying warehouse spec is mutable",
    ]);
}

function managedMessage(manager: string): string {
    return `Warehouse spec is managed by '${manager}' and cannot be modified by this caller. Manage it through the controlling instance admin (e.g. your operator / IaC), or have an instance admin clear the managed-by marker.`;
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
