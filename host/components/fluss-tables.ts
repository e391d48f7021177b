import * as z from "zod";
import type { FlussTablesArgs } from "../../components/fluss-tables.ts";
import { flussClientSchema } from "../../model/fluss-client.ts";
import { lakeSchema } from "../../model/lake.ts";
import { given } from "./given.ts";
import type { HostedComponent } from "./index.ts";
import { definedLake, release, runner, tables } from "./parts.ts";

const shape = {
    /** Where the statements run. */
    runner,
    /** Name of the Fluss catalog. */
    catalog: z.string().min(1),
    /** Uses the catalog as it is, since another stack made it. Default false. */
    existingCatalog: z.boolean().optional(),
    /** The cluster. Its password carries a `secretValue` for Ververica Platform, a `value` for a gateway. */
    client: given(flussClientSchema),
    /** The cluster's lake: output `lake` of a LakekeeperCatalog. */
    lake: given(lakeSchema).optional(),
    version: release.optional(),
    tables,
    /** Destructive changes that are wanted, by table (`database.table`). */
    allowDataLoss: z.record(z.string(), z.array(z.string())).optional(),
    /** Refuses to drop tables and databases. Default true. Or by name, for some. */
    deletionProtection: z.union([z.boolean(), z.record(z.string(), z.boolean())]).optional(),
    /** Takes over what exists and is as wanted. Default false. */
    adopt: z.boolean().optional(),
} satisfies Record<keyof Required<FlussTablesArgs>, z.ZodType>;

/** `fluss:index:FlussTables` for other languages. */
export const flussTables: HostedComponent = {
    token: "fluss:index:FlussTables",
    description: "A Fluss catalog with databases and tables, whose DDL the preview shows.",
    inputs: z.strictObject(shape),
    outputs: {
        catalog: { type: "string", description: "Name of the catalog." },
        paths: {
            type: "object",
            additionalProperties: { type: "string" },
            description: "Path of each table for SQL, quoted, by `database.table`.",
        },
        ddl: {
            type: "object",
            additionalProperties: { type: "string" },
            description: "The statements that would make each table anew, by `database.table`.",
        },
    },
    async make(name, inputs, opts) {
        const { FlussTables } = await import("../../components/fluss-tables.ts");
        const lake = inputs["lake"] === undefined ? {} : { lake: await definedLake(inputs["lake"]) };
        const component = new FlussTables(name, { ...inputs, ...lake } as unknown as FlussTablesArgs, opts);
        const paths = Object.entries(component.tables).map(([key, table]) => [key, table.path]);
        return {
            component,
            outputs: {
                catalog: component.catalog,
                paths: Object.fromEntries(paths),
                ddl: component.ddl,
            },
        };
    },
};
