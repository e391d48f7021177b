import { describe, expect, test } from "vitest";
import { redact } from "../../../dynamic-providers/http/redact.ts";
import { formsOf } from "../../secrets/scan.ts";

const secrets: Record<string, string> = {
    "with quotes": `it's "very" hidden`,
    "with a backslash": "C:\\hidden\\very",
    "with signs of HTML": "<hidden>&amp;'very'",
    "with signs of a URL": "hid/den+very=&?#%2f~(x)",
    "with signs of a shell": "$HID{den}`very`;!",
    "of other letters": "verborgén-скрыто-隠し-🔑",
    "that looks like base64": "aGlkZGVu+/Z2VyeQ==",
    "of two lines": "first line of the hidden one\nsecond line of the hidden one",
};

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const codes = (text: string, which: RegExp) =>
    text.replace(which, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** How servers of other languages write a text into an answer. */
const writers: Record<string, (text: string) => string> = {
    "JSON of Go": (text) => codes(json(text), /[<>&]/g),
    "JSON of Python": (text) => codes(json(text), /[^\0-\x7e]/g),
    "JSON with \\/": (text) => json(text).replaceAll("/", "\\/"),
    "JSON of Go inside of JSON": (text) => json(codes(json(text), /[<>&]/g)),
    "SQL inside of JSON": (text) => json(text.replaceAll("'", "''")),
    "a URL in small letters": (text) =>
        encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    HTML: (text) =>
        text
            .replaceAll("&", "&amp;")
            .replaceAll("<", "&lt;")
            .replaceAll(">", "&gt;")
            .replaceAll('"', "&quot;")
            .replaceAll("'", "&#39;"),
};

describe("a secret that is known", () => {
    test.each(Object.entries(secrets))("%s is taken out, however a server writes it", (_, secret) => {
        const shapes = [
            ...formsOf(secret).filter(({ form }) => form !== "as hexadecimal digits"),
            ...Object.entries(writers).map(([form, write]) => ({ form, shape: write(secret) })),
        ];
        const left = shapes.filter(({ shape }) => redact(`refused: ${shape}.`, [secret]).includes(shape));
        expect(left.map(({ form }) => form)).toEqual([]);
    });

    test("is not looked for when it has fewer than four characters", () => {
        expect(redact("an abc and an abcd", ["abc"])).toBe("an abc and an abcd");
        expect(redact("an abc and an abcd", ["abcd"])).toBe("an abc and an ***");
    });

    test("is taken out of the login of a user", () => {
        const sent = Buffer.from("somebody:hidden-password").toString("base64url");
        const shown = redact(`got ${sent}`, ["hidden-password"]);
        expect(Buffer.from(shown.slice(4), "base64url").toString()).not.toContain("hidden");
    });
});

describe("a secret that nobody told", () => {
    test.each([
        [
            `WITH ('client.security.sasl.password' = 'it''s-hidden', 'a' = 'b')`,
            `WITH ('client.security.sasl.password' = '***', 'a' = 'b')`,
        ],
        [`'password' = '', 'a' = 'b'`, `'password' = '***', 'a' = 'b'`],
        [`{"password":"very\\"hidden","a":"b"}`, `{"password":"***","a":"b"}`],
        [
            JSON.stringify({ m: JSON.stringify({ clientSecret: 'very"hidden', a: "b" }) }),
            JSON.stringify({ m: JSON.stringify({ clientSecret: "***", a: "b" }) }),
        ],
        ["authorization: Basic dXNlcjpoaWRkZW4=", "authorization: Basic ***"],
        ["Basic authentication is wanted", "Basic authentication is wanted"],
        ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJoaWRkZW4ifQ.c2lnbmVk has ended", "*** has ended"],
        [
            'jaas required user_admin="hidden" user_b="hidden";',
            'jaas required user_admin="***" user_b="***";',
        ],
    ])("%s", (text, expected) => {
        expect(redact(text)).toBe(expected);
    });
});

// What a server sends may be long, and a provider that thinks for a minute answers nobody.
test.each([
    "a.",
    "a-",
    "secret.",
    "token-",
    "user_a.",
    'token="',
    "Bearer ",
    "eyJ-",
    '\\"',
    'token\\":\\"\\',
])("a long text of %s takes a time that grows with its length alone", (part) => {
    const text = part.repeat(500_000 / part.length);
    const start = performance.now();
    redact(text, ["a-secret-that-is-not-there"]);
    expect(performance.now() - start).toBeLessThan(2000);
});
