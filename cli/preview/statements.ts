import { lineDiff } from "./line-diff.ts";
import { type Operation, type PreviewStep, readableUrn } from "./preview.ts";
import { clean } from "./property-changes.ts";
import type { Named } from "./summary.ts";

/** A resource whose change runs SQL. */
export interface TableChange extends Named {
    op: Operation;
    /** The statements that would run, as far as the preview knows them. */
    statements: string;
    /** How the table's whole statement changes, line by line; empty for a new table. */
    diff: string;
    /** True when rows would be lost with it. */
    losesRows: boolean;
}

/** The resources that run DDL, and the inputs in which they show it. */
const withStatements: Record<string, { statements: string; whole: string }> = {
    "fluss:Table": { statements: "plan", whole: "ddl" },
    "fluss:Database": { statements: "plan", whole: "plan" },
    "fluss:Catalog": { statements: "plan", whole: "plan" },
};

/** What a step runs; nothing for a resource that runs none, or that the stack only lets go of. */
export function tableChange(step: PreviewStep): TableChange[] {
    const named = readableUrn(step.urn);
    const names = withStatements[named.type];
    if (!names) return [];
    const at = (inputs: PreviewStep["old"], key: string) => {
        const value = inputs?.[key];
        return typeof value === "string" ? clean(value) : "";
    };
    const change = { ...named, op: step.op, diff: "", losesRows: false };
    const [before, whole] = [at(step.old, names.whole), at(step.new, names.whole)];
    if (step.op === "create") return [{ ...change, statements: whole }];
    if (step.op === "delete") {
        if (step.retain) return [];
        return [{ ...change, statements: dropOf(before), losesRows: named.type === "fluss:Table" }];
    }
    const plan = at(step.new, names.statements);
    if (plan === at(step.old, names.statements) && whole === before) return [];
    // The number in front tells two changes in a row apart; it is no part of the statement.
    const statements =
        plan === at(step.old, names.statements) ? "" : plan.replaceAll(/^\/\* change \d+ \*\/ /gm, "");
    return [{ ...change, statements, diff: whole === before ? "" : lineDiff(before, whole) }];
}

/** The statement that takes back what a CREATE made; empty when it cannot be read. */
function dropOf(create: string): string {
    const [, kind, path] = /^CREATE (CATALOG|DATABASE|TABLE) ((?:`(?:[^`]|``)*`\.?)+)/.exec(create) ?? [];
    if (path === undefined) return "";
    return `DROP ${kind} ${path}${kind === "DATABASE" ? " RESTRICT" : ""};`;
}
