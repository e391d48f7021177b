import { providers } from "../../dynamic-providers/index.ts";
import { resourceTypes } from "../../dynamic-providers/resource-types.ts";
import { type Inputs, type PreviewStep, readUrn, SECRET } from "./preview.ts";
import { propertyChanges, secretPaths } from "./property-changes.ts";

/** What may be why a resource is updated. Pulumi does not tell it: whether a secret differs is not in its output. */
export interface Reasons {
    /** Inputs that can be seen to differ, by their first name; those that by themselves demand nothing are left out. */
    seen: Set<string>;
    /** Inputs with secrets of which nobody can see whether they differ. One of them does when {@link other} is false. */
    hidden: Set<string>;
    /** Something else does or may demand the update: an input that differs, or what the resource finds, as a job that does not run. */
    other: boolean;
}

/** Why a resource of this library is updated, by the rules of its own definition; undefined for one of others. */
export function reasonsOf(step: PreviewStep): Reasons | undefined {
    const definition = definitions().get(readUrn(step.urn).type);
    if (!definition) return undefined;
    const counts = (field: string) => effectOf(definition, field, step) !== "ignore";
    const seen = fieldsOf(propertyChanges(step).map(({ path }) => path)).filter(counts);
    const hidden = fieldsOf(secretPaths(step)).filter((field) => counts(field) && !seen.includes(field));
    const found = step.state === undefined || demands(definition, step.state, step.new ?? {});
    return { seen: new Set(seen), hidden: new Set(hidden), other: seen.length > 0 || found };
}

/** The part of a definition that says when it is updated. */
interface Definition {
    fields: Readonly<Record<string, unknown>>;
    needsUpdate?(state: Inputs, inputs: Inputs): boolean;
}

/** By the type, as the dynamic provider and as the plugin have it. */
function definitions(): Map<string, Definition> {
    return new Map(
        resourceTypes().flatMap(({ provider, type }) => {
            const definition = providers[provider]?.definition as Definition;
            return [`pulumi-nodejs:dynamic/${type}`, `fluss:${type}`].map(
                (name) => [name, definition] as const,
            );
        }),
    );
}

function demands({ needsUpdate }: Definition, state: Inputs, inputs: Inputs): boolean {
    return unlessStrange(() => needsUpdate?.(state, inputs) === true, true);
}

function effectOf({ fields }: Definition, field: string, { old, new: now }: PreviewStep): unknown {
    const effect = fields[field] ?? "ignore";
    // Which part of it differs cannot be seen: it may be one that counts.
    if (typeof effect === "function" && (old?.[field] === SECRET || now?.[field] === SECRET)) return "update";
    if (typeof effect !== "function") return effect;
    return unlessStrange(() => effect({ old: old?.[field], new: now?.[field] }), "update");
}

/** A definition reads values that it has checked; those of a preview may be of an older release, or of a program that is refused. */
function unlessStrange<T>(read: () => T, otherwise: T): T {
    try {
        return read();
    } catch {
        return otherwise;
    }
}

function fieldsOf(paths: string[]): string[] {
    return [...new Set(paths.map((path) => path.split(".")[0] ?? ""))];
}
