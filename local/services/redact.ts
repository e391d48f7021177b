/** What stands in a text in place of a secret. */
export const mask = "***";

/**
 * The text without secrets: every known value, and every value that stands behind a name that tells of one
 * (`s3.secret.key=…`, `'client.security.sasl.password' = '…'`, `"token": "…"`, `user_admin="…"`, `Bearer …`).
 */
export function redact(text: string, secrets: readonly string[] = []): string {
    const known = secrets
        .filter((value) => value.length >= shortestSecret)
        .sort((a, b) => b.length - a.length);
    const withoutKnown = known.reduce((rest, value) => rest.replaceAll(value, mask), text);
    return patterns.reduce((rest, pattern) => rest.replace(pattern, `$1${mask}`), withoutKnown);
}

/** A shorter value is no secret that could be searched for: it would wipe half of every log. */
export const shortestSecret = 4;

// Bounded: a long text without blanks would take a time that grows with its square.
const secretName = "[\\w.-]{0,100}(?:password|passwd|secret|token|credential|access[._-]?key)[\\w.-]{0,100}";

/** Each with one group: what stays of the match. */
const patterns = [
    new RegExp(`(['"\`]?${secretName}['"\`]?\\s*[=:]\\s*')(?!\\*\\*\\*)[^']+`, "gi"),
    new RegExp(`(['"\`]?${secretName}['"\`]?\\s*[=:]\\s*")(?!\\*\\*\\*)[^"]+`, "gi"),
    new RegExp(`((?:^|[\\s,{(])${secretName}\\s*[=:]\\s*)(?!\\*\\*\\*)[^\\s,'")}]+`, "gim"),
    new RegExp(`(--${secretName}\\s+)(?!\\*\\*\\*)[^\\s,'"]+`, "gi"),
    /(\buser_[\w.-]{1,200}\s*=\s*")[^"]+/gi,
    /(\bbearer\s+)[\w.~+/=-]{4,}/gi,
];
