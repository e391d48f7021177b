import { isNote, isObject, type Properties, sameValue, type Value } from "../../host/values.ts";
import { isGenerated } from "./naming.ts";
import type { ResourceType } from "./resource-type.ts";

export type ChangeKind = "add" | "delete" | "update";

export interface PropertyChange {
    /** Path as the engine writes it: `tags.env`, `rules[0].bucketKeyEnabled`, `tags["a.b"]`. */
    path: string;
    kind: ChangeKind;
    /** True when this change needs a new resource. */
    replaces: boolean;
}

export interface Difference {
    changes: PropertyChange[];
    /** Names of the changed inputs. */
    names: string[];
    /** Names of the inputs that need a new resource. */
    replaces: string[];
    /** The old resource has to go first: both would have the same name, which the program gave. */
    deleteBeforeReplace: boolean;
}

/**
 * Compares old and new inputs. It is no change when an input newly says what the resource already has, or is no
 * longer given and then comes from the provider.
 */
export function difference<Context>(
    type: ResourceType<Context>,
    old: { inputs: Properties; outputs: Properties },
    news: Properties,
): Difference {
    const all = new Set([...Object.keys(old.inputs), ...Object.keys(news)]);
    const names = [...all].filter(
        (name) =>
            !isNote(name) &&
            !sameValue(old.inputs[name], news[name]) &&
            !((news[name] ?? null) === null
                ? type.outputs.includes(name)
                : sameValue(old.outputs[name], news[name])),
    );
    const replaces = names.filter((name) => type.forceNew.includes(name));
    const changes = names.flatMap((name) =>
        changesBelow(name, old.inputs[name], news[name]).map((change) => ({
            ...change,
            replaces: replaces.includes(name),
        })),
    );
    return {
        changes,
        names,
        replaces,
        deleteBeforeReplace: replaces.length > 0 && keepsName(type, old, news),
    };
}

function keepsName<Context>(
    type: ResourceType<Context>,
    old: { inputs: Properties },
    news: Properties,
): boolean {
    const property = type.autoName?.property;
    if (!property) return false;
    return !isGenerated(news, property) && sameValue(old.inputs[property], news[property]);
}

function changesBelow(
    path: string,
    old: Value | undefined,
    now: Value | undefined,
): { path: string; kind: ChangeKind }[] {
    if (sameValue(old, now)) return [];
    if (isObject(old) && isObject(now)) {
        const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])];
        return keys.flatMap((key) => changesBelow(memberPath(path, key), old[key], now[key]));
    }
    if (Array.isArray(old) && Array.isArray(now)) {
        const longer = old.length > now.length ? old : now;
        return longer.flatMap((_, index) => changesBelow(`${path}[${index}]`, old[index], now[index]));
    }
    return [{ path, kind: kindOf(old, now) }];
}

function kindOf(old: Value | undefined, now: Value | undefined): ChangeKind {
    if ((old ?? null) === null) return "add";
    return (now ?? null) === null ? "delete" : "update";
}

function memberPath(path: string, key: string): string {
    return /^[A-Za-z_][\w]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}
