/**
 * A text as one segment of a URL's path. An id that a server tells may hold half a character (a lone surrogate), which the plain
 * function of the language does not take: it becomes U+FFFD, and the server says that it knows no such thing.
 */
export function pathSegment(text: string): string {
    // The u flag takes two halves that belong together as one.
    return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, "\ufffd"));
}
