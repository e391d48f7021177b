/**
 * A piece of Flink SQL. `name` is a backticked identifier and `text` a quoted literal, both already unescaped;
 * `word` is a keyword, a bare identifier or a number; `mark` is any other single character.
 */
export interface Token {
    kind: "name" | "text" | "word" | "mark";
    value: string;
    /** Where it stands in the text, quotes included: from `start` up to `end`. */
    start: number;
    end: number;
}

/** Thrown for text that is not the SQL that was expected. The message says what was found, and where. */
export class SqlSyntaxError extends Error {}

/**
 * Splits Flink SQL into tokens. Comments are not part of what Flink prints for a table, so they are not read.
 * @throws SqlSyntaxError for a quote that is never closed; one of a name must be closed on its line, as in Flink 1.20.3.
 */
export function lex(sql: string): Token[] {
    const tokens: Token[] = [];
    let at = 0;
    const push = (kind: Token["kind"], value: string, end: number) => {
        tokens.push({ kind, value, start: at, end });
        at = end;
    };
    while (at < sql.length) {
        const char = sql.charAt(at);
        if (/\s/.test(char)) {
            at += 1;
        } else if (char === "`" || char === "'") {
            const quoted = readQuoted(sql, at, char);
            push(char === "`" ? "name" : "text", quoted.value, quoted.end);
        } else if (wordStart.test(char)) {
            word.lastIndex = at;
            const found = word.exec(sql)![0];
            push("word", found, at + found.length);
        } else {
            push("mark", char, at + 1);
        }
    }
    return tokens;
}

/** Reads tokens one after the other. */
export class TokenReader {
    readonly #tokens: Token[];
    #at = 0;

    constructor(tokens: Token[]) {
        this.#tokens = tokens;
    }

    /** True when every token has been read. */
    get done(): boolean {
        return this.#at >= this.#tokens.length;
    }

    /** The token that comes next, left where it is. */
    peek(): Token | undefined {
        return this.#tokens[this.#at];
    }

    /** Takes the next token. */
    next(expected: string): Token {
        const token = this.#tokens[this.#at];
        if (!token) throw new SqlSyntaxError(`the text ends where ${expected} should follow`);
        this.#at += 1;
        return token;
    }

    /** Takes the words or marks when all of them come next, in any letter case; else takes nothing. */
    accept(...values: string[]): boolean {
        const match = values.every((value, index) => {
            const token = this.#tokens[this.#at + index];
            return isBare(token) && token.value.toUpperCase() === value;
        });
        if (match) this.#at += values.length;
        return match;
    }

    /** Takes the words or marks, which must come next. */
    expect(...values: string[]): void {
        if (this.accept(...values)) return;
        const found = this.peek();
        throw new SqlSyntaxError(
            `expected ${values.join(" ")} but found ${found ? JSON.stringify(found.value) : "the end of the text"}`,
        );
    }

    /** Takes an identifier, backticked or bare. */
    identifier(expected: string): string {
        const token = this.next(expected);
        if (token.kind === "name" || token.kind === "word") return token.value;
        throw new SqlSyntaxError(`expected ${expected} but found ${JSON.stringify(token.value)}`);
    }

    /** Takes a quoted literal. */
    literal(expected: string): string {
        const token = this.next(expected);
        if (token.kind === "text") return token.value;
        throw new SqlSyntaxError(`expected ${expected} in quotes but found ${JSON.stringify(token.value)}`);
    }

    /** Takes a whole number. */
    integer(expected: string): number {
        const token = this.next(expected);
        if (token.kind === "word" && /^\d+$/.test(token.value)) return Number(token.value);
        throw new SqlSyntaxError(`expected ${expected} but found ${JSON.stringify(token.value)}`);
    }

    /** Takes `( item, item, … )`. */
    list<T>(item: () => T): T[] {
        this.expect("(");
        const items = [item()];
        while (this.accept(",")) items.push(item());
        this.expect(")");
        return items;
    }

    /**
     * Skips an expression, and returns its text: it ends at the comma or the closing bracket that ends the present item
     * of a list, or at a COMMENT.
     * @param sql the text that was split into the tokens
     */
    expression(sql: string): string {
        const start = this.peek()?.start ?? sql.length;
        let end = start;
        for (let depth = 0; ; this.#at += 1) {
            const token = this.peek();
            const bare = isBare(token) ? token.value.toUpperCase() : "";
            if (!token || (depth === 0 && [")", "]", ",", "COMMENT"].includes(bare)))
                return sql.slice(start, end);
            if (bare === "(" || bare === "[") depth += 1;
            if (bare === ")" || bare === "]") depth -= 1;
            end = token.end;
        }
    }
}

const wordStart = /[A-Za-z0-9_$]/;
const word = /[A-Za-z0-9_$]+/y;

function isBare(token: Token | undefined): token is Token {
    return token?.kind === "word" || token?.kind === "mark";
}

function readQuoted(sql: string, start: number, quote: string): { value: string; end: number } {
    let value = "";
    for (let at = start + 1; at < sql.length; at += 1) {
        if (quote === "`" && /[\r\n]/.test(sql.charAt(at))) break;
        if (sql[at] !== quote) {
            value += sql[at];
        } else if (sql[at + 1] === quote) {
            value += quote;
            at += 1;
        } else {
            return { value, end: at + 1 };
        }
    }
    throw new SqlSyntaxError(`the ${quote} at position ${start + 1} is never closed`);
}
