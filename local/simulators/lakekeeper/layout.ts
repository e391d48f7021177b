import type { Fields } from "./decode.ts";

/** How table folders are named below the base location; a change holds for new tables only. */
export type StorageLayout =
    | { type: "default" }
    | { type: "tabular-only"; tabular: string }
    | { type: "full-hierarchy"; namespace: string; tabular: string };

const kinds = ["default", "tabular-only", "full-hierarchy"] as const;

/** Reads the optional `storage-layout` of a profile; null when it is not given. */
export function decodeLayout(profile: Fields): StorageLayout | null {
    if (!profile.has("storage-layout")) return null;
    const { tag, fields } = profile.tagged("storage-layout", kinds, "internally tagged enum StorageLayout");
    if (tag === "default") return { type: "default" };
    const tabular = fields.string("tabular");
    if (!tabular.includes("{uuid}") && tag === "tabular-only") {
        throw profile.fault(
            "storage-layout",
            `Invalid Template: For the '${tag}' layout, the tabular template '${tabular}' must contain the {uuid} placeholder to prevent path collisions.`,
        );
    }
    if (tag === "tabular-only") return { type: "tabular-only", tabular };
    return { type: "full-hierarchy", namespace: fields.string("namespace"), tabular };
}
