import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { warehouseName } from "../../model/names.ts";
import { type Change, type Effect, PartialCreateError, type ResourceDefinition } from "../resource.ts";
import { LakekeeperClient } from "./client.ts";
import { connectionEffect, connectionSchema } from "./connection.ts";
import { projectId } from "./ids.ts";
import { previewGate } from "./server-gate.ts";
import { credentialFaults, credentialSchema, credentialTypeOf } from "./storage/credential.ts";
import { fromProfile, movingFields, type Storage, storageSchema } from "./storage/index.ts";
import { listWarehouses, type WarehouseAnswer, WarehouseCalls } from "./warehouse-api.ts";
import { createWarehouse, refuseClash } from "./warehouse-create.ts";
import { deleteWarehouse } from "./warehouse-delete.ts";
import { forgetList } from "./warehouse-list.ts";
import { refusedReplaces } from "./warehouse-replace.ts";

const formatVersion = z.int().min(1).max(3);

const inputs = z
    .strictObject({
        connection: connectionSchema,
        /** Id of the project. Default: the server's default project. */
        projectId: projectId.optional(),
        name: warehouseName,
        storage: storageSchema,
        /** Secret, and write-only. Without one the server must reach the bucket without any key. */
        credential: credentialSchema.optional(),
        /** Default `hard`: a dropped table is gone. `soft` keeps it for `expirationSeconds`. */
        deleteProfile: z
            .discriminatedUnion("type", [
                z.strictObject({ type: z.literal("hard") }),
                z.strictObject({ type: z.literal("soft"), expirationSeconds: z.int().nonnegative() }),
            ])
            .default({ type: "hard" }),
        /** Lakekeeper's own protection against deletion by anybody. Default false. */
        protected: z.boolean().default(false),
        /** Default true. A deactivated warehouse cannot be used. */
        active: z.boolean().default(true),
        /** Iceberg format versions that tables may have (0.13 and newer). Default: left as they are. */
        allowedFormatVersions: z
            .array(formatVersion)
            .min(1)
            .transform((versions) => [...new Set(versions)].sort((a, b) => a - b))
            .optional(),
        /** Format version of new tables; one of allowedFormatVersions. */
        defaultFormatVersion: formatVersion.optional(),
        /** `instance-admin` locks it for everybody else (0.13 and newer). Default: left as it is. */
        managedBy: z.enum(["self-managed", "instance-admin"]).optional(),
        /** Take over a warehouse with this name and this location that exists already. Default false. */
        adopt: z.boolean().default(false),
        /** Refuse to delete or replace it. Default true. */
        deletionProtection: z.boolean().default(true),
        /** Drop what is in it before it is deleted. Default: a warehouse that holds anything is not deleted. */
        drain: z
            .strictObject({
                /** How long the server may take for it. Default 600. */
                deadlineSeconds: z.int().positive().default(600),
                /** Delete the files of the tables too. Default false. */
                purge: z.boolean().default(false),
                /** Also drop what is protected, or could still be brought back. Default false. */
                force: z.boolean().default(false),
            })
            .optional(),
        /**
         * How long a new warehouse may be refused for its key or bucket before that is taken for final, in seconds: a key that was
         * just made takes a while to be known everywhere. Default 30.
         */
        storageWaitSeconds: z.number().nonnegative().default(30),
    })
    .superRefine(({ storage, credential }, issues) => {
        for (const fault of credentialFaults(storage, credential)) {
            issues.addIssue({ code: "custom", ...fault });
        }
    })
    .superRefine(({ allowedFormatVersions: allowed, defaultFormatVersion: chosen }, issues) => {
        if (chosen === undefined || allowed?.includes(chosen)) return;
        issues.addIssue({
            code: "custom",
            path: ["defaultFormatVersion"],
            message: "must be one of allowedFormatVersions",
        });
    });

export type WarehouseInputs = z.output<typeof inputs>;

export interface WarehouseOutputs {
    /** The project in which it really is. */
    project: string;
    /** What Iceberg clients take as `uri`. */
    catalogUri: string;
    /** What they take as `warehouse`, whichever their default project is: `<project>/<name>`. */
    catalogWarehouse: string;
    /** Type of the credential that the server has, as `s3/access-key`; absent when it has none. */
    credentialType?: string;
    /** True when the warehouse was there before. */
    adopted: boolean;
}

/** A warehouse: a place in object storage with a name, in which an Iceberg catalog keeps its tables. */
export const warehouse: ResourceDefinition<WarehouseInputs, WarehouseOutputs> = {
    kind: "Lakekeeper warehouse",
    inputs,
    fields: {
        connection: connectionEffect,
        projectId: "replace",
        name: "update",
        storage: storageEffect,
        credential: "update",
        deleteProfile: "update",
        protected: "update",
        active: "update",
        allowedFormatVersions: "update",
        defaultFormatVersion: "update",
        managedBy: "update",
        adopt: "ignore",
        deletionProtection: "update",
        drain: "update",
        storageWaitSeconds: "ignore",
    },
    secretInputs: ["connection", "credential"],

    async review(review, context) {
        const [refused, gate] = [await refusedReplaces(review, context), await previewGate(review, context)];
        return { ...gate, faults: [...refused, ...(gate.faults ?? [])] };
    },

    // The server shows a credential's type only, and nothing when it lost the key to it: both are drift.
    needsUpdate(state, wanted) {
        return (
            state.credentialType !== notTold && state.credentialType !== credentialTypeOf(wanted.credential)
        );
    },

    async create(wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context, wanted.storageWaitSeconds);
        const { found, adopted } = await createWarehouse(client, wanted);
        const id = found.warehouseId;
        try {
            // The key of a warehouse that was there before cannot be compared: it is set.
            const now = { ...fromAnswer(found), credential: adopted ? undefined : wanted.credential };
            const changed = await bring(client, id, now, wanted);
            const final = changed ? await mustFind(client, id, wanted.name) : found;
            refuseDropped(final, wanted);
            return { id, outputs: toOutputs(client, final, adopted, sentType(wanted)) };
        } catch (error) {
            const reason = error instanceof Error ? error.message : String(error);
            const made = `warehouse '${wanted.name}' ${adopted ? "was taken over" : "was created"}`;
            const outputs = toOutputs(client, found, adopted, sentType(wanted));
            throw new PartialCreateError(id, outputs, `${made}, but then: ${reason}`);
        }
    },

    async read(id, state, context) {
        const client = new LakekeeperClient(state.connection, context);
        const found = await new WarehouseCalls(client, id, `'${state.name}'`).find();
        if (!found) {
            // "Not found" may mean "not visible": then the project cannot be listed either, which is an error.
            await listWarehouses(client, state.projectId);
            return undefined;
        }
        const {
            name,
            storage,
            deleteProfile,
            protected: guarded,
            active,
            managedBy,
            ...formats
        } = fromAnswer(found);
        return {
            inputs: {
                name,
                storage,
                deleteProfile,
                protected: guarded,
                active,
                // What the program leaves to the server is no drift.
                ...(state.allowedFormatVersions ? formats : {}),
                ...(state.managedBy ? { managedBy } : {}),
            },
            outputs: toOutputs(
                client,
                found,
                state.adopted,
                state.credentialType === notTold ? notTold : undefined,
            ),
        };
    },

    async update(id, state, wanted, context) {
        const client = new LakekeeperClient(wanted.connection, context);
        // What is there counts, not what the state says: an earlier run may have got half-way.
        const found = await mustFind(client, id, wanted.name);
        const now = { ...fromAnswer(found), credential: healthyCredential(found, state) };
        const changed = await bring(client, id, now, wanted);
        const final = changed ? await mustFind(client, id, wanted.name) : found;
        refuseDropped(final, wanted);
        return toOutputs(client, final, state.adopted, sentType(wanted));
    },

    async delete(id, state, context) {
        const client = new LakekeeperClient(state.connection, context, state.drain?.deadlineSeconds);
        await deleteWarehouse(client, id, state);
    },
};

/** What of a warehouse can be compared with inputs. */
type Observed = Pick<WarehouseInputs, "name" | "storage" | "deleteProfile" | "protected" | "active"> &
    Partial<Pick<WarehouseInputs, "allowedFormatVersions" | "defaultFormatVersion" | "managedBy">>;

function storageEffect({ old, new: wanted }: Change<Storage>): Effect {
    return old && wanted && movingFields(old, wanted).length === 0 ? "update" : "replace";
}

/**
 * Makes the warehouse as wanted, call by call and only where it differs; each call leaves it usable. A deactivated one
 * takes most changes only while it is active.
 * @param now what is there, with the credential that it is known to have
 * @returns whether anything was changed
 */
async function bring(
    client: LakekeeperClient,
    id: string,
    now: Observed & { credential: WarehouseInputs["credential"] },
    wanted: WarehouseInputs,
): Promise<boolean> {
    const calls = new WarehouseCalls(client, id, `'${now.name}'`);
    const differs = (field: keyof Observed | "credential") =>
        !isDeepStrictEqual(plain(now[field]), plain(wanted[field]));
    const versions = wanted.allowedFormatVersions;
    const steps: [boolean, () => Promise<void>][] = [
        [differs("name"), () => calls.rename(wanted.name)],
        [differs("storage"), () => calls.setStorage(wanted.storage, wanted.credential)],
        [differs("credential") && !differs("storage"), () => calls.setCredential(wanted.credential)],
        [differs("deleteProfile"), () => calls.setDeleteProfile(wanted.deleteProfile)],
    ];
    const needsActive = steps.some(([needed]) => needed);
    const activated = !now.active && (wanted.active || needsActive);
    if (activated) await calls.setActive(true);
    if (differs("name") || differs("storage")) await refuseClash(client, id, wanted);
    steps.push(
        [differs("protected"), () => calls.setProtected(wanted.protected)],
        [
            versions !== undefined && (differs("allowedFormatVersions") || differs("defaultFormatVersion")),
            () => calls.setFormatVersions(versions ?? [], wanted.defaultFormatVersion),
        ],
        [
            wanted.managedBy !== undefined && differs("managedBy"),
            () => calls.setManagedBy(wanted.managedBy ?? "self-managed"),
        ],
        [(now.active || activated) && !wanted.active, () => calls.setActive(false)],
    );
    const needed = steps.filter(([necessary]) => necessary);
    for (const [, step] of needed) await step();
    if (activated || needed.length > 0) forgetList(client);
    return activated || needed.length > 0;
}

/** Undefined fields and absent ones are the same. */
function plain(value: unknown): unknown {
    return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

async function mustFind(client: LakekeeperClient, id: string, name: string): Promise<WarehouseAnswer> {
    const found = await new WarehouseCalls(client, id, `'${name}'`).find();
    if (found) return found;
    throw new Error(
        `Lakekeeper: warehouse '${name}' (id ${id}) is not there any more at ${client.url}.\n` +
            "What to do: `pulumi refresh`, then `pulumi up` makes it anew",
    );
}

/** A server drops fields that it does not know without a word: what it answers is compared with what was sent. */
function refuseDropped(found: WarehouseAnswer, wanted: WarehouseInputs): void {
    const stored = fromProfile(found["storage-profile"]);
    const dropped = Object.entries(wanted.storage)
        .filter(
            ([key, value]) =>
                value !== undefined && !isDeepStrictEqual(value, (stored as Record<string, unknown>)[key]),
        )
        .map(([key]) => `storage.${key}`);
    if (dropped.length === 0) return;
    throw new Error(
        `Lakekeeper: the server did not take ${dropped.join(", ")} of warehouse '${wanted.name}'.\n` +
            "What to do: leave them out, or upgrade the server to 0.13",
    );
}

function fromAnswer(found: WarehouseAnswer): Observed {
    const profile = found["delete-profile"];
    return {
        name: found.name,
        storage: fromProfile(found["storage-profile"]),
        deleteProfile:
            profile.type === "soft"
                ? { type: "soft", expirationSeconds: profile["expiration-seconds"] ?? 0 }
                : { type: "hard" },
        protected: found.protected,
        active: found.status === "active",
        allowedFormatVersions: found["allowed-format-versions"],
        defaultFormatVersion: found["default-format-version"] ?? undefined,
        managedBy: found["managed-by"] === "instance-admin" ? "instance-admin" : "self-managed",
    };
}

/** What a server before 0.12 says about the type of a credential that it has. */
const notTold = "not told";

/** @param silence what it means when the server says no type */
function toOutputs(
    client: LakekeeperClient,
    found: WarehouseAnswer,
    adopted: boolean,
    silence: string | undefined,
): WarehouseOutputs {
    return {
        project: found["project-id"],
        catalogUri: `${client.url}/catalog`,
        catalogWarehouse: `${found["project-id"]}/${found.name}`,
        credentialType: reportedType(found) ?? silence,
        adopted,
    };
}

/** Right after a credential was sent, silence means that the server tells no types at all. */
function sentType(wanted: WarehouseInputs): string | undefined {
    return wanted.credential && notTold;
}

function reportedType(found: WarehouseAnswer): string | undefined {
    const type = found["storage-credential-type"];
    return type ? `${type.type}/${type["credential-type"]}` : undefined;
}

/** The credential of the state, when the server still has one of its type; else undefined, so that it is set again. */
function healthyCredential(
    found: WarehouseAnswer,
    state: WarehouseInputs & WarehouseOutputs,
): WarehouseInputs["credential"] {
    const type = reportedType(found) ?? (state.credentialType === notTold ? notTold : undefined);
    return type === notTold || type === credentialTypeOf(state.credential) ? state.credential : undefined;
}
