/** An identifier in backticks; backticks inside are doubled, so no name can end the quote. */
export function identifier(name: string): string {
    return `\`${name.replaceAll("`", "``")}\``;
}

/** A path of identifiers: catalog, database, table. */
export function qualified(...names: string[]): string {
    return names.map(identifier).join(".");
}

/** A string literal; quotes inside are doubled. Flink SQL knows no other escape: a backslash is a backslash. */
export function literal(text: string): string {
    return `'${text.replaceAll("'", "''")}'`;
}
