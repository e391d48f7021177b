import { createHash, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { ApiError } from "../http/api-error.ts";
import { type Context, PartialCreateError, type ResourceDefinition } from "../resource.ts";
import { connectionEffect, connectionSchema, unlessMoved } from "./connection.ts";
import { dialect } from "./dialect.ts";
import type { SqlTable } from "./domain.ts";
import { executeSql } from "./sql.ts";

const statement = z.string().refine((text) => text.trim() !== "", { error: "is an empty statement" });

const inputs = z.strictObject({
    connection: connectionSchema,
    statements: z.array(statement).min(1, { error: "needs at least one statement" }),
    undo: z.array(statement).default([]),
    probe: statement.optional(),
    engineVersion: z.string().optional(),
    flinkConfiguration: z.record(z.string(), z.string()).default({}),
    additionalDependencies: z.array(z.string()).default([]),
    keepResult: z.boolean().default(false),
    timeoutSeconds: z.number().positive().default(120),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** How many statements have been executed; fewer than there are when one failed. */
    executed: number;
    /** Rows of the last statement, only with `keepResult`: at most 20, at most 2,000 characters. */
    result?: SqlTable;
    /** Hash of what the probe gave after the statements ran. */
    probed?: string;
    /** True when a refresh found that the probe gives something else. */
    changedOutside: boolean;
}

/**
 * Statements that the platform executes once, when the resource is made and when it changes (DDL, commands). SQL cannot
 * be read back in general: what tells whether the work still stands is the probe, a statement of the user's.
 */
export const sqlScript: ResourceDefinition<Inputs, Outputs> = {
    kind: "VVP SQL script",
    inputs,
    deleteBeforeReplace: unlessMoved,
    fields: {
        connection: connectionEffect,
        statements: "update",
        undo: "update",
        probe: "update",
        engineVersion: "update",
        flinkConfiguration: "update",
        additionalDependencies: "update",
        keepResult: "update",
        timeoutSeconds: "ignore",
    },

    needsUpdate: (state) => state.changedOutside || state.executed < state.statements.length,

    async create(wanted, context) {
        const id = randomUUID();
        return { id, outputs: await run(id, wanted, context, 0) };
    },

    async read(_id, state, context) {
        const { executed, result, probed, probe } = state;
        if (probe === undefined) {
            return { outputs: { executed, result, probed, changedOutside: state.changedOutside } };
        }
        const table = await unlessMissing(() => executor(state, context)(probe));
        if (table === undefined || table.rows.length === 0) return undefined;
        const changedOutside = state.changedOutside || hashOf(table) !== probed;
        return { outputs: { executed, result, probed, changedOutside } };
    },

    async update(id, state, wanted, context) {
        const same = state.executed === wanted.statements.length && !state.changedOutside;
        const rerun = !same || !isDeepStrictEqual(effective(state), effective(wanted));
        if (rerun) return run(id, wanted, context, state.executed);
        const { executed, result, probed } = state;
        return { executed, result, probed, changedOutside: false };
    },

    async delete(_id, state, context) {
        const execute = executor(state, context);
        // What is gone already needs no undoing.
        for (const text of state.undo) await unlessMissing(() => execute(text));
    },
};

/** Executes all statements in their order; how far it came is recorded when one fails, so that `undo` can run. */
async function run(id: string, wanted: Inputs, context: Context, before: number): Promise<Outputs> {
    const execute = executor(wanted, context);
    let executed = 0;
    let last: SqlTable = { headers: [], rows: [] };
    try {
        for (const text of wanted.statements) {
            last = await execute(text);
            executed += 1;
        }
        const result = wanted.keepResult ? small(last) : undefined;
        const probed = wanted.probe === undefined ? undefined : hashOf(await execute(wanted.probe));
        return { executed, result, probed, changedOutside: false };
    } catch (error) {
        // Nothing was done yet, and nothing before: there is no resource.
        if (executed === 0 && before === 0) throw error;
        const message = error instanceof Error ? error.message : String(error);
        const { length } = wanted.statements;
        throw new PartialCreateError(
            id,
            { executed, changedOutside: true },
            `${message}\n${executed} of ${length} statements have been executed; the next run starts with the first again`,
        );
    }
}

/** Undefined when the statement failed because what it names is not there. */
async function unlessMissing(execute: () => Promise<SqlTable>): Promise<SqlTable | undefined> {
    try {
        return await execute();
    } catch (error) {
        if (error instanceof ApiError && dialect.sql.missing(error.type, error.serverMessage))
            return undefined;
        throw error;
    }
}

function executor(wanted: Inputs, context: Context): (text: string) => Promise<SqlTable> {
    const sql = executeSql(wanted.connection, context);
    const { engineVersion, flinkConfiguration, additionalDependencies, timeoutSeconds } = wanted;
    return (text) =>
        sql.execute(text, {
            engineVersion,
            flinkConfiguration,
            additionalDependencies,
            repeatable: true,
            deadlineSeconds: timeoutSeconds,
        });
}

/** What the statements' effect depends on; `undo` and the address do not. */
function effective(of: Inputs): unknown[] {
    return [
        of.statements,
        of.probe,
        of.engineVersion,
        of.flinkConfiguration,
        of.additionalDependencies,
        of.keepResult,
    ];
}

function hashOf(table: SqlTable): string {
    return createHash("sha256").update(JSON.stringify(table)).digest("hex").slice(0, 16);
}

function small(table: SqlTable): SqlTable {
    const rows: SqlTable["rows"] = [];
    let size = 0;
    for (const row of table.rows.slice(0, 20)) {
        size += JSON.stringify(row).length;
        if (size > 2000) break;
        rows.push(row);
    }
    return { headers: table.headers, rows };
}
