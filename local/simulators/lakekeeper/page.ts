/**
 * One page of a list. As on the real server a page that is not empty always has a token, also the last one: only
 * nothing more to tell ends the list (0.13.3 observed).
 */
export function page<T>(all: T[], query: URLSearchParams): { items: T[]; token: string | null } {
    const size = Number(query.get("pageSize") ?? 100);
    const from = Number(Buffer.from(query.get("pageToken") ?? "", "base64url").toString() || 0);
    const items = all.slice(from, from + size);
    const token = items.length > 0 ? Buffer.from(String(from + items.length)).toString("base64url") : null;
    return { items, token };
}

/** One page of a list that ends as usual: the last page has no token (observed for role members and dropped tables). */
export function endingPage<T>(all: T[], query: URLSearchParams): { items: T[]; token: string | null } {
    const { items, token } = page(all, query);
    return { items, token: items.at(-1) === all.at(-1) ? null : token };
}
