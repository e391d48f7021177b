import { pathSegment } from "./path-segment.ts";

const hidden = "***";

/** The end of a name that tells of a secret. Bounded: a text without blanks would take a time that grows with its square. */
const secretName = String.raw`(?:password|secret|token|access[-_.]?key(?:[-_.]?id)?|credential)[\w.-]{0,100}`;

/** Shapes that are secret wherever they stand, also when the value itself was never told to us. */
const patterns: [RegExp, string][] = [
    // "The bearer token is unknown" is a sentence, and holds none.
    [/(\bBearer\s+)(?!(?:tokens?|authentication)(?:\s|$))[A-Za-z0-9._~+/=-]+/gi, `$1${hidden}`],
    [/(\bAuthorization["']?\s*[=:]\s*["']?Basic\s+)[A-Za-z0-9+/=_-]+/gi, `$1${hidden}`],
    // A quote in the value is doubled in SQL, and has a backslash in JSON.
    [new RegExp(String.raw`(${secretName}["']?\s*[=:]\s*")(?:[^"\\]|\\[\s\S]|"")*`, "gi"), `$1${hidden}`],
    [new RegExp(String.raw`(${secretName}["']?\s*[=:]\s*')(?:[^'\\]|\\[\s\S]|'')*`, "gi"), `$1${hidden}`],
    // JSON as text inside of JSON: the same number of backslashes ends the value.
    [new RegExp(String.raw`(${secretName}(\\{1,8}")\s*:\s*\2)(?:(?!(?<!\\)\2)[\s\S])*`, "gi"), `$1${hidden}`],
    [/(\buser_[\w.-]{1,200}=")[^"]*/g, `$1${hidden}`],
    [/([?&](?:X-Amz-Signature|X-Amz-Credential|X-Amz-Security-Token|sig)=)[^&\s"]*/gi, `$1${hidden}`],
    // A token of OpenID Connect tells by its beginning what it is: `{"`.
    [/\beyJ[\w-]{8,400}\.[\w-]{8,}(?:\.[\w-]*)*/g, hidden],
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

/** A secret as a server may show it: as it is, as each writer of a text escapes it, and in base64; a key of many lines also by its lines. */
function formsOf(secret: string): string[] {
    const lines = secret.includes("\n") ? secret.split(/\r?\n/).filter((line) => line.length >= 16) : [];
    const inForm = new URLSearchParams({ v: secret }).toString().slice(2);
    const inUrl = [inForm, inForm.replaceAll("+", "%20"), pathSegment(secret)];
    const lowerCase = inUrl.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
    const inSql = secret.replaceAll("'", "''");
    return [
        secret,
        ...jsonOf(secret),
        ...jsonOf(inSql),
        ...jsonOf(secret).flatMap(jsonOf),
        inSql,
        ...inHtml(secret),
        ...inUrl,
        ...lowerCase,
        ...inBase64(secret),
        ...lines,
    ];
}

/** As JavaScript writes it, as Go does (which hides `<`, `>` and `&`), as Python does (ASCII alone), and as Java may (`\/`). */
function jsonOf(text: string): string[] {
    const plain = JSON.stringify(text).slice(1, -1);
    const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return [
        plain,
        plain.replaceAll(/[<>&\u2028\u2029]/g, escaped),
        plain.replaceAll(/[\u007f-\uffff]/g, escaped),
        plain.replaceAll("/", "\\/"),
    ];
}

function inHtml(text: string): string[] {
    const written = (quote: string, apostrophe: string) =>
        text
            .replaceAll("&", "&amp;")
            .replaceAll("<", "&lt;")
            .replaceAll(">", "&gt;")
            .replaceAll('"', quote)
            .replaceAll("'", apostrophe);
    return [
        written('"', "'"),
        written("&quot;", "'"),
        written("&quot;", "&#39;"),
        written("&quot;", "&#x27;"),
        written("&#34;", "&#39;"),
    ];
}

/**
 * In base64 of any text that holds it, such as `user:password`: what stays the same, whatever stands around it. Of a short
 * one too little does, and it would be met by chance.
 */
function inBase64(secret: string): string[] {
    const bytes = Buffer.from(secret);
    if (bytes.length < 8) return [];
    return [0, 1, 2].flatMap((before) => {
        const all = Buffer.concat([Buffer.alloc(before), bytes]);
        const inside = all.toString("base64").slice([0, 2, 3][before], Math.floor((all.length * 8) / 6));
        return [inside, inside.replaceAll("+", "-").replaceAll("/", "_")];
    });
}
