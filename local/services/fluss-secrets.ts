/** True when the value of that option must not be shown. */
export function isSecretOption(key: string): boolean {
    return /password|secret|token|credential|access[._-]?key|jaas/i.test(key);
}

/**
 * The secret values among server options, job arguments or catalog options; passwords inside a JAAS line too.
 * A switch or a number behind such a name is none, and would be wiped out of every log.
 */
export function secretValues(options: Record<string, string>): string[] {
    return Object.entries(options).flatMap(([key, value]) => {
        if (!isSecretOption(key) || /^(?:true|false|\d+ ?\w{0,3})$/i.test(value)) return [];
        if (!/jaas/i.test(key)) return [value];
        return [...value.matchAll(/="([^"]+)"/g)].map((match) => match[1] ?? "");
    });
}
