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
import { systemIdentityOf } from "./storage/credential.ts";
import type { WarehouseInputs } from "./warehouse.ts";
import { createBody } from "./warehouse-api.ts";

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
 * a server with a trial call (0.14 and newer) would refuse now. The latter may still come right in the same run, in
 * which bucket and key may be made. A server that does not answer yet, or is not known yet, says nothing.
 */
export async function previewGate(
    { old, new: wanted, known }: Review<WarehouseInputs>,
    context: Context,
): Promise<ReviewResult<WarehouseInputs>> {
    const changed = gated.some((field) => !isDeepStrictEqual(old?.[field], wanted[field]));
    if (!changed || !known("connection", "storage")) return {};
    const asked: Asked = {
        storage: wanted.storage,
        ...Object.fromEntries(gated.filter((field) => known(field)).map((field) => [field, wanted[field]])),
    };
    const isTrial = !old && !wanted.adopt && known(...gated, "name", "projectId", "deleteProfile");
    if (!needsInfo(asked) && !isTrial) return {};
    const client = new LakekeeperClient(wanted.connection, context);
    const info = await infoIfThere(client);
    if (!info) return {};
    const faults = unsupported(asked, info);
    const hasTrial = isTrial && faults.length === 0 && isAtLeast(versionOf(info), "0.14.0");
    return { faults, warnings: hasTrial ? await tryOut(client, wanted) : [] };
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

const trialAnswer = z.looseObject({
    checks: z.array(
        z.looseObject({
            name: z.string(),
            status: z.string(),
            error: z.looseObject({ message: z.string(), type: z.string() }).nullish(),
        }),
    ),
});

/** What the server's trial of a new warehouse finds. It makes nothing. */
async function tryOut(client: LakekeeperClient, wanted: WarehouseInputs): Promise<string[]> {
    try {
        const { checks } = await client.call(
            {
                method: "POST",
                path: "/management/v1/warehouse-creation-validation",
                action: `try out warehouse '${wanted.name}'`,
                project: wanted.projectId,
                credential: true,
                json: createBody(wanted),
            },
            trialAnswer,
        );
        return checks
            .filter(({ status }) => status === "failed")
            .map(
                ({ name, error }) =>
                    `warehouse '${wanted.name}' would be refused now (${name}): ${error?.type}: ${error?.message.slice(0, 300)}`,
            );
    } catch (error) {
        // A project that this run makes is not there yet, a token may not be allowed to: the create will tell.
        if (error instanceof ApiError) return [];
        throw error;
    }
}
