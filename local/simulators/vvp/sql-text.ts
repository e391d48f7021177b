/**
 * The statements of a script, without comments at their ends and without semicolons. Semicolons in strings, identifiers
 * and comments do not end a statement, nor do those between `STATEMENT SET BEGIN` and `END` of one EXECUTE statement.
 */
export function splitStatements(script: string): string[] {
    const pieces: string[] = [];
    let current = "";
    for (const [token] of script.matchAll(TOKEN)) {
        if (token.startsWith("--") || (token.startsWith("/*") && !token.startsWith("/*+"))) current += " ";
        else if (token === ";") {
            pieces.push(current);
            current = "";
        } else current += token;
    }
    pieces.push(current);
    const statements: string[] = [];
    for (const piece of pieces.map((text) => text.trim()).filter((text) => text !== "")) {
        const last = statements.at(-1);
        if (last !== undefined && isOpenSet(last)) statements[statements.length - 1] = `${last}; ${piece}`;
        else statements.push(piece);
    }
    return statements;
}

/** What a statement does, as far as VVP treats it differently. */
export type StatementKind =
    | "session"
    | "temporary"
    | "insert"
    | "set-begin"
    | "set-end"
    | "query"
    | "read"
    | "ddl";

/** The kind of one statement, by its first words. */
export function kindOf(statement: string): StatementKind {
    const words = statement.toUpperCase().replace(/\s+/g, " ");
    if (/^(SET|RESET|USE|LOAD|UNLOAD)\b/.test(words)) return "session";
    if (/^(CREATE|DROP|ALTER) TEMPORARY\b/.test(words)) return "temporary";
    if (/^BEGIN STATEMENT SET\b/.test(words)) return "set-begin";
    if (words === "END") return "set-end";
    if (/^(INSERT|EXECUTE (STATEMENT SET|INSERT)|UPDATE|DELETE|TRUNCATE)\b/.test(words)) return "insert";
    if (/^(SELECT|WITH|VALUES|EXECUTE|\()/.test(words)) return "query";
    if (/^(SHOW|DESCRIBE|DESC|EXPLAIN)\b/.test(words)) return "read";
    return "ddl";
}

/** The catalog that a CREATE CATALOG or DROP CATALOG names; `undefined` for other statements. */
export function catalogOf(statement: string): { action: "create" | "drop"; name: string } | undefined {
    const found = /^(CREATE|DROP)\s+CATALOG\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(`(?:[^`]|``)+`|\w+)/i.exec(
        statement,
    );
    if (!found) return undefined;
    const quoted = found[2]!;
    const name = quoted.startsWith("`") ? quoted.slice(1, -1).replaceAll("``", "`") : quoted;
    return { action: found[1]!.toUpperCase() === "CREATE" ? "create" : "drop", name };
}

/** A value for its place between single quotes. */
export function inQuotes(value: string): string {
    return value.replaceAll("'", "''");
}

/** Strings, identifiers, comments and semicolons as a whole, everything else by the character. */
const TOKEN = /'(?:[^']|'')*'|`(?:[^`]|``)*`|--[^\n]*|\/\*[\s\S]*?\*\/|[\s\S]/g;

function isOpenSet(statement: string): boolean {
    return /^EXECUTE\s+STATEMENT\s+SET\s+(AS\s+)?BEGIN\b/i.test(statement) && !/;\s*END$/i.test(statement);
}
