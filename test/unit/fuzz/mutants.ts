/** Inputs and answers that are almost right: what people mistype and what broken servers send. */
import fc from "fast-check";

/** So many cases of each kind. */
export const cases = 10_000;

/** Texts that mean something to a language on the way: SQL, YAML, JAAS, a shell, a URL, Markdown, XML, JavaScript. */
export const hostileTexts = [
    "'; DROP TABLE `t`; --",
    "`) WITH ('x'='y'",
    '"; admin="x',
    'user_a="b";',
    "a: b\n- c: &x",
    "!!js/function x",
    "{{ .Values.x }}",
    "$(id)",
    "`id`",
    "${HOME}",
    "${env:HOME}",
    "a' 'b",
    "--flag",
    "\\",
    "\\'",
    "../../etc",
    "..%2f..",
    "?a=b#c",
    "a/b",
    "%00",
    "\u0000",
    "\u202Egnp",
    "\u001b[31m",
    "\r\n\r\nx: y",
    "</script><b>",
    "]]>",
    "&amp;",
    "@everyone #1",
    "```\n/close",
    "-->",
    "__proto__",
    "constructor",
    "\ud800",
    "雪🏔",
    " ",
    "",
];

/** A text of any kind, with a preference for what could break out. */
export const hostileText = fc.oneof(
    fc.constantFrom(...hostileTexts),
    fc.string({ maxLength: 16, unit: "binary" }),
    fc.string({
        maxLength: 16,
        unit: fc.constantFrom(..."'`\"\\;-*/)(\n\r\t${}[]<>&%#|=:, ax".split("")),
    }),
    fc.tuple(fc.constantFrom(...hostileTexts), fc.constantFrom(...hostileTexts)).map((both) => both.join("")),
);

/** What Pulumi puts in the place of a value that is not known yet is among them. */
const junk: fc.Arbitrary<unknown> = fc.oneof(
    hostileText,
    fc.constantFrom<unknown>(
        null,
        true,
        false,
        0,
        -1,
        1.5,
        2 ** 53,
        [],
        {},
        [null],
        "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
    ),
    fc.jsonValue({ maxDepth: 2 }),
    fc.integer(),
);

type Path = (string | number)[];

/** The value with one to three places changed: another value, nothing, or something more. */
export function mutantsOf(valid: unknown): fc.Arbitrary<unknown> {
    const paths = pathsOf(valid);
    const change = fc.record({
        path: fc.constantFrom(...paths),
        how: fc.constantFrom("replace", "replace", "delete", "add"),
        key: hostileText,
        value: junk,
    });
    return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) =>
        changes.reduce<unknown>(
            // What is generated is used again: a change of it would show elsewhere.
            (value, one) => changed(value, one.path, { ...one, value: structuredClone(one.value) }),
            structuredClone(valid),
        ),
    );
}

/** Something that was thrown is a clear error: it says what is wrong, and it is no mistake of the code. */
export function unclear(error: unknown): string | undefined {
    if (!(error instanceof Error)) return `no error was thrown, but ${String(error)}`;
    const mistakes = [TypeError, ReferenceError, RangeError, SyntaxError];
    const isMistake = mistakes.some((kind) => error instanceof kind);
    if (isMistake) return `a mistake of the code: ${error.stack}`;
    return error.message.trim().length < 15 ? `says too little: '${error.message}'` : undefined;
}

function pathsOf(value: unknown, path: Path = []): Path[] {
    if (typeof value !== "object" || value === null) return [path];
    return [path, ...Object.entries(value).flatMap(([key, one]) => pathsOf(one, [...path, key]))];
}

interface Change {
    how: string;
    key: string;
    value: unknown;
}

function changed(value: unknown, [key, ...rest]: Path, change: Change): unknown {
    if (key === undefined) {
        // The whole is an object, which the types of the language hold already.
        if (typeof value !== "object" || value === null) return change.value;
        if (Array.isArray(value)) return [...value, change.value];
        // As JSON would have it: a plain assignment of `__proto__` would change no property.
        return Object.defineProperty(value, change.key, { ...writable, value: change.value });
    }
    if (typeof value !== "object" || value === null) return value;
    const holder = value as Record<PropertyKey, unknown>;
    if (rest.length === 0 && change.how === "delete") delete holder[key];
    else if (key in holder) holder[key] = changed(holder[key], rest, change);
    return holder;
}

const writable = { enumerable: true, configurable: true, writable: true };
