import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { ApiError } from "../http/api-error.ts";
import type { Context, Review, ReviewResult } from "../resource.ts";
import { LakekeeperClient } from "./client.ts";
import {
    infoIfThere,
    isAtLeast,
    newerThanOldest,
    sharedInfo,
    unsupported,
    versionOf,
} from "./server-info.ts";
import { secretsOf, systemIdentityOf } from "./storage/credential.ts";
import { describeLocation, movingFields } from "./storage/index.ts";
import type { WarehouseInputs } from "./warehouse.ts";
import { createBody, credentialBody, storageBody } from "./warehouse-api.ts";
import { findListed } from "./warehouse-list.ts";

type Asked = Parameters<typeof unsupported>[0];

/** What a change of these asks of the server. */
const gated = [
    "storage",
    "credential",
    "allowedFormatVersions",
    "defaultFormatVersion",
    "managedBy",
] as const;

/**
 * What can be told about a warehouse before anything is sent: faults for what the server cannot do, warnings for what
 * is allowed but seldom meant, and for what a server with trial calls (0.14 and newer) would refuse now. The latter may
 * still come right in the same run, in which bucket and key may be made. A server that does not answer yet, or is not
 * known yet, says nothing.
 */
export async function previewGate(
    review: Review<WarehouseInputs>,
    context: Context,
): Promise<ReviewResult<WarehouseInputs>> {
    const { old, new: wanted, known } = review;
    const changed = gated.filter((field) => !isDeepStrictEqual(old?.[field], wanted[field]));
    if (changed.length === 0 || !known("storage")) return {};
    const warnings = unusual(review);
    if (!known("connection")) return { warnings };
    const asked: Asked = {
        storage: wanted.storage,
        ...Object.fromEntries(gated.filter((field) => known(field)).map((field) => [field, wanted[field]])),
    };
    const attempt = trialOf(review);
    const region = regionBefore(review);
    if (!needsInfo(asked) && !attempt && region === undefined) return { warnings };
    const client = new LakekeeperClient(wanted.connection, context);
    const info = await infoIfThere(client);
    if (!info) return { warnings };
    const faults = unsupported(asked, info);
    if (region !== undefined && !isAtLeast(versionOf(info), "0.12.0")) {
        faults.push(
            `storage.region cannot change before Lakekeeper 0.12, and the server is ${versionOf(info)}: keep '${region}', or make another warehouse`,
        );
    }
    const hasTrial = attempt && faults.length === 0 && isAtLeast(versionOf(info), "0.14.0");
    return { faults, warnings: [...warnings, ...(hasTrial ? await tryOut(client, wanted, attempt) : [])] };
}

/** The region that would change in place. */
function regionBefore({ old, new: { storage } }: Review<WarehouseInputs>): string | undefined {
    const before = old?.storage;
    if (before?.type !== "s3" || storage.type !== "s3" || before.region === storage.region) return undefined;
    return movingFields(before, storage).length > 0 ? undefined : before.region;
}

/** What works, but is seldom meant. */
function unusual({ old, new: { storage, credential }, known }: Review<WarehouseInputs>): string[] {
    const warnings: string[] = [];
    const folder = storage.type === "onelake" ? storage.directoryRelPath : storage.keyPrefix;
    if (!old && folder === undefined) {
        const field = storage.type === "onelake" ? "directoryRelPath" : "keyPrefix";
        warnings.push(
            `without storage.${field} the warehouse takes ${describeLocation(storage)} whole, and no other warehouse can be there`,
        );
    }
    if (known("credential") && credential?.type === "s3-system-identity" && storage.type === "s3") {
        const missing = [
            ...(storage.assumeRoleArn === undefined ? ["storage.assumeRoleArn"] : []),
            ...(credential.externalId === undefined ? ["credential.externalId"] : []),
        ];
        if (missing.length > 0) {
            warnings.push(
                `the server refuses a system identity without ${missing.join(" and ")}, unless ` +
                    "LAKEKEEPER__S3_ENABLE_DIRECT_SYSTEM_CREDENTIALS=true and LAKEKEEPER__S3_REQUIRE_EXTERNAL_ID_FOR_SYSTEM_CREDENTIALS=false",
            );
        }
    }
    return warnings;
}

/** The same in front of a create, where the server must be there. @throws {Error} with all that it cannot do */
export async function refuseUnsupported(client: LakekeeperClient, what: string, asked: Asked): Promise<void> {
    if (!needsInfo(asked)) return;
    const faults = unsupported(asked, await sharedInfo(client));
    if (faults.length === 0) return;
    throw new Error(
        `Lakekeeper: ${what} cannot be made on this server: ${faults.join("; ")}.\n` +
            "What to do: leave it out, or upgrade or configure the server",
    );
}

/** Most warehouses use nothing that a supported server may lack: they cost no call. */
function needsInfo(asked: Asked): boolean {
    const identity = asked.credential && systemIdentityOf(asked.credential);
    return identity !== undefined || !newerThanOldest(asked).next().done;
}

/** A call that tries out what the run is about to do, and makes nothing. */
interface Trial {
    /** For people: "warehouse 'x'". */
    what: string;
    json: Record<string, unknown>;
    /** Path below the warehouse; absent for the trial of a new one. */
    below?: string;
    /** Name of the warehouse that is there. */
    name?: string;
}

/** The trial of a create or of a change; undefined when something that it needs is not known yet, or nothing is to try. */
function trialOf({ old, new: wanted, known }: Review<WarehouseInputs>): Trial | undefined {
    if (!known(...gated, "name", "projectId", "deleteProfile") || wanted.adopt) return undefined;
    if (!old) return { what: `warehouse '${wanted.name}'`, json: createBody(wanted) };
    const moves = movingFields(old.storage, wanted.storage).length > 0 || old.projectId !== wanted.projectId;
    if (moves) return undefined;
    const at = { name: old.name };
    if (!isDeepStrictEqual(old.storage, wanted.storage)) {
        const json = storageBody(wanted.storage, wanted.credential);
        return { ...at, what: `the new storage of warehouse '${old.name}'`, json, below: "validate-profile" };
    }
    if (!isDeepStrictEqual(old.credential, wanted.credential)) {
        const json = credentialBody(wanted.credential);
        const what = `the new credential of warehouse '${old.name}'`;
        return { ...at, what, json, below: "validate-credential" };
    }
    return undefined;
}

const trialAnswer = z.looseObject({
    checks: z.array(
        z.looseObject({
            name: z.string(),
            status: z.string(),
            error: z.looseObject({ message: z.string(), type: z.string() }).nullish(),
        }),
    ),
});

/** What the server's trial finds. */
async function tryOut(client: LakekeeperClient, wanted: WarehouseInputs, trial: Trial): Promise<string[]> {
    try {
        const path = await pathOf(client, wanted, trial);
        if (path === undefined) return [];
        const { what, json } = trial;
        const { checks } = await client.call(
            {
                method: "POST",
                path,
                action: `try out ${what}`,
                project: wanted.projectId,
                credential: true,
                secrets: secretsOf(wanted.credential),
                json,
            },
            trialAnswer,
        );
        return checks
            .filter(({ status }) => status === "failed")
            .map(
                ({ name, error }) =>
                    `${what} would be refused now (${name}): ${error?.type}: ${client.redacted(error?.message ?? "").slice(0, 300)}`,
            );
    } catch (error) {
        // A project that this run makes is not there yet, a token may not be allowed to: the change itself will tell.
        if (error instanceof ApiError) return [];
        throw error;
    }
}

/** Undefined for a warehouse that is not listed: it is gone, or deactivated and then cannot be tried. */
async function pathOf(
    client: LakekeeperClient,
    wanted: WarehouseInputs,
    { name, below }: Trial,
): Promise<string | undefined> {
    const base = "/management/v1/warehouse";
    if (name === undefined) return `${base}-creation-validation`;
    const found = await findListed(client, name, wanted.projectId);
    return found && `${base}/${found.warehouseId}/storage/${below}`;
}
