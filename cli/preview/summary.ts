import { type Operation, type Preview, type PreviewStep, readableUrn } from "./preview.ts";
import { clean, foundChanges, type PropertyChange, propertyChanges } from "./property-changes.ts";
import { protection } from "./protection.ts";
import { restartOf } from "./restarts.ts";
import { type SecretChange, secretChanges } from "./secrets.ts";
import { type TableChange, tableChange } from "./statements.ts";

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
    /** What is deleted, alone or to be made anew; `kept`: the stack only lets go of it. */
    removed: (Named & { op: "delete" | "replace"; because: string[]; kept: boolean })[];
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
    const errors = preview.diagnostics.filter(({ severity }) => severity === "error");
    const refused = new Set(errors.map(({ urn }) => urn));
    // What is refused does not happen, although the engine tells a step of it, too.
    const changed = preview.steps.filter(
        ({ op, urn }) => op !== "same" && op !== "read" && !refused.has(urn),
    );
    return {
        project: preview.project,
        stack: preview.stack,
        complete: preview.complete,
        untold: preview.untold,
        counts: { ...counted(changed), ...(preview.same > 0 && { same: preview.same }) },
        components: componentsOf(changed),
        refused: said(preview, (severity) => severity === "error"),
        removed: changed.flatMap(({ op, urn, replaceKeys: because, retain: kept }) =>
            op === "delete" || op === "replace" ? [{ ...readableUrn(urn), op, because, kept }] : [],
        ),
        tables: changed.flatMap(tableChange),
        restarts: changed.flatMap((step) => {
            const text = step.retain ? undefined : restartOf(step);
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
    const steps = new Map(preview.steps.map((step) => [step.urn, step]));
    // As the changes, in an order that stays; of one resource as they were said.
    const inOrder = preview.diagnostics.toSorted((a, b) => (a.urn === b.urn ? 0 : a.urn < b.urn ? -1 : 1));
    return inOrder.flatMap(({ urn, severity, message }) => {
        // The engine names the resource again, which stands beside the text.
        const text = clean(protection(message, steps.get(urn)) ?? message).replace(
            /^(Preview failed: |\S+ resource '[^'\n]*' has a problem: )/,
            "",
        );
        if (!wanted(severity) || text === "" || ownMatters.test(text) || seen.has(urn + text)) return [];
        seen.add(urn + text);
        const named = readableUrn(urn);
        return [{ ...(named.type === "pulumi:pulumi:Stack" ? { name: "", type: "" } : named), text }];
    });
}
