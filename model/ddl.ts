import { parseColumnType, printColumnType } from "./column-types.ts";
import { type ColumnSpec, normalTable, type TableSpec } from "./table.ts";
import { identifier, literal, qualified } from "./table-quoting.ts";

export { identifier, literal, qualified } from "./table-quoting.ts";

/** A Flink catalog: its options go into WITH under their real names, `type` and secrets included. */
export interface CatalogSpec {
    name: string;
    options: Record<string, string>;
}

/** A Fluss database. */
export interface DatabaseSpec {
    name: string;
    comment?: string;
}

/** CREATE CATALOG. Fails on the server when the catalog exists. No statement here ends with a semicolon. */
export function createCatalog(catalog: CatalogSpec): string {
    return `CREATE CATALOG ${identifier(catalog.name)} ${withOptions(Object.entries(catalog.options))}`;
}

/** DROP CATALOG. Only forgets the connection: databases, tables and data stay. */
export function dropCatalog(name: string): string {
    return `DROP CATALOG ${identifier(name)}`;
}

/** CREATE DATABASE. Fails on the server when the database exists. */
export function createDatabase(catalog: string, database: DatabaseSpec): string {
    const comment = database.comment ? `\nCOMMENT ${literal(database.comment)}` : "";
    return `CREATE DATABASE ${qualified(catalog, database.name)}${comment}`;
}

/** DROP DATABASE … RESTRICT: the server refuses to drop a database that holds tables. */
export function dropDatabase(catalog: string, name: string): string {
    return `DROP DATABASE ${qualified(catalog, name)} RESTRICT`;
}

/**
 * CREATE TABLE, with every type in its one spelling and default precisions written out. There is no IF NOT EXISTS on
 * purpose: it would silently accept a table with another definition.
 * @throws ColumnTypeError for a type that Fluss does not take; run `validateTable` first.
 */
export function createTable(catalog: string, table: TableSpec): string {
    const spec = normalTable(table);
    const key = spec.primaryKey && `PRIMARY KEY (${names(spec.primaryKey)}) NOT ENFORCED`;
    const lines = [...columnLines(spec.columns), ...(key ? [key] : [])];
    const options: [string, string][] = [
        ...(spec.bucketCount === undefined
            ? []
            : ([["bucket.num", String(spec.bucketCount)]] as [string, string][])),
        ...(spec.bucketKey ? ([["bucket.key", spec.bucketKey.join(",")]] as [string, string][]) : []),
        ...Object.entries(spec.options),
    ];
    return [
        `CREATE TABLE ${tablePath(catalog, spec)} (`,
        `${lines.map((line) => `    ${line}`).join(",\n")}`,
        ")",
        ...(spec.comment ? [`COMMENT ${literal(spec.comment)}`] : []),
        ...(spec.partitionKeys ? [`PARTITIONED BY (${names(spec.partitionKeys)})`] : []),
        ...(options.length > 0 ? [withOptions(options)] : []),
    ]
        .join("\n")
        .replace(/^\)\n(?=WITH)/m, ") ");
}

/** DROP TABLE. A table in the lake stays behind: Fluss never drops it. */
export function dropTable(catalog: string, table: Pick<TableSpec, "database" | "name">): string {
    return `DROP TABLE ${tablePath(catalog, table)}`;
}

/** ALTER TABLE … ADD: new columns at the end, which the server wants to be nullable. */
export function addColumns(
    catalog: string,
    table: Pick<TableSpec, "database" | "name">,
    columns: ColumnSpec[],
): string {
    const lines = columnLines(columns).map((line) => `    ${line}`);
    return `ALTER TABLE ${tablePath(catalog, table)} ADD (\n${lines.join(",\n")}\n)`;
}

/** ALTER TABLE … SET. The server takes options and columns in separate statements only. */
export function setOptions(
    catalog: string,
    table: Pick<TableSpec, "database" | "name">,
    options: [string, string][],
): string {
    return `ALTER TABLE ${tablePath(catalog, table)} SET ${optionList(options)}`;
}

/** ALTER TABLE … RESET: the server's defaults hold again. */
export function resetOptions(
    catalog: string,
    table: Pick<TableSpec, "database" | "name">,
    keys: string[],
): string {
    const lines = keys.map((key) => `    ${literal(key)}`);
    return `ALTER TABLE ${tablePath(catalog, table)} RESET (\n${lines.join(",\n")}\n)`;
}

/** `WITH (…)`, one option a line, the values in one column. */
export function withOptions(options: [string, string][]): string {
    return `WITH ${optionList(options)}`;
}

/** Column definitions, the types in one column. */
export function columnLines(columns: ColumnSpec[]): string[] {
    return aligned(columns.map((column) => [identifier(column.name), columnType(column)]));
}

function tablePath(catalog: string, table: Pick<TableSpec, "database" | "name">): string {
    return qualified(catalog, table.database, table.name);
}

function names(columns: string[]): string {
    return columns.map(identifier).join(", ");
}

function columnType(column: ColumnSpec): string {
    const type = printColumnType(parseColumnType(column.type));
    const comment = column.comment ? ` COMMENT ${literal(column.comment)}` : "";
    return `${type}${column.nullable === false ? " NOT NULL" : ""}${comment}`;
}

function optionList(options: [string, string][]): string {
    const lines = aligned(options.map(([key, value]) => [literal(key), `= ${literal(value)}`]));
    return `(\n${lines.map((line) => `    ${line}`).join(",\n")}\n)`;
}

function aligned(pairs: [string, string][]): string[] {
    const width = Math.max(...pairs.map(([left]) => left.length));
    return pairs.map(([left, right]) => `${left.padEnd(width)} ${right}`);
}
