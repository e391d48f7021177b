import { parseColumnType, printColumnType } from "./column-types.ts";
import { type ColumnSpec, normalTable, type TableSpec, type WatermarkSpec } from "./table.ts";
import { allOptions } from "./table-options.ts";
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
    return `CREATE CATALOG ${identifier(catalog.name)} WITH ${optionList(Object.entries(catalog.options))}`;
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
    const lines = [
        ...unaligned(columnPairs(spec.columns)),
        ...computedLines(spec),
        ...(spec.watermark ? [watermarkLine(spec.watermark)] : []),
        ...(key ? [key] : []),
    ];
    const options: [string, string][] = [
        ...(spec.bucketCount === undefined
            ? []
            : ([["bucket.num", String(spec.bucketCount)]] as [string, string][])),
        ...(spec.bucketKey ? ([["bucket.key", spec.bucketKey.join(",")]] as [string, string][]) : []),
        ...Object.entries(allOptions(spec)),
    ];
    const clauses = [
        ...(spec.comment ? [`COMMENT ${literal(spec.comment)}`] : []),
        ...(spec.partitionKeys ? [`PARTITIONED BY (${names(spec.partitionKeys)})`] : []),
    ];
    const head = `CREATE TABLE ${tablePath(catalog, spec)} (\n${lines.map((line) => `    ${line}`).join(",\n")}\n)`;
    const withClause =
        options.length > 0 ? `${clauses.length > 0 ? "\n" : " "}WITH ${optionList(options)}` : "";
    return `${[head, ...clauses].join("\n")}${withClause}`;
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
    const lines = unaligned(columnPairs(columns)).map((line) => `    ${line}`);
    return `ALTER TABLE ${tablePath(catalog, table)} ADD (\n${lines.join(",\n")}\n)`;
}

/**
 * ALTER TABLE … ADD PARTITION. With IF NOT EXISTS, since a writer may have made the partition meanwhile, and every
 * partition of these values is the same.
 */
export function addPartitions(
    catalog: string,
    table: Pick<TableSpec, "database" | "name">,
    partitions: Record<string, string>[],
): string {
    const lines = partitions.map((partition) => `    ${partitionLine(partition)}`);
    return `ALTER TABLE ${tablePath(catalog, table)} ADD IF NOT EXISTS\n${lines.join("\n")}`;
}

/** ALTER TABLE … DROP PARTITION, its rows with it. With IF EXISTS: what is gone already is as wanted. */
export function dropPartitions(
    catalog: string,
    table: Pick<TableSpec, "database" | "name">,
    partitions: Record<string, string>[],
): string {
    const lines = partitions.map((partition) => `    ${partitionLine(partition)}`);
    return `ALTER TABLE ${tablePath(catalog, table)} DROP IF EXISTS\n${lines.join(",\n")}`;
}

/** ALTER TABLE … ADD, MODIFY or DROP WATERMARK; undefined for none. Fluss 1.0 takes it, 0.9 does not. */
export function changeWatermark(
    catalog: string,
    table: Pick<TableSpec, "database" | "name">,
    from: WatermarkSpec | undefined,
    to: WatermarkSpec | undefined,
): string {
    const start = `ALTER TABLE ${tablePath(catalog, table)}`;
    if (!to) return `${start} DROP WATERMARK`;
    return `${start} ${from ? "MODIFY" : "ADD"} ${watermarkLine(to)}`;
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

/** `WITH (…)`, one option a line, the values in one column: for texts that people read and nobody compares. */
export function withOptions(options: [string, string][]): string {
    return `WITH ${bracketed(aligned(optionPairs(options)))}`;
}

/** Column definitions, the types in one column: for texts that people read and nobody compares. */
export function columnLines(columns: ColumnSpec[]): string[] {
    return aligned(columnPairs(columns));
}

/** Statements as one text, for people: each with a semicolon, an empty line between them. */
export function script(statements: readonly string[]): string {
    return `${statements.join(";\n\n")};`;
}

function computedLines({ computedColumns = [] }: TableSpec): string[] {
    return computedColumns.map(({ name, expression, comment }) => {
        return `${identifier(name)} AS ${expression}${comment ? ` COMMENT ${literal(comment)}` : ""}`;
    });
}

function watermarkLine({ column, expression }: WatermarkSpec): string {
    return `WATERMARK FOR ${identifier(column)} AS ${expression}`;
}

function partitionLine(partition: Record<string, string>): string {
    const values = Object.entries(partition).map(([key, value]) => `${identifier(key)} = ${literal(value)}`);
    return `PARTITION (${values.join(", ")})`;
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
    return bracketed(unaligned(optionPairs(options)));
}

function optionPairs(options: [string, string][]): [string, string][] {
    return options.map(([key, value]) => [literal(key), `= ${literal(value)}`]);
}

function columnPairs(columns: ColumnSpec[]): [string, string][] {
    return columns.map((column) => [identifier(column.name), columnType(column)]);
}

function bracketed(lines: string[]): string {
    return `(\n${lines.map((line) => `    ${line}`).join(",\n")}\n)`;
}

/** In a statement that is compared with an earlier one, a longer name must not change every line. */
function unaligned(pairs: [string, string][]): string[] {
    return pairs.map((pair) => pair.join(" "));
}

function aligned(pairs: [string, string][]): string[] {
    const width = Math.max(...pairs.map(([left]) => left.length));
    return pairs.map(([left, right]) => `${left.padEnd(width)} ${right}`);
}
