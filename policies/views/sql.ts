import { parseShowCreateTable } from "../../model/show-create.ts";
import type { TableSpec } from "../../model/table.ts";

/** A catalog that a script makes. */
export interface SqlCatalog {
    name: string;
    options: [key: string, value: string][];
}

/** The script without comments; hints stay. */
export function withoutComments(sql: string): string {
    return sql.replaceAll(
        /('(?:[^']|'')*')|--[^\n]*|\/\*(?!\+)[\s\S]*?\*\//g,
        (_, literal) => literal ?? " ",
    );
}

/** The script without comments and with nothing between quotes, to look for words in it. */
export function skeleton(sql: string): string {
    return withoutComments(sql).replaceAll(/'(?:[^']|'')*'/g, "''");
}

/** `'key' = 'value'` pairs of a script, hints included. */
export function sqlPairs(sql: string): [key: string, value: string][] {
    const pattern = /'([\w.{}$-]+)'\s*=\s*'((?:[^']|'')*)'/g;
    return [...withoutComments(sql).matchAll(pattern)].map(([, key = "", value = ""]) => [
        key,
        value.replaceAll("''", "'"),
    ]);
}

/** The Fluss catalogs that a script makes. */
export function sqlCatalogs(sql: string): SqlCatalog[] {
    return statements(sql).flatMap((statement) => {
        const [, name] =
            /^\s*CREATE\s+CATALOG\s+(?:IF\s+NOT\s+EXISTS\s+)?`?([\w-]+)`?/i.exec(statement) ?? [];
        const options = sqlPairs(statement);
        const fluss = options.some(([key, value]) => key === "type" && value === "fluss");
        return name !== undefined && fluss ? [{ name, options }] : [];
    });
}

/** The tables without `connector` that a script makes, so those of a catalog, as specs. What cannot be read is left out. */
export function sqlTables(sql: string): TableSpec[] {
    return statements(sql).flatMap((statement) => {
        const create = /^\s*CREATE\s+TABLE\s+(IF\s+NOT\s+EXISTS\s+)?/i.exec(statement);
        if (!create || sqlPairs(statement).some(([key]) => key === "connector")) return [];
        try {
            const { spec } = parseShowCreateTable(`CREATE TABLE ${statement.slice(create[0].length)}`);
            // A name alone is one of the catalog's default database.
            return [spec.name === undefined ? { ...spec, database: "fluss", name: spec.database } : spec];
        } catch {
            return [];
        }
    });
}

/** The statements of a script, without comments. */
export function statements(sql: string): string[] {
    const parts = withoutComments(sql).match(/(?:'(?:[^']|'')*'|`[^`]*`|[^;'`])+/g) ?? [];
    return parts.map((part) => part.trim()).filter((part) => part !== "");
}
