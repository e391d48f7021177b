/** URLs as arguments: they end up in states, logs and errors, where a login must not stand. */

/** Whether a URL holds a user or a password; false for what is no URL. */
export function hasLogin(text: string): boolean {
    if (!URL.canParse(text)) return false;
    const { username, password } = new URL(text);
    return username !== "" || password !== "";
}

/** The base URL of an HTTP service, which is kept in clear: http or https, without user, password, query, `#` and blanks. */
export function isServiceUrl(text: string): boolean {
    return /^https?:\/\/[^\s?#]+$/i.test(text) && URL.canParse(text) && !hasLogin(text);
}

/**
 * A text to show, in which a login and the values of a query are `***`. Only the places in a store that are written with an `@`
 * keep what stands before it: `abfss://container@account…`.
 */
export function withoutLogin(text: string): string {
    if (!text.includes("://")) return text;
    return (
        text
            // Up to the last @: a password may hold anything.
            .replace(/(?<!\b(?:abfss?|wasbs?)):\/\/.*@/s, "://***@")
            .replaceAll(/([?&;][^=?&;\s]*=)[^&;]*?(?="?$|[&;])/g, "$1***")
    );
}
