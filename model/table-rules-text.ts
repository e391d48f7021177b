import type { Fault } from "./faults.ts";
import { at } from "./table-fault.ts";
import type { TableSpec } from "./table-spec.ts";

/**
 * Texts anywhere in the spec that hold one half of a character beyond 16 bits without the other: there is no UTF-8 for it, so
 * that the server would keep "?" in its place (0.9.1 observed), and the table would differ from its spec for ever.
 */
export function textFaults(spec: TableSpec): Fault[] {
    return halves(spec, []);
}

function halves(value: unknown, keys: PropertyKey[]): Fault[] {
    if (typeof value === "string") return isWhole(value) ? [] : [half(keys)];
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([key, item]) => {
        const path = [...keys, Array.isArray(value) ? Number(key) : key];
        return [...(isWhole(key) ? [] : [half(path)]), ...halves(item, path)];
    });
}

function isWhole(text: string): boolean {
    return !/\p{Surrogate}/u.test(text);
}

function half(keys: PropertyKey[]): Fault {
    const reason = "holds half of a character (a surrogate without its pair), which Fluss cannot store";
    return { path: at(...keys), reason, fix: "write the whole character, or take it out" };
}
