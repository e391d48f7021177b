import * as z from "zod";
import { type FieldTable, folder, httpUrl, shapeOf, storageLayout } from "./fields.ts";

/** Azure Data Lake Storage, second generation (0.13.3 observed). */
export const adlsFields = {
    type: { schema: z.literal("adls"), change: "replace" },
    filesystem: {
        schema: z.string().regex(/^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/, {
            error: "must be a container name: 3 to 63 lower-case letters, digits and hyphens",
        }),
        change: "replace",
    },
    // The server takes another account, but the tables stay in the old one.
    accountName: {
        schema: z
            .string()
            .regex(/^[a-z0-9]{3,24}$/, { error: "must be 3 to 24 lower-case letters and digits" }),
        change: "replace",
    },
    keyPrefix: { schema: folder(512), change: "replace" },
    /** Where tokens come from. Default: the public cloud's. */
    authorityHost: { schema: httpUrl.optional(), change: "replace" },
    /** Domain of the storage account. Default `dfs.core.windows.net`. */
    host: {
        schema: z
            .string()
            .regex(/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/, {
                error: "must be a domain, like dfs.core.windows.net",
            })
            .optional(),
        change: "replace",
    },
    sasTokenValiditySeconds: { schema: z.int().positive().optional(), change: "update" },
    /** Give short-lived tokens to clients. Default true. */
    sasEnabled: { schema: z.boolean().default(true), change: "update", since: "0.11.0" },
    /** Let `wasbs://` stand for `abfss://` in table locations. Default false. */
    allowAlternativeProtocols: { schema: z.boolean().default(false), change: "update" },
    storageLayout,
} satisfies FieldTable;

export const adlsStorage = z.strictObject(shapeOf(adlsFields));

/** Google Cloud Storage (0.13.3 observed). */
export const gcsFields = {
    type: { schema: z.literal("gcs"), change: "replace" },
    bucket: {
        schema: z.string().regex(/^(?!goog)(?!\d+(\.\d+){3}$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, {
            error: "must be a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens, no address, not beginning with goog",
        }),
        change: "replace",
    },
    keyPrefix: { schema: folder(896), change: "replace" },
    /** Give short-lived tokens to clients. Default true. */
    stsEnabled: { schema: z.boolean().default(true), change: "update", since: "0.11.0" },
    storageLayout,
} satisfies FieldTable;

export const gcsStorage = z.strictObject(shapeOf(gcsFields));

/** A lakehouse of Microsoft Fabric (0.12.4 and newer; 0.13.3 observed). */
export const oneLakeFields = {
    type: { schema: z.literal("onelake"), change: "replace", since: "0.12.4" },
    workspaceId: { schema: z.guid().toLowerCase(), change: "replace" },
    lakehouseId: { schema: z.guid().toLowerCase(), change: "replace" },
    /** Folder below `topLevelFolder`. The server refuses slashes at its ends. */
    directoryRelPath: { schema: folder(512), change: "replace" },
    topLevelFolder: { schema: z.enum(["Files", "Tables"]).default("Files"), change: "replace" },
    endpointMode: {
        schema: z
            .discriminatedUnion("type", [
                z.strictObject({ type: z.literal("default") }),
                z.strictObject({ type: z.literal("regional"), region: z.string().min(1) }),
                z.strictObject({ type: z.literal("workspace-private-link") }),
            ])
            .default({ type: "default" }),
        change: "replace",
    },
    authorityHost: { schema: httpUrl.optional(), change: "update" },
    sasEnabled: { schema: z.boolean().default(true), change: "update" },
    sasTokenValiditySeconds: { schema: z.int().positive().max(3600).optional(), change: "update" },
    storageLayout,
} satisfies FieldTable;

export const oneLakeStorage = z.strictObject(shapeOf(oneLakeFields));
