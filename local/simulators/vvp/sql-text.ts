export { type StatementKind, splitStatements, statementKind as kindOf } from "../../../model/sql-script.ts";

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
