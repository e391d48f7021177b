import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { addPartitions, createTable, dropTable, qualified, script } from "../../model/ddl.ts";
import { faultLine } from "../../model/faults.ts";
import { createStatements, type PlanContext, plan as planOf } from "../../model/plan.ts";
import { asDeclared, type ObservedTable, tableDifferences } from "../../model/show-create.ts";
import { normalTable, type TableSpec, tableCapabilities, tableSpec } from "../../model/table.ts";
import { isLakeEnabled } from "../../model/table-rules-lake.ts";
import {
    type Change,
    type Context,
    type Effect,
    PartialCreateError,
    type ResourceDefinition,
} from "../resource.ts";
import { hasUnknown } from "../unknown.ts";
import {
    done,
    findTable,
    isExisting,
    isMadeMeanwhile,
    isMissing,
    isTakenInLake,
    unlessCatalogIsGone,
} from "./look.ts";
import type { SqlRunner } from "./runner.ts";
import { catalogFaults, catalogSchema, knownName, runnerOf, runnerSchema } from "./runner-inputs.ts";

const inputs = z.strictObject({
    runner: runnerSchema,
    catalog: catalogSchema,
    spec: tableSpec,
    /** What the cluster can do; the rules and the plan depend on it. */
    capabilities: tableCapabilities,
    /** Changes that may lose data and are wanted all the same: options, and partitions to drop, by name. */
    allowDataLoss: z.array(z.string()).default([]),
    /** Take over a table that exists already and is the declared one. Default false. */
    adopt: z.boolean().default(false),
    /** Refuse to drop the table. Default true. */
    deletionProtection: z.boolean().default(true),
    /** The statements that would make the declared table. Filled in here, so that a preview shows line by line what changes; never set it. */
    ddl: z.string().optional(),
    /**
     * The statements of the last change, each with the number of the change in front; absent while the table is as it was
     * made, which `ddl` shows. Filled in here, so that previews show it; never set it. Without the number two
     * `ALTER TABLE … ADD` in a row, compared by line, would look like a renamed column.
     */
    plan: z.string().optional(),
});

export type TableInputs = z.output<typeof inputs>;

export interface TableOutputs {
    /** Path of the table for SQL, quoted. */
    path: string;
}

/** A Fluss table. Whatever its spec says, it is never replaced: a change happens in place or is refused in the preview. */
export const table: ResourceDefinition<TableInputs, TableOutputs> = {
    kind: "Fluss table",
    inputs,
    fields: {
        runner: "update",
        catalog: "update",
        spec: specEffect,
        capabilities: "ignore",
        allowDataLoss: "ignore",
        adopt: "ignore",
        deletionProtection: "update",
        ddl: "ignore",
        plan: "ignore",
    },
    secretInputs: ["catalog"],
    derivedInputs: ["ddl"],

    review({ old, new: wanted, known }) {
        const faults = known("runner", "catalog") ? catalogFaults(wanted.runner, wanted.catalog) : [];
        if (!known("spec", "capabilities", "allowDataLoss") || !knownName(wanted.catalog)) return { faults };
        const withoutLake = old?.capabilities?.lake === "none";
        const planned = planOf(old?.spec, wanted.spec, { ...planContext(wanted), withoutLake });
        if (planned.kind === "refuse") return { faults: [...faults, ...planned.faults.map(faultLine)] };
        const ddl = ddlOf(wanted.catalog.name, wanted.spec);
        const plan = planned.kind === "alter" ? numbered(old?.plan, planned.statements) : old?.plan;
        return { faults, inputs: { ddl, plan } };
    },

    async create(wanted, context) {
        const place = placeOf(wanted, context);
        const { spec } = wanted;
        const statement = createTable(wanted.catalog.name, spec);
        try {
            await done(
                () => place.runner.execute(statement, `create table ${place.path}`),
                () => place.isDeclared({ ...spec, partitions: undefined }),
            );
        } catch (error) {
            if (isTakenInLake(error) || isMadeMeanwhile(error)) await untilVisible(place);
            else if (!isExisting(error)) throw error;
            await takeOver(place, wanted, error);
        }
        try {
            await makePartitions(place, wanted);
        } catch (error) {
            if (!(error instanceof Error)) throw error;
            throw new PartialCreateError(place.id, { path: place.path }, error.message);
        }
        return { id: place.id, outputs: { path: place.path } };
    },

    async read(_id, state, context) {
        const place = placeOf(state, context);
        const outputs = { path: place.path };
        const read = async (): Promise<
            { inputs: Partial<TableInputs>; outputs: TableOutputs } | undefined
        > => {
            const found = await place.find();
            if (!found) return undefined;
            const spec = asDeclared(state.spec, found.spec);
            return { inputs: { spec, ddl: ddlOf(state.catalog.name, spec) }, outputs };
        };
        const unseen = { inputs: { ddl: ddlOf(state.catalog.name, state.spec) }, outputs };
        return unlessCatalogIsGone(`table ${place.path}`, read, unseen);
    },

    async update(_id, state, wanted, context) {
        const place = placeOf(wanted, context);
        const statements = await remainingStatements(place, state.spec, wanted);
        for (const [index, statement] of statements.entries()) {
            const left = statements.length - index;
            await done(
                () =>
                    place.runner.execute(
                        statement,
                        `alter table ${place.path} (statement ${index + 1} of ${statements.length})`,
                    ),
                async () => (await remainingStatements(place, state.spec, wanted)).length < left,
            );
        }
        return { path: place.path };
    },

    async delete(_id, state, context) {
        const place = placeOf(state, context);
        if (state.deletionProtection) {
            throw new Error(
                `Fluss: table ${place.path} is protected, and dropping it would lose all its rows.\n` +
                    "What to do: keep it in the program, set deletionProtection: false, run `pulumi up`, and delete it then",
            );
        }
        try {
            await done(
                () =>
                    place.runner.execute(
                        dropTable(state.catalog.name, state.spec),
                        `drop table ${place.path}`,
                    ),
                async () => (await place.find()) === undefined,
            );
        } catch (error) {
            if (!isMissing(error) || (await place.find())) throw error;
        }
        if (isLakeEnabled(state.spec)) {
            console.warn(
                `warning: Fluss table ${place.path} is dropped; its Iceberg table stays in the lake and keeps its name taken`,
            );
        }
    },
};

interface Place {
    runner: SqlRunner;
    /** Without quotes: the id of the resource. */
    id: string;
    path: string;
    find(): Promise<ObservedTable | undefined>;
    isDeclared(spec: TableSpec): Promise<boolean>;
}

function placeOf(at: Pick<TableInputs, "runner" | "catalog" | "spec">, context: Context): Place {
    const runner = runnerOf(at.runner, at.catalog, context);
    const find = () => findTable(runner, at.catalog.name, at.spec);
    return {
        runner,
        id: `${at.catalog.name}.${at.spec.database}.${at.spec.name}`,
        path: qualified(at.catalog.name, at.spec.database, at.spec.name),
        find,
        async isDeclared(spec) {
            const found = await find();
            return found !== undefined && differencesFrom(spec, found).length === 0;
        },
    };
}

function planContext(wanted: TableInputs): PlanContext {
    return { ...wanted.capabilities, catalog: wanted.catalog.name, allowDataLoss: wanted.allowDataLoss };
}

function ddlOf(catalog: string, spec: TableSpec): string {
    return script(createStatements(catalog, spec));
}

function numbered(last: string | undefined, statements: string[]): string {
    const [, number = "0"] = /^\/\* change (\d+) \*\//.exec(last ?? "") ?? [];
    return script(statements.map((statement) => `/* change ${Number(number) + 1} */ ${statement}`));
}

/** Another spelling of the same table is no change. */
function specEffect({ old, new: wanted }: Change<TableSpec>): Effect {
    if (!old || !wanted || hasUnknown(wanted)) return "update";
    return isDeepStrictEqual(normalTable(old), normalTable(wanted)) ? "ignore" : "update";
}

/**
 * The servers make the lake's table first: when it is there and the Fluss table is not, a CREATE that was cut off may
 * still be under way in them.
 */
async function untilVisible(place: Place): Promise<void> {
    for (let second = 0; second < secondsUntilVisible; second++) {
        if (await place.find()) return;
        await sleep(1000);
    }
}

const secondsUntilVisible = 10;

/** The declared partitions that are not there yet. They come after the table, so that one that exists is seen first. */
async function makePartitions(place: Place, { catalog, spec }: TableInputs): Promise<void> {
    const { partitions } = normalTable(spec);
    if (!partitions) return;
    await done(
        () =>
            place.runner.execute(
                addPartitions(catalog.name, spec, partitions),
                `add partitions to table ${place.path}`,
            ),
        () => place.isDeclared(spec),
    );
}

/** A table of that name exists: it is taken over when that is wanted and it is the declared one. */
async function takeOver(place: Place, wanted: TableInputs, refusal: unknown): Promise<void> {
    const found = await place.find();
    if (!found) throw refusal;
    // Partitions that are missing are added: that takes nothing from anybody.
    const differences = differencesFrom({ ...wanted.spec, partitions: undefined }, found);
    if (differences.length > 0) {
        throw new Error(
            `Fluss: table ${place.path} exists already, and it is not the declared one:\n${differences.join("\n")}\n` +
                "What to do: declare it as it is and set adopt: true to take it over, or choose another name",
        );
    }
    if (wanted.adopt) return;
    throw new Error(
        `Fluss: table ${place.path} exists already, and this resource did not make it (a run that was cut off may have). It equals the declared one.\n` +
            "What to do: set adopt: true to take it over, or choose another name",
    );
}

function differencesFrom(spec: TableSpec, found: ObservedTable): string[] {
    return tableDifferences(spec, found.spec).map(
        ({ path, declared, observed }) => `- ${path}: declared ${declared}, but it is ${observed}`,
    );
}

/**
 * What is left to do, by what the server has now: an earlier run may have been cut off, or somebody may have changed
 * the table since.
 */
async function remainingStatements(place: Place, old: TableSpec, wanted: TableInputs): Promise<string[]> {
    // Options and partitions that the spec no longer names are still to be reset and dropped.
    const named = {
        ...wanted.spec,
        options: { ...old.options, ...wanted.spec.options },
        custom: { ...old.custom, ...wanted.spec.custom },
        partitions: [...(old.partitions ?? []), ...(wanted.spec.partitions ?? [])],
    };
    const found = await findTable(place.runner, wanted.catalog.name, named);
    if (!found) {
        throw new Error(`Fluss: table ${place.path} is not there any more. What to do: \`pulumi refresh\``);
    }
    // Every table that is made on a cluster with a lake is stamped with the lake's format.
    const withoutLake = found.spec.options["table.datalake.format"] === undefined;
    const planned = planOf(asDeclared(named, found.spec), wanted.spec, {
        ...planContext(wanted),
        withoutLake,
    });
    if (planned.kind === "alter") return planned.statements;
    if (planned.kind === "none") return [];
    if (planned.kind === "create") throw new Error("a table that was found cannot be planned as new");
    throw new Error(
        `Fluss: table ${place.path} was changed outside of this stack, and its change is refused:\n` +
            planned.faults.map((fault) => `- ${faultLine(fault)}`).join("\n"),
    );
}
