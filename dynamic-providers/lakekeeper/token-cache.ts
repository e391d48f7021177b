/** A token as it was given. */
export interface GivenToken {
    token: string;
    /** How long it lasts; absent when nobody says. */
    seconds?: number;
}

interface Kept {
    token: Promise<string>;
    /** When another one is got, in milliseconds since 1970. */
    until: number;
}

// One token for all resources of a run.
const kept = new Map<string, Kept>();

/** A new token is got so long before the old one ends, since a call takes its time. */
const marginSeconds = 30;

/** Lifetime of a token of which nobody says it. */
const assumedSeconds = 60;

/**
 * The last token while it is good, else another one. It is kept in memory only. A failure is not kept.
 * @param key what the token depends on
 * @param refused a token that the server refused, so that another one is got even if it should still be good
 */
export async function cachedToken(
    key: string,
    refused: string | undefined,
    request: () => Promise<GivenToken>,
): Promise<string> {
    const known = kept.get(key);
    if (known && known.until > Date.now() && (await known.token) !== refused) return known.token;
    // Another resource may have got one meanwhile.
    const newest = kept.get(key);
    if (newest && newest !== known) return newest.token;
    const fresh: Kept = { token: Promise.resolve(""), until: Date.now() + assumedSeconds * 1000 };
    fresh.token = request().then(({ token, seconds }) => {
        fresh.until = Date.now() + ((seconds ?? assumedSeconds) - marginSeconds) * 1000;
        return token;
    });
    kept.set(key, fresh);
    fresh.token.catch(() => kept.delete(key));
    return fresh.token;
}
