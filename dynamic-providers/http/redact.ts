const hidden = "***";

/** Shapes that are secret wherever they stand, also when the value itself was never told to us. */
const patterns: [RegExp, string][] = [
    // "The bearer token is unknown" is a sentence, and holds none.
    [/(\bBearer\s+)(?!(?:tokens?|authentication)(?:\s|$))[A-Za-z0-9._~+/=-]+/gi, `$1${hidden}`],
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
    const forms = secrets.flatMap((secret) => (secret && secret.length >= 4 ? formsOf(secret) : []));
    // The longest first: one secret may be a part of another.
    for (const form of forms.sort((a, b) => b.length - a.length)) clean = clean.replaceAll(form, hidden);
    for (const [pattern, replacement] of patterns) clean = clean.replace(pattern, replacement);
    return clean;
}

/** A secret as a server may show it: as it is, inside of JSON, inside of JSON as text, inside of a form; a key of many lines also by its lines. */
function formsOf(secret: string): string[] {
    const lines = secret.includes("\n") ? secret.split(/\r?\n/).filter((line) => line.length >= 16) : [];
    const inJson = JSON.stringify(secret).slice(1, -1);
    const inForm = new URLSearchParams({ v: secret }).toString().slice(2);
    return [
        secret,
        inJson,
        JSON.stringify(inJson).slice(1, -1),
        inForm,
        inForm.replaceAll("+", "%20"),
        ...lines,
    ];
}
