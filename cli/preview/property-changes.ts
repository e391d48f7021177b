import { redact } from "../../dynamic-providers/http/redact.ts";
import { unknown } from "../../dynamic-providers/unknown.ts";
import { isSecretPath } from "../../model/faults.ts";
import { withoutSecretOptions } from "../../model/text-options.ts";
import { type Inputs, type PreviewStep, SECRET } from "./preview.ts";

/** One input before and after, as people may see it. */
export interface PropertyChange {
    /** `resources.taskmanager.cpu`. */
    path: string;
    /** Undefined when it was not there. */
    before: string | undefined;
    /** Undefined when it is taken away. */
    after: string | undefined;
}

/** What stands for a value that only the update will know. */
export const LATER = "(known after the update)";

/** Stands behind a secret that differs from the one before. */
const ANOTHER = " (another one)";

/** Inputs that say nothing to people: the provider's text and the mark of what a stack made. */
const internal = new Set(["__provider", "__defaults", "mark"]);

/** The inputs that differ; those whose values are secret on both sides cannot be compared, and are left out. */
export function propertyChanges({ old, new: now }: Pick<PreviewStep, "old" | "new">): PropertyChange[] {
    return differences("", old ?? {}, now ?? {});
}

/** What a refresh found otherwise in outputs that are no inputs, such as the status of a job. */
export function foundChanges({ old, new: now, state, found }: PreviewStep): PropertyChange[] {
    if (!state || !found) return [];
    const inputs = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})]);
    const outputs = (values: Inputs) =>
        Object.fromEntries(Object.entries(values).filter(([key]) => !inputs.has(key)));
    return differences("", outputs(state), outputs(found));
}

/** Paths of the inputs that Pulumi keeps secret before and after: whether their values differ is not told. */
export function secretPaths({ old, new: now }: Pick<PreviewStep, "old" | "new">): string[] {
    const before = new Set(pathsOfSecrets("", old ?? {}));
    return pathsOfSecrets("", now ?? {}).filter((path) => before.has(path));
}

/** A text without secrets that nobody marked: values after names like `password`, tokens, the user of a URL. */
export function clean(text: string): string {
    // The advice to set a secret names its key, which is none.
    return text
        .split(/(\bpulumi config set --secret [\w:.-]+)/)
        .map((part, index) => (index % 2 === 1 ? part : withoutSecrets(part)))
        .join("");
}

function withoutSecrets(text: string): string {
    return withoutSecretOptions(redact(text)).replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi, "$1***@");
}

function differences(path: string, old: unknown, now: unknown): PropertyChange[] {
    if (old === now || (old === SECRET && now === SECRET)) return [];
    if (isBag(old) && isBag(now)) {
        const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])];
        return keys
            .filter((key) => path !== "" || !internal.has(key))
            .flatMap((key) => differences(joined(path, key), old[key], now[key]));
    }
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    // What is secret on one side may be the same text on the other.
    const secret = [old, now].some((value) => pathsOfSecrets(path, value).length > 0);
    const show = (value: unknown) => (secret && value !== undefined ? SECRET : shown(path, value));
    const [before, after] = [show(old), show(now)];
    // Two lines that look the same would seem to say that nothing changes. What only gets secret may be the same.
    return [{ path, before, after: after === before && !secret ? `${after}${ANOTHER}` : after }];
}

function shown(path: string, value: unknown): string | undefined {
    if (value === undefined) return undefined;
    if (value === unknown) return LATER;
    if (value === SECRET || isSecretPath(path)) return SECRET;
    if (typeof value === "string") return clean(value);
    // One element in a line, so that a long list shows which of them differ.
    if (Array.isArray(value) && value.some((one) => typeof one === "object")) {
        return value.map((one) => shown(path, one) ?? "").join("\n");
    }
    return clean(
        JSON.stringify(value, (key, inner) => (isSecretPath(key) ? SECRET : inner)).replaceAll(
            unknown,
            LATER,
        ),
    );
}

function pathsOfSecrets(path: string, value: unknown): string[] {
    if (value === SECRET) return [path];
    if (Array.isArray(value)) return value.some((one) => pathsOfSecrets("", one).length > 0) ? [path] : [];
    if (!isBag(value)) return [];
    return Object.entries(value).flatMap(([key, one]) => pathsOfSecrets(joined(path, key), one));
}

function joined(path: string, key: string): string {
    return path === "" ? key : `${path}.${key}`;
}

function isBag(value: unknown): value is Record<string, unknown> {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}
