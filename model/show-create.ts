import { printColumnType, readColumnType } from "./column-types.ts";
import { isSecretPath } from "./faults.ts";
import {
    type ColumnSpec,
    type ComputedColumnSpec,
    effectiveBucketKey,
    normalTable,
    partitionName,
    type TableSpec,
    type WatermarkSpec,
} from "./table.ts";
import { isPrintedAs } from "./table-expression.ts";
import { lex, SqlSyntaxError, TokenReader } from "./table-lexer.ts";
import { allOptions, effectiveOption, optionField, sameOptionValue } from "./table-options.ts";
import { identifier } from "./table-quoting.ts";

/** What stands in the place of a secret that was taken out. */
export const SCRUBBED = "[secret]";

/** What a server says about a table. */
export interface ObservedTable {
    /**
     * The table with all options that the server prints, except those of the catalog and of the lake's connection.
     * SHOW CREATE TABLE prints no partitions.
     */
    spec: TableSpec;
}

/** One difference between a declared table and the one on the server. */
export interface TableDifference {
    /** What differs: `columns`, `primaryKey`, `options["bucket.num"]`, … */
    path: string;
    declared: string;
    observed: string;
}

/**
 * Reads the text of SHOW CREATE TABLE. The options of the catalog (`bootstrap.servers`, `client.*`: the password in
 * clear among them) and those of the lake's connection (`table.datalake.iceberg.*`: the token among them), which Flink
 * and the server mix in, are left out: no secret gets past this function.
 * @throws SqlSyntaxError for other text.
 */
export function parseShowCreateTable(text: string): ObservedTable {
    const reader = new TokenReader(lex(text));
    reader.expect("CREATE", "TABLE");
    const path = readPath(reader);
    const [database, name] = path.slice(-2);
    const body = readBody(reader, text);
    const comment = reader.accept("COMMENT") ? reader.literal("a comment") : undefined;
    const partitionKeys = reader.accept("PARTITIONED", "BY")
        ? reader.list(() => reader.identifier("a partition key"))
        : undefined;
    const options = withoutConnection(reader.accept("WITH") ? readOptions(reader) : {});
    reader.accept(";");
    if (!reader.done) reader.expect("the end of the statement");
    const { "bucket.num": bucketCount, "bucket.key": bucketKey, ...others } = options;
    const spec: TableSpec = {
        database: database!,
        name: name!,
        columns: body.columns,
        computedColumns: body.computed,
        watermark: body.watermark,
        primaryKey: body.primaryKey,
        partitionKeys,
        bucketKey: bucketKey?.split(","),
        bucketCount: bucketCount === undefined ? undefined : Number(bucketCount),
        options: others,
        comment,
    };
    return { spec: normalTable(spec) };
}

/**
 * The observed table in the terms of the declared one: options that the declaration does not name are the server's own
 * matter (it stamps many), and so are a bucket count and partitions that are not declared. Values that mean the same keep the declared
 * spelling, so a table that nobody touched gives exactly the declaration.
 */
export function asDeclared(declared: TableSpec, observed: TableSpec): TableSpec {
    if (tableDifferences(declared, observed).length === 0) return declared;
    const [ours, theirs] = [allOptions(declared), allOptions(observed)];
    const kept = Object.keys(ours).flatMap((key): [string, string][] => {
        const wanted = ours[key];
        const value = effectiveOption(theirs, key);
        if (value === undefined) return [];
        return [[key, sameOptionValue(key, wanted, value) ? wanted! : value]];
    });
    const { bucketCount, ...rest } = normalTable({
        ...observed,
        options: Object.fromEntries(kept),
        custom: undefined,
        computedColumns: sameComputed(declared, observed)
            ? declared.computedColumns
            : observed.computedColumns,
        watermark: sameWatermark(declared, observed) ? declared.watermark : observed.watermark,
        partitions: observed.partitions?.filter((partition) => {
            const names = partitionNames({ ...declared, partitionKeys: observed.partitionKeys });
            return names.includes(partitionName(observed.partitionKeys ?? [], partition));
        }),
    });
    return declared.bucketCount === undefined ? rest : { ...rest, bucketCount };
}

/** Every difference that the declaration names; empty when the table on the server is the declared one. */
export function tableDifferences(declared: TableSpec, observed: TableSpec): TableDifference[] {
    const wanted = normalTable(declared);
    const found = normalTable(observed);
    const pairs: [string, string, string][] = [
        ["columns", columnText(wanted.columns), columnText(found.columns)],
        ["primaryKey", keyText(wanted.primaryKey), keyText(found.primaryKey)],
        ["partitionKeys", keyText(wanted.partitionKeys), keyText(found.partitionKeys)],
        ["bucketKey", keyText(effectiveBucketKey(wanted)), keyText(effectiveBucketKey(found))],
        ["comment", wanted.comment ?? "none", found.comment ?? "none"],
    ];
    if (!sameComputed(wanted, found)) {
        pairs.push(["computedColumns", computedText(wanted), computedText(found)]);
    }
    if (!sameWatermark(wanted, found)) pairs.push(["watermark", watermarkText(wanted), watermarkText(found)]);
    const existing = partitionNames(found);
    const missing = partitionNames(wanted).filter((name) => !existing.includes(name));
    if (missing.length > 0) pairs.push(["partitions", missing.join(", "), "missing"]);
    if (wanted.bucketCount !== undefined) {
        pairs.push(["bucketCount", String(wanted.bucketCount), String(found.bucketCount)]);
    }
    const theirs = allOptions(found);
    for (const [key, one] of Object.entries(allOptions(wanted))) {
        const other = effectiveOption(theirs, key);
        if (sameOptionValue(key, one, other)) continue;
        pairs.push([`${optionField(key)}["${key}"]`, one, other ?? "not set"]);
    }
    return pairs
        .filter(([, one, other]) => one !== other)
        .map(([path, one, other]) => ({ path, declared: one, observed: other }));
}

/**
 * A row of SHOW PARTITIONS, `dt=2024-01-01/region=eu`, as values by partition key. Fluss takes no `/` in a value.
 * @throws SqlSyntaxError when the row is not of a table with these keys
 */
export function parsePartition(keys: readonly string[], row: string): Record<string, string> {
    let rest = row;
    return Object.fromEntries(
        keys.map((key, index) => {
            const end = index < keys.length - 1 ? rest.indexOf(`/${keys[index + 1]}=`) : rest.length;
            if (!rest.startsWith(`${key}=`) || end < 0) {
                throw new SqlSyntaxError(`"${row}" is no partition by ${keys.join(", ")}`);
            }
            const value = rest.slice(key.length + 1, end);
            rest = rest.slice(end + 1);
            return [key, value];
        }),
    );
}

/** A catalog as SHOW CREATE CATALOG prints it, with every secret replaced by {@link SCRUBBED}. */
export function parseShowCreateCatalog(text: string): { name: string; options: Record<string, string> } {
    const reader = new TokenReader(lex(text));
    reader.expect("CREATE", "CATALOG");
    const name = reader.identifier("the name of the catalog");
    if (reader.accept("COMMENT")) reader.literal("a comment");
    reader.expect("WITH");
    return { name, options: scrubOptions(readOptions(reader)) };
}

/** Options with the value of each secret one replaced by {@link SCRUBBED}; references to secret values are no secrets. */
export function scrubOptions(options: Record<string, string>): Record<string, string> {
    return Object.fromEntries(
        Object.entries(options).map(([key, value]) => [key, isSecretOption(key, value) ? SCRUBBED : value]),
    );
}

/** True when the option's value must not be shown: its name is that of a secret and it is no mere reference to one. */
export function isSecretOption(key: string, value: string): boolean {
    return isSecretPath(key) && !/^\$\{secret_values\.[^}]+\}$/.test(value);
}

interface Body {
    columns: ColumnSpec[];
    computed: ComputedColumnSpec[];
    watermark?: WatermarkSpec;
    primaryKey?: string[];
}

function readBody(reader: TokenReader, sql: string): Body {
    const body: Body = { columns: [], computed: [] };
    const readComment = () => (reader.accept("COMMENT") ? reader.literal("a comment") : undefined);
    reader.list(() => {
        if (reader.accept("WATERMARK", "FOR")) {
            const column = reader.identifier("the column of the watermark");
            reader.expect("AS");
            body.watermark = { column, expression: reader.expression(sql) };
            return;
        }
        const constraint = reader.accept("CONSTRAINT");
        if (constraint) reader.identifier("the name of the constraint");
        if (reader.accept("PRIMARY", "KEY")) {
            body.primaryKey = reader.list(() => reader.identifier("a column of the primary key"));
            reader.expect("NOT", "ENFORCED");
            return;
        }
        const name = reader.identifier("the name of a column");
        if (reader.accept("AS")) {
            body.computed.push({ name, expression: reader.expression(sql), comment: readComment() });
            return;
        }
        const type = readColumnType(reader);
        body.columns.push({
            name,
            type: printColumnType(type),
            nullable: type.nullable,
            comment: readComment(),
        });
    });
    return body;
}

function readPath(reader: TokenReader): string[] {
    const path = [reader.identifier("the name of the table")];
    while (reader.accept(".")) path.push(reader.identifier("the name of the table"));
    return path;
}

function readOptions(reader: TokenReader): Record<string, string> {
    const entries = reader.list((): [string, string] => {
        const key = reader.literal("the name of an option");
        reader.expect("=");
        return [key, reader.literal("the value of an option")];
    });
    return Object.fromEntries(entries);
}

/** `table.datalake.<format>.*` are the cluster's own; the server strips only some of the secrets among them. */
function withoutConnection(options: Record<string, string>): Record<string, string> {
    const connection = /^(bootstrap\.servers$|client\.|table\.datalake\.(iceberg|paimon|lance|hudi)\.)/;
    return Object.fromEntries(Object.entries(options).filter(([key]) => !connection.test(key)));
}

function columnText(columns: ColumnSpec[]): string {
    return columns
        .map(({ name, type, nullable, comment }) => {
            const notNull = nullable === false ? " NOT NULL" : "";
            return `${identifier(name)} ${type}${notNull}${comment ? ` COMMENT ${JSON.stringify(comment)}` : ""}`;
        })
        .join(", ");
}

/** A comment that the server does not print is none of the differences: 0.9 drops it, and nothing can bring it back. */
function sameComputed(declared: TableSpec, observed: TableSpec): boolean {
    const [wanted = [], found = []] = [declared.computedColumns, observed.computedColumns];
    return (
        wanted.length === found.length &&
        wanted.every(({ name, expression, comment }, index) => {
            const other = found[index]!;
            return (
                name === other.name &&
                (!other.comment || comment === other.comment) &&
                isPrintedAs(expression, other.expression)
            );
        })
    );
}

function sameWatermark({ watermark: declared }: TableSpec, { watermark: observed }: TableSpec): boolean {
    if (!declared || !observed) return declared === observed;
    return declared.column === observed.column && isPrintedAs(declared.expression, observed.expression);
}

function computedText({ computedColumns = [] }: TableSpec): string {
    const texts = computedColumns.map(({ name, expression, comment }) => {
        return `${identifier(name)} AS ${expression}${comment ? ` COMMENT ${JSON.stringify(comment)}` : ""}`;
    });
    return texts.join(", ") || "none";
}

function watermarkText({ watermark }: TableSpec): string {
    return watermark ? `${identifier(watermark.column)} AS ${watermark.expression}` : "none";
}

function partitionNames({ partitionKeys = [], partitions = [] }: TableSpec): string[] {
    return partitions.map((partition) => partitionName(partitionKeys, partition));
}

function keyText(key: string[] | undefined): string {
    return key && key.length > 0 ? key.join(", ") : "none";
}
