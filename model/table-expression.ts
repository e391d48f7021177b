import type { ValueFault } from "./option-values.ts";
import { lex, SqlSyntaxError, type Token } from "./table-lexer.ts";

/**
 * Why a text cannot stand as an expression in CREATE TABLE; undefined when it can. It may not end the column that it
 * belongs to, so that no text changes the meaning of what follows: brackets are closed, and outside of brackets there
 * is no comma, no semicolon, no comment and no COMMENT. Whether it means anything is for Flink to say.
 */
export function expressionFault(text: string): ValueFault | undefined {
    const fix = "write one expression of Flink SQL";
    let tokens: Token[];
    try {
        tokens = lex(text);
    } catch (error) {
        if (!(error instanceof SqlSyntaxError)) throw error;
        return { reason: `is no expression: ${error.message}`, fix };
    }
    if (tokens.length === 0) return { reason: "is empty", fix };
    const open: string[] = [];
    for (const [index, token] of tokens.entries()) {
        const mark = token.kind === "mark" ? token.value : "";
        const next = tokens[index + 1];
        const touches = next?.kind === "mark" && next.start === token.end;
        if (mark === ";") return { reason: "holds a semicolon", fix };
        if (mark === '"') return { reason: "holds a double quote, which Flink SQL does not know", fix };
        if (
            (mark === "-" && touches && next.value === "-") ||
            (mark === "/" && touches && next.value === "*")
        ) {
            return { reason: "holds a comment", fix: "say it in the comment of the column" };
        }
        if (closing[mark]) open.push(closing[mark]);
        if (Object.values(closing).includes(mark) && open.pop() !== mark) {
            return { reason: `closes a bracket that is not open (${mark})`, fix };
        }
        if (open.length === 0 && mark === ",") return { reason: "holds a comma outside of brackets", fix };
        if (open.length === 0 && token.kind === "word" && token.value.toUpperCase() === "COMMENT") {
            return { reason: "holds COMMENT", fix: "set the comment of the column" };
        }
    }
    return open.length > 0 ? { reason: `does not close a bracket (${open.at(-1)})`, fix } : undefined;
}

/** True when both texts are the same but for blanks, letter case of keywords, and backticks of names. */
export function sameExpression(one: string, other: string): boolean {
    return sameTokens(lex(one), lex(other));
}

/**
 * True when the text that a server prints is the declared one. Flink 1.20.3 prints an expression from its tree: names
 * get backticks, brackets come and go with the precedence of operators, so brackets say nothing here, and a text beyond
 * ASCII gets `_UTF16` in front.
 */
export function isPrintedAs(declared: string, printed: string): boolean {
    return sameTokens(lex(declared).filter(saysSomething), lex(printed).filter(saysSomething));
}

const closing: Record<string, string> = { "(": ")", "[": "]" };

function saysSomething(token: Token, index: number, tokens: Token[]): boolean {
    if (token.kind === "mark") return token.value !== "(" && token.value !== ")";
    return !(token.kind === "word" && token.value === "_UTF16" && tokens[index + 1]?.kind === "text");
}

function sameTokens(one: Token[], other: Token[]): boolean {
    return one.length === other.length && one.every((token, index) => sameToken(token, other[index]!));
}

/** A bare name and the same in backticks are one; a word in other letters may be a keyword, but never a column. */
function sameToken(one: Token, other: Token): boolean {
    if ((one.kind === "text") !== (other.kind === "text")) return false;
    if (one.value === other.value) return true;
    return (
        one.kind === "word" && other.kind === "word" && one.value.toUpperCase() === other.value.toUpperCase()
    );
}
