import { printColumnType, readColumnType } from "./column-types.ts";
import { isSecretPath } from "./faults.ts";
import { type ColumnSpec, effectiveBucketKey, normalTable, type TableSpec } from "./table.ts";
import { lex, TokenReader } from "./table-lexer.ts";
import { effectiveOption, sameOptionValue } from "./table-options.ts";
import { identifier } from "./table-quoting.ts";

/** What stands in the place of a secret that was taken out. */
export const SCRUBBED = "[secret]";

/** What a server says about a table. */
export interface ObservedTable {
    /** The table with all options that the server prints, except those of the catalog and of the lake's connection. */
    spec: TableSpec;
    /** Parts of the table that a spec cannot say, as SQL: computed columns and watermarks. */
    extras: string[];
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
    const body = readBody(reader);
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
        primaryKey: body.primaryKey,
        partitionKeys,
        bucketKey: bucketKey?.split(","),
        bucketCount: bucketCount === undefined ? undefined : Number(bucketCount),
        options: others,
        comment,
    };
    return { spec: normalTable(spec), extras: body.extras };
}

/**
 * The observed table in the terms of the declared one: options that the declaration does not name are the server's own
 * matter (it stamps many), and so is a bucket count that is not declared. Values that mean the same keep the declared
 * spelling, so a table that nobody touched gives exactly the declaration.
 */
export function asDeclared(declared: TableSpec, observed: TableSpec): TableSpec {
    if (tableDifferences(declared, observed).length === 0) return declared;
    const kept = Object.keys(declared.options).flatMap((key): [string, string][] => {
        const wanted = declared.options[key];
        const value = effectiveOption(observed.options, key);
        if (value === undefined) return [];
        return [[key, sameOptionValue(key, wanted, value) ? wanted! : value]];
    });
    const { bucketCount, ...rest } = normalTable({ ...observed, options: Object.fromEntries(kept) });
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
    if (wanted.bucketCount !== undefined) {
        pairs.push(["bucketCount", String(wanted.bucketCount), String(found.bucketCount)]);
    }
    for (const key of Object.keys(wanted.options)) {
        const [one, other] = [wanted.options[key], effectiveOption(found.options, key)];
        if (!sameOptionValue(key, one, other)) pairs.push([`options["${key}"]`, one!, other ?? "not set"]);
    }
    return pairs
        .filter(([, one, other]) => one !== other)
        .map(([path, one, other]) => ({ path, declared: one, observed: other }));
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
    primaryKey?: string[];
    extras: string[];
}

function readBody(reader: TokenReader): Body {
    const body: Body = { columns: [], extras: [] };
    reader.list(() => {
        if (reader.accept("WATERMARK", "FOR")) {
            body.extras.push(`WATERMARK FOR ${reader.skipItem()}`);
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
            body.extras.push(`${name} AS ${reader.skipItem()}`);
            return;
        }
        const type = readColumnType(reader);
        const comment = reader.accept("COMMENT") ? reader.literal("a comment") : undefined;
        body.columns.push({ name, type: printColumnType(type), nullable: type.nullable, comment });
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

function keyText(key: string[] | undefined): string {
    return key && key.length > 0 ? key.join(", ") : "none";
}
