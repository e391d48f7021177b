import * as z from "zod";
import type { CatalogSpec } from "../../model/ddl.ts";
import type { Context } from "../resource.ts";
import { hasUnknown } from "../unknown.ts";
import { connectionSchema } from "../vvp/connection.ts";
import { executeSql } from "../vvp/sql.ts";
import { gatewayRunner } from "./gateway.ts";
import { gatewayFields } from "./gateway-client.ts";
import { patientRunner } from "./patient-runner.ts";
import type { SqlRunner } from "./runner.ts";
import { VvpRunner } from "./vvp-runner.ts";

/** What runs the statements: Ververica Platform's SQL service, or a SQL gateway of Flink. */
export const runnerSchema = z.discriminatedUnion("kind", [
    z.strictObject({
        kind: z.literal("vvp"),
        connection: connectionSchema,
        /** Default: the platform's default engine. */
        engineVersion: z.string().min(1).optional(),
        /** URIs of the client JARs. The engine's own Fluss catalog refuses lake credentials (quickstart). */
        additionalDependencies: z.array(z.string()).default([]),
    }),
    z.strictObject({
        kind: z.literal("gateway"),
        ...gatewayFields,
    }),
]);

/** See {@link runnerSchema}. */
export type RunnerInputs = z.output<typeof runnerSchema>;

/** The catalog that a database or a table is reached through. */
export const catalogSchema = z.strictObject({
    name: z.string().min(1),
    /** Its options, secret; needed with a gateway, which forgets catalogs with each session. */
    options: z.record(z.string(), z.string()).optional(),
});

/** See {@link catalogSchema}. */
export type CatalogInputs = z.output<typeof catalogSchema>;

/** The runner that the inputs describe. */
export function runnerOf(runner: RunnerInputs, catalog: CatalogInputs, context: Context): SqlRunner {
    if (runner.kind === "vvp") {
        return patientRunner(new VvpRunner(executeSql(runner.connection, context), runner));
    }
    const catalogs: CatalogSpec[] = catalog.options ? [{ name: catalog.name, options: catalog.options }] : [];
    return patientRunner(
        gatewayRunner({ url: runner.url, deadlineSeconds: runner.deadlineSeconds, catalogs }),
    );
}

/** The catalog's name when a preview knows it; its options may be unknown all the same. */
export function knownName(catalog: CatalogInputs): string | undefined {
    // Beside an unknown option nothing of the catalog is checked yet.
    return typeof catalog.name !== "string" || hasUnknown(catalog.name) ? undefined : catalog.name;
}

/** What is wrong with runner and catalog together. */
export function catalogFaults(runner: RunnerInputs, catalog: CatalogInputs): string[] {
    if (runner.kind === "vvp" || catalog.options) return [];
    return [
        `catalog.options: is missing: a SQL gateway forgets catalogs with each session, so it must be told how to make '${catalog.name}'`,
    ];
}
