import * as z from "zod";
import { compareVersions, storage, storageReason } from "./release-spec.ts";

/** What of a Lakekeeper release cannot be changed without thought. */
export const lakekeeperSpec = z.strictObject({
    /** Version of the chart. */
    version: z.string().min(1),
    /** The volume of the chart's own PostgreSQL; undefined with an external one. */
    storage,
    /** Where an external PostgreSQL is: `host:port/database`. */
    database: z.string().min(1).optional(),
    /** `allowall`, or OpenFGA with where it is. */
    authorization: z.string().min(1),
    /** Where credentials of warehouses are kept: `postgres`, or KV2 with where it is. */
    secretStore: z.string().min(1),
});

/** See {@link lakekeeperSpec}. */
export type LakekeeperSpec = z.output<typeof lakekeeperSpec>;

/** What can be asked for by name although it may lose data or rights. */
export const lakekeeperRisks = [
    "storageChange",
    "databaseChange",
    "chartDowngrade",
    "authorizationChange",
    "secretStoreChange",
] as const;

export type LakekeeperRisk = (typeof lakekeeperRisks)[number];

/** Every change of the spec that is refused, each with the name that allows it; the leap of PostgreSQL has none. */
export function refusedLakekeeperChanges(
    old: LakekeeperSpec,
    wanted: LakekeeperSpec,
    allowed: readonly LakekeeperRisk[],
): string[] {
    const found: [LakekeeperRisk, string][] = [];
    const refuse = (risk: LakekeeperRisk, text: string) => found.push([risk, text]);
    if (old.database !== wanted.database) {
        refuse(
            "databaseChange",
            `database: ${placeOf(old)} -> ${placeOf(wanted)}: nothing is copied, and the catalog would begin empty. Dump the old database and restore it into the new one first`,
        );
    } else {
        const reason = storageReason(old.storage, wanted.storage);
        if (reason) refuse("storageChange", `storage: ${reason}`);
    }
    if (compareVersions(wanted.version, old.version) < 0) {
        refuse(
            "chartDowngrade",
            `version: ${old.version} -> ${wanted.version} goes back; Lakekeeper does not start on a database that a newer one has migrated`,
        );
    }
    if (old.authorization !== wanted.authorization) {
        refuse(
            "authorizationChange",
            `authorization: ${old.authorization} -> ${wanted.authorization}: a bootstrapped server knows no rights in the new one, and nobody could do anything`,
        );
    }
    if (old.secretStore !== wanted.secretStore) {
        refuse(
            "secretStoreChange",
            `secret store: ${old.secretStore} -> ${wanted.secretStore}: the credentials of all warehouses stay in the old one, and their tables cannot be read until each is given again`,
        );
    }
    const leap = databaseLeap(old.version, old.storage !== undefined, wanted);
    return [
        ...(leap ? [leap] : []),
        ...found
            .filter(([risk]) => !allowed.includes(risk))
            .map(([risk, text]) => `${text}. To do it all the same, add "${risk}" to allow`),
    ];
}

/**
 * Between the charts 0.11 and 0.12 the chart's own PostgreSQL goes from 17 to 18 and does not start on the old volume
 * (lakekeeper-charts#145).
 */
export function databaseLeap(version: string, embedded: boolean, wanted: LakekeeperSpec): string | undefined {
    const leaps = compareVersions(version, "0.12.0") < 0 && compareVersions(wanted.version, "0.12.0") >= 0;
    if (!leaps || !embedded || !wanted.storage) return undefined;
    return (
        `version: ${version} -> ${wanted.version} takes the chart's own PostgreSQL from 17 to 18 and does not move its data: ` +
        "the database would not start on the old volume. Dump the database, remove release and volume, install anew and restore it, or move to an external database"
    );
}

function placeOf({ database }: LakekeeperSpec): string {
    return database ?? "the chart's own PostgreSQL";
}
