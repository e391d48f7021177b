import { refuse } from "./answers.ts";

/** The answer to a change of a field that holds the data in its place. */
export function immutable(field: string): Error {
    const name = field.replaceAll("-", "_");
    return refuse(400, "UpdateError", `Field \`${name}\` cannot be updated to prevent loss of data.`);
}

/** A prefix without blanks and slashes at its ends; an empty one is none. The limit is inclusive, in bytes. */
export function normalisePrefix(prefix: string | null, limit: number, name = "key_prefix"): string | null {
    const clean = prefix?.trim().replace(/^\/+|\/+$/g, "") || null;
    if (clean !== null && Buffer.byteLength(clean) > limit) {
        const message = `Storage Profile \`${name}\` must be less than ${limit} characters.`;
        throw refuse(400, `Invalid${name}`, message);
    }
    return clean;
}

/** Whether one folder is the other, or in it. */
export function nested(a: string | null, b: string | null): boolean {
    const [one, other] = [`${a ?? ""}/`, `${b ?? ""}/`];
    return one === "/" || other === "/" || one.startsWith(other) || other.startsWith(one);
}
