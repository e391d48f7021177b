const hidden = "***";

/** Shapes that are secret wherever they stand, also when the value itself was never told to us. */
const patterns: [RegExp, string][] = [
    [/(\bBearer\s+)[A-Za-z0-9._~+/=-]+/gi, `$1${hidden}`],
    [
        /(\b[\w.-]*(?:password|secret|token|access[-_.]?key(?:[-_.]?id)?|credential)[\w.-]*["']?\s*[=:]\s*["'])[^"']*/gi,
        `$1${hidden}`,
    ],
    [/(\buser_[\w.-]+=")[^"]*/g, `$1${hidden}`],
    [/([?&](?:X-Amz-Signature|X-Amz-Credential|X-Amz-Security-Token|sig)=)[^&\s"]*/gi, `$1${hidden}`],
];

/**
 * Takes secrets out of a text that people will see.
 * @param text any text, typically a server's answer
 * @param secrets values that must not appear; values shorter than four characters are ignored, since replacing
 *   them would tear the text apart
 */
export function redact(text: string, secrets: readonly (string | undefined)[] = []): string {
    let clean = text;
    for (const secret of secrets) if (secret && secret.length >= 4) clean = clean.replaceAll(secret, hidden);
    for (const [pattern, replacement] of patterns) clean = clean.replace(pattern, replacement);
    return clean;
}
