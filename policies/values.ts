/** Stands in the place of what a preview does not know yet. It is no text, no number and no object. */
export const unknown: unique symbol = Symbol("not known yet");

/** What stands below the keys; undefined when nothing does, {@link unknown} when that or one above is not known. */
export function at(value: unknown, ...keys: readonly (string | number)[]): unknown {
    let found = value;
    for (const key of keys) {
        if (found === unknown) return unknown;
        if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
        found = (found as Record<string | number, unknown>)[key];
    }
    return found ?? undefined;
}

/** The value when it is a text. */
export function text(value: unknown): string | undefined {
    return typeof value === "string" ? value : undefined;
}

/** A text, number or truth value as text, as Helm and Flink read it. */
export function plain(value: unknown): string | undefined {
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? String(value)
        : undefined;
}

/** The elements of an array; none when it is none. */
export function items(value: unknown): unknown[] {
    return Array.isArray(value) ? value : [];
}

/** Keys and values of an object; none when it is none, or an array. */
export function entries(value: unknown): [string, unknown][] {
    return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** Keys and values as texts, without those that are none or unknown. */
export function plainEntries(value: unknown): [string, string][] {
    return entries(value).flatMap(([key, one]): [string, string][] => {
        const read = plain(one);
        return read === undefined ? [] : [[key, read]];
    });
}

/** True when the value is unknown, or is a list with an unknown element. */
export function isPartlyUnknown(value: unknown): boolean {
    return value === unknown || items(value).includes(unknown);
}

/** True when the value is unknown, or is an object with an unknown one under some key. */
export function hasUnknownEntry(value: unknown): boolean {
    return value === unknown || entries(value).some(([, one]) => one === unknown);
}

/** True when something is unknown in a value, at any depth. */
export function holdsUnknown(value: unknown): boolean {
    if (value === unknown) return true;
    return typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown);
}

/** A text somewhere in a value. */
export interface FoundText {
    /** Keys from the top: `values.fluss.security`. */
    path: string;
    /** The last key. */
    key: string;
    text: string;
}

/** Every text in a value, at any depth. */
export function texts(value: unknown, path = "", key = ""): FoundText[] {
    if (typeof value === "string") return [{ path, key, text: value }];
    if (Array.isArray(value)) return value.flatMap((one, index) => texts(one, `${path}[${index}]`, key));
    return entries(value).flatMap(([name, one]) => texts(one, path ? `${path}.${name}` : name, name));
}

/** A size of Kubernetes or Flink (`20Gi`, `512m`) in bytes; undefined for what is none. */
export function bytes(size: string | undefined): number | undefined {
    const match = /^(\d+(?:\.\d+)?)\s*([kKmMgGtTpP]?)i?[bB]?$/.exec(size?.trim() ?? "");
    if (!match) return undefined;
    return Number(match[1]) * 1024 ** ["", "k", "m", "g", "t", "p"].indexOf(match[2]!.toLowerCase());
}
