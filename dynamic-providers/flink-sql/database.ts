import * as z from "zod";
import { createDatabase, dropDatabase, qualified } from "../../model/ddl.ts";
import { faultLine } from "../../model/faults.ts";
import { nameFault } from "../../model/table-rules.ts";
import type { Context, ResourceDefinition } from "../resource.ts";
import { databaseExists, done, isExisting, isMadeMeanwhile, isMissing, unlessCatalogIsGone } from "./look.ts";
import { catalogFaults, catalogSchema, knownName, runnerOf, runnerSchema } from "./runner-inputs.ts";

const inputs = z.strictObject({
    runner: runnerSchema,
    catalog: catalogSchema,
    name: z.string().min(1),
    comment: z.string().optional(),
    /** Use a database that exists already. Default false. */
    adopt: z.boolean().default(false),
    /** Refuse to drop the database. Default true. */
    deletionProtection: z.boolean().default(true),
    /** The statement that makes the database. Filled in here, so that previews show it; never set it. */
    plan: z.string().optional(),
});

export type DatabaseInputs = z.output<typeof inputs>;

export interface DatabaseOutputs {
    /** Path of the database for SQL, quoted. */
    path: string;
}

/** A Fluss database. Fluss changes nothing about one that exists, so another name or comment is refused. */
export const database: ResourceDefinition<DatabaseInputs, DatabaseOutputs> = {
    kind: "Fluss database",
    inputs,
    fields: {
        runner: "update",
        catalog: "update",
        name: "update",
        comment: "update",
        adopt: "ignore",
        deletionProtection: "update",
        plan: "ignore",
    },
    secretInputs: ["catalog"],

    review({ old, new: wanted, known }) {
        const faults = known("runner", "catalog") ? catalogFaults(wanted.runner, wanted.catalog) : [];
        if (!known("name", "comment")) return { faults };
        faults.push(...nameFault("name", wanted.name, "databases").map(faultLine));
        if (!old) {
            const catalog = knownName(wanted.catalog);
            if (!catalog) return { faults };
            return { faults, inputs: { plan: `${createDatabase(catalog, wanted)};` } };
        }
        if (old.name !== wanted.name) {
            faults.push(
                `name: Fluss cannot rename the database '${old.name}'; replacing it would lose all its tables. ` +
                    "Keep the name, or declare a second database",
            );
        }
        if ((old.comment ?? "") !== (wanted.comment ?? "")) {
            faults.push(
                `comment: Fluss cannot change the comment of a database; keep ${JSON.stringify(old.comment ?? "")}`,
            );
        }
        return { faults, inputs: { plan: old.plan } };
    },

    async create(wanted, context) {
        const place = placeOf(wanted, context);
        try {
            await done(
                () =>
                    place.runner.execute(
                        createDatabase(wanted.catalog.name, wanted),
                        `create database ${place.path}`,
                    ),
                place.exists,
            );
        } catch (error) {
            if (!(isExisting(error) || isMadeMeanwhile(error)) || !(await place.exists())) throw error;
            if (!wanted.adopt) {
                throw new Error(
                    `Fluss: database ${place.path} exists already, and this resource did not make it (a run that was cut off may have).\n` +
                        "What to do: set adopt: true to take it over, or choose another name",
                );
            }
        }
        return { id: place.id, outputs: { path: place.path } };
    },

    async read(_id, state, context) {
        const place = placeOf(state, context);
        const there = await unlessCatalogIsGone(`database ${place.path}`, place.exists, true);
        return there ? { outputs: { path: place.path } } : undefined;
    },

    async update(_id, _state, wanted, context) {
        // Only the way to it can differ; a database that was dropped meanwhile must not look fine.
        const place = placeOf(wanted, context);
        if (await place.exists()) return { path: place.path };
        throw new Error(
            `Fluss: database ${place.path} is not there any more. What to do: \`pulumi refresh\``,
        );
    },

    async delete(_id, state, context) {
        const place = placeOf(state, context);
        if (state.deletionProtection) {
            throw new Error(
                `Fluss: database ${place.path} is protected.\n` +
                    "What to do: keep it in the program, set deletionProtection: false, run `pulumi up`, and delete it then",
            );
        }
        try {
            await done(
                () =>
                    place.runner.execute(
                        dropDatabase(state.catalog.name, state.name),
                        `drop database ${place.path}`,
                    ),
                async () => !(await place.exists()),
            );
        } catch (error) {
            if (!isMissing(error) || (await place.exists())) throw error;
        }
    },
};

function placeOf(at: Pick<DatabaseInputs, "runner" | "catalog" | "name">, context: Context) {
    const runner = runnerOf(at.runner, at.catalog, context);
    return {
        runner,
        id: `${at.catalog.name}.${at.name}`,
        path: qualified(at.catalog.name, at.name),
        exists: () => databaseExists(runner, at.catalog.name, at.name),
    };
}
