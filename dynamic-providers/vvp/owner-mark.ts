import { createHash } from "node:crypto";

/**
 * The mark of an owner, such as `organization/project/stack/resource`, in letters that a label may have: its end, to be
 * read by people, and a hash of the whole.
 */
export function markOf(owner: string): string {
    const hash = createHash("sha256").update(owner).digest("hex").slice(0, 12);
    const readable = owner.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+/, "");
    return `${readable.slice(-50).replace(/^-+/, "")}-${hash}`;
}
