import * as z from "zod";
import { type Catalog, catalogSchema } from "../../model/lake-catalog.ts";
import { parseDuration } from "../../model/table-options.ts";
import { ApiError } from "../http/api-error.ts";
import { portForward } from "../kubernetes/cluster.ts";
import { routeOf } from "../lakekeeper/connection.ts";
import type { ResourceDefinition } from "../resource.ts";
import { waitFor } from "../vvp/waiting.ts";
import type { RestCatalog } from "./rest-catalog.ts";
import { hasMoved, TableReader, type TieredTable, tieringUser } from "./tiered-table.ts";

const inputs = z.strictObject({
    catalog: catalogSchema,
    /** `database.table` */
    table: z
        .string()
        .regex(/^[^./]+\.[^./]+$/, { error: "must be the table's database and name: database.table" }),
    /** A new text is looked for anew. */
    trigger: z.string().optional(),
    withinSeconds: z.number().positive().max(86_400).optional(),
    /** The way to a catalog whose address is known inside of a Kubernetes cluster only: through the API server. */
    portForward: portForward.optional(),
    /** For each call, in seconds. */
    timeoutSeconds: z.number().positive().max(120).default(10),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** When the tiering service committed last, by its own clock: `2026-01-31T12:00:00.000Z`. */
    committedAt?: string;
}

/**
 * A table of the lake that grows: waits until the tiering service has committed a snapshot after the wait began. It makes nothing.
 * The preview calls nobody: the table may be made by the same run.
 */
export const lakeProgress: ResourceDefinition<Inputs, Outputs> = {
    kind: "progress of the lake",
    inputs,
    fields: {
        catalog: "update",
        table: "replace",
        trigger: "update",
        withinSeconds: "ignore",
        portForward: "ignore",
        timeoutSeconds: "ignore",
    },
    secretInputs: ["catalog", "portForward"],

    async review({ new: wanted, known }) {
        return known("catalog") ? { faults: catalogFaults(wanted.catalog) } : {};
    },

    async create(wanted) {
        const { warehouse } = restCatalog(wanted);
        return { id: `${warehouse}/${wanted.table}`, outputs: await awaited(wanted) };
    },

    async update(_id, state, wanted) {
        // A new token or address alone says nothing about the job.
        const same = state.trigger === wanted.trigger && warehouseOf(state) === warehouseOf(wanted);
        return same ? outputsOf((await found(wanted)).seen) : awaited(wanted);
    },

    async read(_id, state) {
        try {
            const { seen } = await found(state);
            const seconds = withinSeconds(state, seen);
            const age = (Date.now() - (seen.newest?.timestamp ?? 0)) / 1000;
            if (age > seconds) warn(`${tableOf(state)}: ${described(seen)}. ${adviceOf(state, seen)}`);
            return { outputs: outputsOf(seen) };
        } catch (error) {
            warn((error as Error).message);
            return { outputs: state.committedAt === undefined ? {} : { committedAt: state.committedAt } };
        }
    },

    async delete() {
        // It made nothing.
    },
};

async function awaited(wanted: Inputs): Promise<Outputs> {
    const { reader, seen: before } = await found(wanted);
    const seen = await waitFor({
        system,
        what: `a new snapshot of the tiering service in ${tableOf(wanted)}`,
        deadlineSeconds: withinSeconds(wanted, before),
        probe: async () => (await reader.read()) ?? gone(wanted),
        done: (now) => hasMoved(before, now),
        describe: described,
        advice: adviceOf(wanted, before),
    });
    return outputsOf(seen);
}

async function found(wanted: Inputs): Promise<{ reader: TableReader; seen: TieredTable }> {
    const { route } = routeOf(wanted);
    const reader = new TableReader(restCatalog(wanted), wanted.table, wanted.timeoutSeconds, route);
    try {
        return { reader, seen: (await reader.read()) ?? gone(wanted) };
    } catch (error) {
        if (!(error instanceof ApiError) || error.status !== undefined) throw error;
        // The jobs reach it, since they tier; whoever runs this may stand elsewhere.
        throw new Error(
            `${error.message}\nIf only the jobs reach it there: give portForward, or the catalog as it is reached from here`,
        );
    }
}

/** @throws always */
function gone(wanted: Inputs): never {
    throw new Error(
        `${system}: could not find ${tableOf(wanted)}.\n` +
            "What to do: check database and name of the table, that the catalog lets this login read it, and that it has 'table.datalake.enabled' = 'true', since Fluss makes the lake's table with it; " +
            "if the same program makes the table, let the check wait for it by dependsOn",
    );
}

const system = "Iceberg REST catalog";

/** A round begins when the table is due, and again only two minutes after a job that was stopped in the middle of one (Fluss 0.9.1 observed). */
const roundSeconds = 240;
/** Of Fluss, for a table that says nothing. */
const defaultFreshness = "3min";

function withinSeconds(wanted: Inputs, { freshness = defaultFreshness }: TieredTable): number {
    return wanted.withinSeconds ?? Math.ceil((parseDuration(freshness) ?? 0) / 1000) + roundSeconds;
}

function described({ newest, others }: TieredTable): string {
    const rest = others > 0 ? `; ${others} are of others, not of ${tieringUser}` : "";
    return newest
        ? `its newest one is of ${new Date(newest.timestamp).toISOString()}${rest}`
        : `it has none${rest}`;
}

function adviceOf(wanted: Inputs, { freshness = defaultFreshness }: TieredTable): string {
    return (
        `look whether rows arrive in ${wanted.table} all the time, without which there is nothing to commit; whether the tiering job restarts ` +
        "(its outputs `restarts` and `failure`, its exceptions in Flink), and tiers this cluster to this warehouse; and whether withinSeconds " +
        `is enough for table.datalake.freshness (${freshness}) and a round of the job`
    );
}

function outputsOf({ newest }: TieredTable): Outputs {
    return newest ? { committedAt: new Date(newest.timestamp).toISOString() } : {};
}

function tableOf({ catalog, table }: Inputs): string {
    return catalog.type === "rest"
        ? `table ${table} of warehouse '${catalog.warehouse}' at ${catalog.uri}`
        : table;
}

function warehouseOf({ catalog }: Inputs): string | undefined {
    return catalog.type === "rest" ? catalog.warehouse : undefined;
}

/** As `review` has let it through. @throws when its values were not known then, and it is another one */
function restCatalog({ catalog }: Inputs): RestCatalog {
    const faults = catalogFaults(catalog);
    if (catalog.type === "rest" && faults.length === 0) return catalog;
    throw new Error(`progress of the lake: ${faults.join("\n")}`);
}

function catalogFaults(catalog: Catalog): string[] {
    const instead = "Read the snapshots by a SqlJob instead, in batch mode from `table$lake$snapshots`";
    switch (catalog.type) {
        case "hadoop":
            return [
                `catalog.type = "hadoop": it has no server, its tables are files of the store, so that nobody can be asked for snapshots. ${instead}`,
            ];
        case "jdbc":
            return [
                `catalog.type = "jdbc": its database knows where a table's files are, not its snapshots, and it has no REST API. ${instead}`,
            ];
        default: {
            const { auth } = catalog;
            const [field, ref] =
                auth.type === "token" ? ["token", auth.token] : ["clientSecret", auth.clientSecret];
            if (ref.value !== undefined) return [];
            return [
                `catalog.auth.${field}: the catalog is asked from here, and this secret has no "value". Add "value" to the reference, or give a catalog whose secret has it`,
            ];
        }
    }
}

function warn(text: string): void {
    console.warn(`warning: progress of the lake: ${text}`);
}
