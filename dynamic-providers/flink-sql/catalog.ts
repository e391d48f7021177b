import * as z from "zod";
import { createCatalog, dropCatalog, qualified } from "../../model/ddl.ts";
import { isSecretPath } from "../../model/faults.ts";
import { isSecretOption, parseShowCreateCatalog, scrubOptions } from "../../model/show-create.ts";
import type { Context, ResourceDefinition } from "../resource.ts";
import { done, isExisting, isMissing, listCatalogs, listDatabases } from "./look.ts";
import type { SqlRunner } from "./runner.ts";
import { runnerOf, runnerSchema } from "./runner-inputs.ts";

const inputs = z.strictObject({
    runner: runnerSchema,
    name: z.string().min(1),
    /** Options under their real names. With `vvp`, secrets are given as `${secret_values.x}`. */
    options: z.record(z.string(), z.string()),
    /** Take over a catalog that exists already, as far as its options can be read. Default false. */
    adopt: z.boolean().default(false),
    /** The statement that makes the catalog, without secrets. Filled in here, so that previews show it; never set it. */
    plan: z.string().optional(),
});

export type CatalogInputs = z.output<typeof inputs>;

/**
 * A Flink catalog for Fluss. It is only a connection: dropping it, and making it anew with other options, touches no
 * data. On a SQL gateway it lives in the sessions of this library alone, and is made here to see that it works.
 */
export const catalog: ResourceDefinition<CatalogInputs, object> = {
    kind: "Flink catalog",
    inputs,
    fields: {
        runner: "update",
        name: "replace",
        // Flink has no ALTER for the options of a catalog that is stored.
        options: "replace",
        adopt: "ignore",
        plan: "ignore",
    },
    secretInputs: ["options"],

    review({ old, new: wanted, known }) {
        if (!known("runner", "options", "name")) return {};
        const faults = optionFaults(wanted);
        const shown = { name: wanted.name, options: scrubOptions(wanted.options) };
        const same = old?.plan !== undefined && old.plan === `${createCatalog(shown)};`;
        return { faults, inputs: { plan: same ? old.plan : `${createCatalog(shown)};` } };
    },

    async create(wanted, context) {
        const place = placeOf(wanted, context);
        if (place.runner.catalogsInSession) {
            // Opening the session makes it; listing shows that its servers answer.
            await listDatabases(place.runner, wanted.name);
            return { id: wanted.name, outputs: {} };
        }
        try {
            await done(
                () => place.runner.execute(createCatalog(wanted), `create catalog '${wanted.name}'`),
                async () => (await place.exists()) && (await differences(place.runner, wanted)).length === 0,
            );
        } catch (error) {
            if (!isExisting(error) || !(await place.exists())) throw error;
            await takeOver(place.runner, wanted);
        }
        return { id: wanted.name, outputs: {} };
    },

    async read(_id, state, context) {
        const place = placeOf(state, context);
        if (place.runner.catalogsInSession) {
            await listDatabases(place.runner, state.name);
            return { outputs: {} };
        }
        if (!(await place.exists())) return undefined;
        return { inputs: { options: await observedOptions(place.runner, state) }, outputs: {} };
    },

    async update(_id, _state, wanted, context) {
        // Only the way to the platform can differ.
        const place = placeOf(wanted, context);
        if (place.runner.catalogsInSession || (await place.exists())) return {};
        throw new Error(`Flink SQL: catalog '${wanted.name}' is not there. What to do: \`pulumi refresh\``);
    },

    async delete(_id, state, context) {
        const place = placeOf(state, context);
        if (place.runner.catalogsInSession) return;
        try {
            await done(
                () => place.runner.execute(dropCatalog(state.name), `drop catalog '${state.name}'`),
                async () => !(await place.exists()),
            );
        } catch (error) {
            if (!isMissing(error) || (await place.exists())) throw error;
        }
    },
};

function placeOf(at: Pick<CatalogInputs, "runner" | "name" | "options">, context: Context) {
    const runner = runnerOf(at.runner, at, context);
    return { runner, exists: async () => (await listCatalogs(runner)).includes(at.name) };
}

function optionFaults({ runner, name, options }: CatalogInputs): string[] {
    const faults: string[] = [];
    if (name.trim() === "" || /[\r\n]/.test(name)) {
        faults.push("name: is blank or holds a line break, which Flink SQL cannot take; choose another name");
    }
    if (options["type"] === undefined) faults.push("options.type: is missing; a Fluss catalog has 'fluss'");
    if (options["bootstrap.servers"] === undefined) {
        faults.push('options["bootstrap.servers"]: is missing; give the client address of the Fluss servers');
    }
    if (runner.kind !== "vvp") return faults;
    const clear = Object.entries(options).filter(([key, value]) => isSecretOption(key, value));
    for (const [key] of clear) {
        faults.push(
            `options["${key}"]: is a secret in clear, and the platform shows a catalog's options to everybody in the ` +
                "namespace. Make a secret value and write ${secret_values.<its name>}",
        );
    }
    return faults;
}

async function takeOver(runner: SqlRunner, wanted: CatalogInputs): Promise<void> {
    const found = await differences(runner, wanted);
    if (found.length > 0) {
        throw new Error(
            `Flink SQL: catalog '${wanted.name}' exists already with other options:\n${found.join("\n")}\n` +
                "What to do: give the options that it has and set adopt: true, drop it first (no data is lost), or choose another name",
        );
    }
    if (wanted.adopt) return;
    throw new Error(
        `Flink SQL: catalog '${wanted.name}' exists already, and this resource did not make it (a run that was cut off may have).\n` +
            "What to do: set adopt: true to take it over, or choose another name",
    );
}

/** How the declared options that can be read differ; a platform that does not show them differs in nothing. */
async function differences(runner: SqlRunner, wanted: CatalogInputs): Promise<string[]> {
    const observed = await shownOptions(runner, wanted.name);
    if (!observed) return [];
    return readable(wanted.options)
        .filter((key) => observed[key] !== wanted.options[key])
        .map((key) => `- ${key}: wanted ${wanted.options[key]}, but it is ${observed[key] ?? "not set"}`);
}

/** The options as they are now, as far as they were declared; secrets are never shown and count as unchanged. */
async function observedOptions(runner: SqlRunner, state: CatalogInputs): Promise<Record<string, string>> {
    const observed = await shownOptions(runner, state.name);
    if (!observed) return state.options;
    const readableKeys = readable(state.options);
    const entries = Object.keys(state.options).flatMap((key): [string, string][] => {
        const value = readableKeys.includes(key) ? observed[key] : state.options[key];
        return value === undefined ? [] : [[key, value]];
    });
    return Object.fromEntries(entries);
}

async function shownOptions(runner: SqlRunner, name: string): Promise<Record<string, string> | undefined> {
    const shown = await runner.execute(`SHOW CREATE CATALOG ${qualified(name)}`, `read catalog '${name}'`);
    const text = shown.rows[0]?.[0];
    return text ? parseShowCreateCatalog(text).options : undefined;
}

/** Keys whose values the platform shows: a reference to a secret value may come back resolved and hidden. */
function readable(options: Record<string, string>): string[] {
    return Object.keys(options).filter(
        (key) => !isSecretPath(key) && !options[key]?.includes("${secret_values."),
    );
}
