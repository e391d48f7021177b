import fc from "fast-check";
import { Marked, type Token } from "marked";
import { describe, expect, test } from "vitest";
import { renderComment } from "../../../cli/preview/comment.ts";
import { block, code, htmlCode } from "../../../cli/preview/markdown.ts";
import type { Summary } from "../../../cli/preview/summary.ts";

/** Texts that would do something if they were read as Markdown, HTML or a command. */
const hostile = [
    "a`b",
    "```\n/close\n```",
    "``` ````\n/merge",
    "</summary></details><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "--> <!-- pulumi-fluss preview other -->",
    "[click](https://evil.example)",
    "https://evil.example www.evil.example",
    "@everyone #1 org/repo#2",
    "a | b | c\n| --- |",
    "# heading\n\n- [ ] task",
    "\u202Egnp.exe",
    "\u001b[31mred\u001b[0m\u0000",
    "x\r\n\r\n/approve",
    "\\`",
    "`",
    "   ",
    "&lt;b&gt;",
];

/** A comment in which every text of the stack is this one. */
function commentWith(given: string): string {
    // Without a name a resource is told in another form.
    const text = given || "word";
    const named = { name: text, type: text };
    const said = [{ ...named, text }];
    const summary: Summary = {
        project: text,
        stack: text,
        complete: false,
        untold: 0,
        counts: { update: 1 },
        components: [{ ...named, type: text, counts: { update: 1 } }],
        refused: said,
        removed: [{ ...named, op: "replace", because: [text], kept: false }],
        tables: [
            { ...named, op: "create", statements: text, diff: "", losesRows: false },
            { ...named, op: "update", statements: text, diff: `- ${text}`, losesRows: false },
        ],
        restarts: [{ ...named, text: "it restarts" }],
        secrets: [{ ...named, properties: [text], certain: true }],
        policies: [{ ...named, policy: text, level: text, text }],
        warnings: said,
        changes: [
            {
                ...named,
                op: "update",
                component: { ...named, type: text },
                properties: [
                    { path: text, before: text, after: `${text}.` },
                    { path: "p", before: `${text}\n`, after: text },
                ],
            },
            { ...named, op: "create", component: named, properties: [] },
        ],
    };
    return renderComment(summary, { kind: "preview", limit: 1_000_000 });
}

/** Kinds of Markdown and HTML that a renderer sees, in their order. */
function structure(markdown: string): string[] {
    const seen: string[] = [];
    const walk = (tokens: Token[]) => {
        for (const token of tokens) {
            const kind = token.type === "html" ? `html ${tagsOf(token.raw)}` : token.type;
            if (!["text", "space"].includes(kind)) seen.push(kind);
            if (token.type === "table")
                for (const cell of [...token.header, ...token.rows.flat()]) walk(cell.tokens);
            if (token.type === "list") for (const item of token.items) walk(item.tokens);
            else if ("tokens" in token && token.tokens) walk(token.tokens);
        }
    };
    walk(new Marked({ gfm: true }).lexer(markdown));
    return seen;
}

const tagsOf = (html: string) => (html.match(/<!--|<\/?[a-z][^>]*>/gi) ?? []).join("");

const harmless = structure(commentWith("word"));

describe("whatever a stack names or holds", () => {
    test("the harmless comment has the parts it should", () => {
        expect(harmless).toContain("table");
        expect(harmless).not.toContain("link");
        expect(harmless.filter((kind) => kind === "code").length).toBeGreaterThan(6);
    });

    test.each(hostile.map((text) => [JSON.stringify(text), text]))(
        "%s changes nothing of the comment's parts",
        (_, text) => {
            expect(structure(commentWith(text))).toEqual(harmless);
        },
    );

    test("no text does, and no line is a command", () => {
        const letters = fc.constantFrom(
            ..."`~*_[]()<>!#|\\/@&:-+=.\n\r\t ab1".split(""),
            "```",
            "<!--",
            "-->",
            "</details>",
            "/close",
        );
        const texts = fc.array(letters, { maxLength: 24 }).map((parts) => parts.join(""));
        fc.assert(
            fc.property(texts, (text) => {
                const comment = commentWith(text);
                expect(structure(comment)).toEqual(harmless);
                expect(comment.split("\n").filter((line) => line.startsWith("/"))).toEqual([]);
                expect(comment.match(/^<!-- pulumi-fluss/gm)).toHaveLength(1);
            }),
            { numRuns: 300 },
        );
    });

    test("and what is shown is the text itself", () => {
        const shown = (markdown: string) => {
            const [token] = new Marked({ gfm: true }).lexer(markdown);
            return token?.type === "code"
                ? token.text
                : (token as { tokens: Token[] }).tokens.map((one) => [
                      one.type,
                      (one as { text: string }).text,
                  ]);
        };
        for (const text of ["a`b", "`", "``x", "a|b", "\\`", "<b>", "it's"]) {
            expect(shown(code(text))).toEqual([["codespan", text]]);
            expect(shown(block("sql", text))).toBe(text);
        }
        expect(htmlCode("<b>&`")).toBe("<code>&#60;b&#62;&#38;&#96;</code>");
        expect(code("\u202Egnp")).toBe("`\\u202egnp`");
    });
});
