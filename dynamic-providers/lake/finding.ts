import { ApiError } from "../http/api-error.ts";

/**
 * What a part of a lake turned out to be: `good`; `wrong`, with the words for it; `unreachable` from here, or
 * `unchecked` because it wants what is not done here, of both of which nothing is known.
 */
export type Finding = { kind: "good" } | { kind: "wrong" | "unreachable" | "unchecked"; text: string };

/** What a failed call says of the part that was called. An answer, even a bad one, is an answer. */
export function findingOf(error: unknown): Finding {
    if (!(error instanceof ApiError)) throw error;
    const kind = error.status === undefined ? "unreachable" : "wrong";
    return { kind, text: error.message };
}
