import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { ApiError } from "../http/api-error.ts";
import type { LakekeeperClient } from "./client.ts";
import { type Credential, type SystemIdentity, systemIdentityOf } from "./storage/credential.ts";
import { type Storage, storageFields } from "./storage/index.ts";

export const infoAnswer = z.looseObject({
    version: z.string(),
    "lakekeeper-version": z.string().optional(),
    bootstrapped: z.boolean(),
    "server-id": z.string(),
    "default-project-id": z.string().nullish(),
    "authz-backend": z.string(),
    "aws-system-identities-enabled": z.boolean().optional(),
    "azure-system-identities-enabled": z.boolean().optional(),
    "gcp-system-identities-enabled": z.boolean().optional(),
    queues: z.array(z.string()).default([]),
});

export type Info = z.output<typeof infoAnswer>;

/** Asks the server what it is. @throws {ApiError} */
export function readInfo(client: LakekeeperClient): Promise<Info> {
    return client.call(
        {
            method: "GET",
            path: "/management/v1/info",
            action: "read the server's state",
            deadlineSeconds: infoSeconds,
        },
        infoAnswer,
    );
}

/** A server that is so slow with this cannot be worked with; previews wait for it. */
const infoSeconds = 60;

/** How long one answer serves all resources of a run; a server is not upgraded in the middle of it. */
const sharedMilliseconds = 30_000;

const shared = new Map<string, { until: number; info: Promise<Info> }>();

/** {@link readInfo}, asked once for all resources of a run. A failure is not kept. */
export function sharedInfo(client: LakekeeperClient): Promise<Info> {
    const known = shared.get(client.url);
    if (known && known.until > Date.now()) return known.info;
    const info = readInfo(client);
    shared.set(client.url, { until: Date.now() + sharedMilliseconds, info });
    info.catch(() => shared.delete(client.url));
    return info;
}

/** {@link sharedInfo} for a preview: undefined when the server does not answer, since this very run may install it. */
export async function infoIfThere(client: LakekeeperClient): Promise<Info | undefined> {
    try {
        return await sharedInfo(client);
    } catch (error) {
        if (error instanceof ApiError) return undefined;
        throw error;
    }
}

/**
 * The version as text. A build from the main branch tells a lower version than the release before it, but has the
 * queue `soft_deletion`, which no release up to 0.13 has (observed).
 */
export function versionOf(info: Info): string {
    if (info.queues.includes("soft_deletion")) return "0.14.0";
    return info["lakekeeper-version"] ?? info.version;
}

/** Whether a server is of this version or newer. A version that is no number counts as newer. */
export function isAtLeast(version: string, since: string): boolean {
    const [have, need] = [version, since].map((text) => text.split(/[.+-]/).slice(0, 3).map(Number)) as [
        number[],
        number[],
    ];
    for (const [index, part] of need.entries()) {
        const got = have[index] ?? 0;
        if (Number.isNaN(got) || got > part) return true;
        if (got < part) return false;
    }
    return true;
}

/**
 * The fault of something that not every supported server has.
 * @param what `members of a role`
 */
export function neededVersion(info: Info, what: string, since: string): string | undefined {
    const version = versionOf(info);
    return isAtLeast(version, since)
        ? undefined
        : `${what} need Lakekeeper ${since}, and the server is ${version}`;
}

/** What a warehouse asks of its server beside its storage, with the version that has it. */
const warehouseSince = {
    allowedFormatVersions: "0.13.0",
    defaultFormatVersion: "0.13.0",
    managedBy: "0.13.0",
} as const;

type Gated = { [K in keyof typeof warehouseSince]?: unknown } & { storage: Storage; credential?: Credential };

/**
 * What the server cannot do of that which is asked of it. It would drop fields that it does not know without a word,
 * and refuses a system identity only after it has tried the storage.
 */
export function unsupported(wanted: Gated, info: Info): string[] {
    const version = versionOf(info);
    const needed = [...newerThanOldest(wanted)].filter(([, since]) => !isAtLeast(version, since));
    const faults = needed.map(
        ([field, since]) =>
            `${field} needs Lakekeeper ${since}, and the server is ${version}, which would not heed it`,
    );
    const identity: SystemIdentity | undefined = wanted.credential && systemIdentityOf(wanted.credential);
    if (identity && info[identity] === false) {
        faults.push(
            `credential.type ${wanted.credential?.type} needs a server with system identities switched on ` +
                `(${identity} is false): use a key, or set LAKEKEEPER__ENABLE_${cloudOf(identity)}_SYSTEM_CREDENTIALS`,
        );
    }
    return faults;
}

/** The fields that are used and that not every supported server knows. */
export function* newerThanOldest(wanted: Gated): Generator<[field: string, since: string]> {
    const values = wanted.storage as Record<string, unknown>;
    for (const [name, { schema, since }] of Object.entries(storageFields[wanted.storage.type])) {
        const absent = schema.safeParse(undefined);
        const used = !(absent.success && isDeepStrictEqual(absent.data, values[name]));
        if (since && used) yield [`storage.${name}`, since];
    }
    for (const [name, since] of Object.entries(warehouseSince)) {
        if (wanted[name as keyof typeof warehouseSince] !== undefined) yield [name, since];
    }
}

function cloudOf(identity: SystemIdentity): string {
    return identity.split("-")[0]?.toUpperCase() ?? "";
}
