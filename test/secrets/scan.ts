/** Finds secrets in whatever a run leaves behind, in each form in which a text may stand there. */

/** A text and where it was found: `state`, `event log`, … */
export interface Place {
    kind: string;
    name: string;
    text: string;
}

/** A secret that stands somewhere in clear. The secret itself is not in it: this is printed. */
export interface Finding {
    kind: string;
    name: string;
    /** Name of the secret. */
    secret: string;
    /** How it stands there: `as it is`, `in JSON`, … */
    form: string;
}

/**
 * Looks for every secret in every place.
 * @param secrets values by name; a value must be long enough not to be met by chance
 */
export function findSecrets(places: readonly Place[], secrets: Readonly<Record<string, string>>): Finding[] {
    const searched = Object.entries(secrets).flatMap(([secret, value]) =>
        formsOf(value).map((form) => ({ secret, ...form })),
    );
    return places.flatMap(({ kind, name, text }) =>
        searched
            .filter(({ shape }) => text.includes(shape))
            .map(({ secret, form }) => ({ kind, name, secret, form })),
    );
}

/** Shorter than this, a text would be met by chance. */
const shortest = 8;

/** A secret as it may stand in a text. */
export function formsOf(secret: string): { form: string; shape: string }[] {
    if (secret.length < shortest) throw new Error(`a secret of ${secret.length} characters is too short`);
    const inJson = JSON.stringify(secret).slice(1, -1);
    const all = [
        { form: "as it is", shape: secret },
        { form: "in JSON", shape: inJson },
        { form: "in JSON inside of JSON", shape: JSON.stringify(inJson).slice(1, -1) },
        { form: "in a URL", shape: encodeURIComponent(secret) },
        { form: "in a form", shape: new URLSearchParams({ v: secret }).toString().slice(2) },
        { form: "in SQL", shape: secret.replaceAll("'", "''") },
        { form: "as hexadecimal digits", shape: Buffer.from(secret).toString("hex") },
        ...[0, 1, 2].map((before) => ({ form: "in base64", shape: base64Inside(secret, before) })),
    ];
    const seen = new Set<string>();
    return all.filter(({ shape }) => shape.length >= shortest && !seen.has(shape) && seen.add(shape));
}

/** What stays the same in the base64 of any text that holds the secret after `before` bytes (modulo 3). */
function base64Inside(secret: string, before: number): string {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    // Characters that hold bits of what comes before or after differ.
    const first = [0, 2, 3][before]!;
    const last = Math.floor((bytes.length * 8) / 6);
    return bytes.toString("base64").slice(first, last);
}
