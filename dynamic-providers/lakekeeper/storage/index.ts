import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { adlsFields, adlsStorage, gcsFields, gcsStorage, oneLakeFields, oneLakeStorage } from "./clouds.ts";
import { type FieldTable, kebabCase } from "./fields.ts";
import { s3Fields, s3Storage } from "./s3.ts";

/**
 * Where a warehouse keeps its tables. Values are brought into the form in which the server stores them, so that what
 * it answers can be compared.
 */
export const storageSchema = z.discriminatedUnion("type", [
    s3Storage,
    adlsStorage,
    gcsStorage,
    oneLakeStorage,
]);

export type Storage = z.output<typeof storageSchema>;

/** Every field of every kind of storage: what a change of it does, and since which version it is known. */
export const storageFields: Record<Storage["type"], FieldTable> = {
    s3: s3Fields,
    adls: adlsFields,
    gcs: gcsFields,
    onelake: oneLakeFields,
};

/**
 * The whole profile, since the server replaces what is left out by its default. The layout survives being left out
 * and is therefore always said.
 */
export function toProfile(storage: Storage): Record<string, unknown> {
    const values = storage as Record<string, unknown>;
    const profile = Object.fromEntries(
        Object.keys(storageFields[storage.type]).map((name) => [kebabCase(name), values[name]]),
    );
    return { ...profile, "storage-layout": storage.storageLayout ?? { type: "default" } };
}

/** A profile as a server answers it. Older servers leave fields out, others write null: both mean unset. */
export const profileAnswer = z.looseObject({ type: z.string() });

export type ProfileAnswer = z.output<typeof profileAnswer>;

/** The inputs that would make this profile. One that our rules would not accept comes as it is: it shows up as drift. */
export function fromProfile(profile: ProfileAnswer): Storage {
    const fields = storageFields[profile.type as Storage["type"]] as FieldTable | undefined;
    const given = Object.fromEntries(
        Object.keys(fields ?? { type: undefined })
            .map((name) => [name, profile[kebabCase(name)]] as const)
            .filter(([, value]) => value !== null && value !== undefined),
    );
    const parsed = storageSchema.safeParse(given);
    return parsed.success ? parsed.data : (given as Storage);
}

/** The fields in which the two differ and that cannot change in place; empty when the warehouse can stay. */
export function movingFields(old: Storage, wanted: Storage): string[] {
    if (old.type !== wanted.type) return ["type"];
    const [before, after] = [old, wanted] as [Record<string, unknown>, Record<string, unknown>];
    return Object.entries(storageFields[wanted.type])
        .filter(([name]) => !isDeepStrictEqual(before[name], after[name]))
        .filter(([, { change }]) => (typeof change === "function" ? change(after) : change) === "replace")
        .map(([name]) => name);
}

/**
 * Whether the two would share objects. Stricter than the server, which takes another spelling of the region or of the
 * endpoint's scheme for another store, and which does not look at all when a storage is changed (0.13.3 observed).
 */
export function overlaps(one: Storage, other: Storage): boolean {
    const [a, b] = [placeOf(one), placeOf(other)];
    if (!a || !b || a.store !== b.store) return false;
    return a.folder === "" || b.folder === "" || nested(a.folder, b.folder) || nested(b.folder, a.folder);
}

/** Whether the two are exactly the same place. */
export function samePlace(one: Storage, other: Storage): boolean {
    const place = placeOf(one);
    return place !== undefined && isDeepStrictEqual(place, placeOf(other));
}

/** A location for people: `s3://bucket/prefix in region`. */
export function describeLocation(storage: Storage): string {
    switch (storage.type) {
        case "s3":
            return `s3://${joined(storage.bucket, storage.keyPrefix)} in ${storage.region}`;
        case "adls":
            return `abfss://${storage.filesystem}@${joined(accountOf(storage), storage.keyPrefix)}`;
        case "gcs":
            return `gs://${joined(storage.bucket, storage.keyPrefix)}`;
        case "onelake":
            return `onelake ${joined(lakehouseOf(storage), storage.directoryRelPath)}`;
        default:
            return `a storage of type ${(storage as { type: string }).type}`;
    }
}

/** Two places share objects when they are in one store and one folder is in the other. Undefined for unknown kinds. */
function placeOf(storage: Storage): { store: string; folder: string } | undefined {
    switch (storage.type) {
        case "s3": {
            const host = storage.endpoint ? new URL(storage.endpoint).host : "";
            return { store: `s3 ${host} ${storage.bucket}`, folder: storage.keyPrefix ?? "" };
        }
        case "adls":
            return {
                store: `adls ${storage.filesystem} ${accountOf(storage)}`,
                folder: storage.keyPrefix ?? "",
            };
        case "gcs":
            return { store: `gcs ${storage.bucket}`, folder: storage.keyPrefix ?? "" };
        case "onelake":
            return { store: `onelake ${lakehouseOf(storage)}`, folder: storage.directoryRelPath ?? "" };
        default:
            return undefined;
    }
}

function accountOf(storage: { accountName: string; host?: string }): string {
    return `${storage.accountName}.${storage.host ?? "dfs.core.windows.net"}`;
}

function lakehouseOf(storage: { workspaceId: string; lakehouseId: string; topLevelFolder: string }): string {
    return `${storage.workspaceId}/${storage.lakehouseId}/${storage.topLevelFolder}`;
}

function joined(base: string, path: string | undefined): string {
    return path ? `${base}/${path}` : base;
}

function nested(inner: string, outer: string): boolean {
    return inner === outer || inner.startsWith(`${outer}/`);
}
