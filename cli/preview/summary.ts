import { lineDiff } from "./line-diff.ts";
import { type Operation, type Preview, type PreviewStep, readableUrn, SECRET } from "./preview.ts";
import {
    clean,
    foundChanges,
    type PropertyChange,
    propertyChanges,
    secretPaths,
} from "./property-changes.ts";
import { reasonsOf } from "./reasons.ts";
import { restartOf } from "./restarts.ts";

/** What a reviewer wants to know of a preview. It holds no value of a secret. */
export interface Summary {
    project: string;
    stack: string;
    /** False when the preview ended with an error: what would come after it is not here. */
    complete: boolean;
    /** Changes that Pulumi's output counts and does not tell. */
    untold: number;
    /** Resources by what happens to them; only kinds that occur. */
    counts: Partial<Record<Operation, number>>;
    components: ComponentSummary[];
    /** Why it cannot be done. */
    refused: Said[];
    /** What is deleted, alone or to be made anew. */
    removed: (Named & { op: "delete" | "replace"; because: string[] })[];
    tables: TableChange[];
    restarts: Said[];
    secrets: SecretChange[];
    /** Undefined when the output does not tell whether a policy pack ran. */
    policies: PolicyFinding[] | undefined;
    warnings: Said[];
    changes: ResourceChange[];
}

/** A resource by name and type; both empty for the stack as a whole. */
export interface Named {
    name: string;
    type: string;
}

export interface Said extends Named {
    text: string;
}

export interface ComponentSummary extends Named {
    counts: Partial<Record<Operation, number>>;
}

export interface TableChange extends Named {
    op: Operation;
    /** The statements that would run, as far as the preview knows them. */
    statements: string;
    /** How the table's whole statement changes, line by line; empty for a new table. */
    diff: string;
}

export interface SecretChange extends Named {
    property: string;
    /** False when something else changes too, so that this secret may be as it was. */
    certain: boolean;
}

export interface PolicyFinding extends Named {
    policy: string;
    level: string;
    text: string;
}

export interface ResourceChange extends Named {
    op: Operation;
    component: Named;
    properties: PropertyChange[];
}

/** Sums up a preview. */
export function summarize(preview: Preview): Summary {
    const changed = preview.steps.filter(({ op }) => op !== "same" && op !== "read");
    return {
        project: preview.project,
        stack: preview.stack,
        complete: preview.complete,
        untold: preview.untold,
        counts: { ...counted(changed), ...(preview.same > 0 && { same: preview.same }) },
        components: componentsOf(changed),
        refused: said(preview, (severity) => severity === "error"),
        removed: changed.flatMap((step) =>
            step.op === "delete" || step.op === "replace"
                ? [{ ...readableUrn(step.urn), op: step.op, because: step.replaceKeys }]
                : [],
        ),
        tables: changed.flatMap(tableChange),
        restarts: changed.flatMap((step) => {
            const text = restartOf(step);
            return text === undefined ? [] : [{ ...readableUrn(step.urn), text }];
        }),
        secrets: changed.flatMap(secretChanges),
        policies: preview.policies?.map(({ policy, level, urn, message }) => ({
            ...readableUrn(urn),
            policy,
            level,
            text: clean(message),
        })),
        warnings: said(preview, (severity) => severity === "warning" || severity === "info#err"),
        changes: changed.map((step) => ({
            ...readableUrn(step.urn),
            op: step.op,
            component: componentOf(step),
            properties:
                step.op === "update" || step.op === "replace"
                    ? [...propertyChanges(step), ...foundChanges(step)]
                    : [],
        })),
    };
}

function counted(steps: PreviewStep[]): Partial<Record<Operation, number>> {
    const counts: Partial<Record<Operation, number>> = {};
    for (const { op } of steps) counts[op] = (counts[op] ?? 0) + 1;
    return counts;
}

function componentOf({ parent }: PreviewStep): Named {
    const named = readableUrn(parent);
    return named.type === "pulumi:pulumi:Stack" ? { name: "", type: "" } : named;
}

function componentsOf(changed: PreviewStep[]): ComponentSummary[] {
    const groups = new Map<string, PreviewStep[]>();
    for (const step of changed) groups.set(step.parent, [...(groups.get(step.parent) ?? []), step]);
    return [...groups.values()].map((steps) => ({
        ...componentOf(steps[0] as PreviewStep),
        counts: counted(steps),
    }));
}

/** Words of the engine about its own programs, which are the same in every preview. */
const ownMatters = /^using pulumi-\S+ from \$PATH at |^\d+ messages? from |^resource plugin /;

function said(preview: Preview, wanted: (severity: string) => boolean): Said[] {
    const seen = new Set<string>();
    return preview.diagnostics.flatMap(({ urn, severity, message }) => {
        // The engine names the resource again, which stands beside the text.
        const text = clean(message).replace(/^\S+ resource '[^'\n]*' has a problem: /, "");
        if (!wanted(severity) || text === "" || ownMatters.test(text) || seen.has(urn + text)) return [];
        seen.add(urn + text);
        const named = readableUrn(urn);
        return [{ ...(named.type === "pulumi:pulumi:Stack" ? { name: "", type: "" } : named), text }];
    });
}

/** The resources that run DDL, and the inputs in which they show it. */
const withStatements: Record<string, { statements: string; whole: string }> = {
    "fluss:Table": { statements: "plan", whole: "ddl" },
    "fluss:Database": { statements: "plan", whole: "plan" },
    "fluss:Catalog": { statements: "plan", whole: "plan" },
};

function tableChange(step: PreviewStep): TableChange[] {
    const named = readableUrn(step.urn);
    const names = withStatements[named.type];
    if (!names) return [];
    const at = (inputs: PreviewStep["old"], key: string) => {
        const value = inputs?.[key];
        return typeof value === "string" ? clean(value) : "";
    };
    const whole = at(step.new, names.whole);
    if (step.op === "create") return [{ ...named, op: step.op, statements: whole, diff: "" }];
    if (step.op === "delete") return [{ ...named, op: step.op, statements: "", diff: "" }];
    const plan = at(step.new, names.statements);
    const before = at(step.old, names.whole);
    if (plan === at(step.old, names.statements) && whole === before) return [];
    // The number in front tells two changes in a row apart; it is no part of the statement.
    const statements =
        plan === at(step.old, names.statements) ? "" : plan.replaceAll(/^\/\* change \d+ \*\/ /gm, "");
    return [{ ...named, op: step.op, statements, diff: whole === before ? "" : lineDiff(before, whole) }];
}

function secretChanges(step: PreviewStep): SecretChange[] {
    if (step.op !== "update" && step.op !== "replace") return [];
    const visible = propertyChanges(step);
    const named = readableUrn(step.urn);
    const marked = visible
        .filter(({ before, after }) => before === SECRET || after === SECRET)
        .map(({ path }) => ({ ...named, property: path, certain: true }));
    const hidden = secretPaths(step);
    // A secret value has nothing else that could demand an update; with others it is certain when nothing that can be seen
    // differs, and the resource itself finds no reason.
    const always = named.type === "vvp:SecretValue" && step.op === "update";
    const reasons = reasonsOf(step);
    const differs = reasons ? reasons.seen.size > 0 : visible.length > 0;
    const suspects = always || !differs ? hidden : [];
    const certain = always || (hidden.length === 1 && reasons?.other !== true);
    return [...marked, ...suspects.map((property) => ({ ...named, property, certain }))];
}
