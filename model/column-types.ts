import { nearest } from "./nearest.ts";
import { lex, SqlSyntaxError, type Token, TokenReader } from "./table-lexer.ts";
import { identifier } from "./table-quoting.ts";

/** Types without a parameter. */
export type PlainRoot =
    | "BOOLEAN"
    | "TINYINT"
    | "SMALLINT"
    | "INT"
    | "BIGINT"
    | "FLOAT"
    | "DOUBLE"
    | "STRING"
    | "BYTES"
    | "DATE";

/** A field of a ROW type. */
export interface RowField {
    name: string;
    type: ColumnType;
}

/** A column type that Fluss takes, with every parameter written out. */
export type ColumnType = { nullable: boolean } & (
    | { root: PlainRoot }
    | { root: "CHAR" | "BINARY"; length: number }
    | { root: "TIME" | "TIMESTAMP" | "TIMESTAMP_LTZ"; precision: number }
    | { root: "DECIMAL"; precision: number; scale: number }
    | { root: "ARRAY"; element: ColumnType }
    | { root: "MAP"; key: ColumnType; value: ColumnType }
    | { root: "ROW"; fields: RowField[] }
);

/** Thrown for a type that Fluss does not take; `reason` says why and `fix` what to write instead. */
export class ColumnTypeError extends Error {
    readonly reason: string;
    readonly fix: string;

    constructor(reason: string, fix: string) {
        super(`${reason}; ${fix}`);
        this.reason = reason;
        this.fix = fix;
    }
}

/**
 * Reads a Flink SQL type, in the spelling of a person or of SHOW CREATE TABLE: aliases are resolved, Flink's
 * default precisions are filled in, TIME loses its precision (Fluss stores TIME(0)) and a map's key becomes
 * NOT NULL (so does Fluss).
 * @throws ColumnTypeError for a type that Fluss 0.9 and 1.0 refuse, and for text that is no type.
 */
export function parseColumnType(text: string): ColumnType {
    try {
        const tokens = lex(text);
        checkDepth(tokens);
        const reader = new TokenReader(tokens);
        const type = readColumnType(reader);
        if (!reader.done) reader.expect("the end of the type");
        return type;
    } catch (error) {
        if (!(error instanceof SqlSyntaxError)) throw error;
        throw new ColumnTypeError(`"${text}" is not a type: ${error.message}`, "write it as Flink SQL does");
    }
}

/** Reads the type that comes next, a NOT NULL after it included. Used by the reader of SHOW CREATE TABLE. */
export function readColumnType(reader: TokenReader): ColumnType {
    const type = readBareType(reader);
    if (reader.accept("NOT", "NULL")) return { ...type, nullable: false };
    reader.accept("NULL");
    return type;
}

/** The type as Flink SQL, without the NOT NULL of the type itself. Reading it back gives the same type. */
export function printColumnType(type: ColumnType): string {
    switch (type.root) {
        case "CHAR":
        case "BINARY":
            return `${type.root}(${type.length})`;
        case "TIME":
        case "TIMESTAMP":
        case "TIMESTAMP_LTZ":
            return `${type.root}(${type.precision})`;
        case "DECIMAL":
            return `DECIMAL(${type.precision}, ${type.scale})`;
        case "ARRAY":
            return `ARRAY<${printNested(type.element)}>`;
        case "MAP":
            return `MAP<${printNested(type.key)}, ${printNested(type.value)}>`;
        case "ROW":
            return `ROW<${type.fields.map(printRowField).join(", ")}>`;
        default:
            return type.root;
    }
}

/**
 * The type as Flink makes it for a nullable or NOT NULL column: the fields of a nullable ROW are nullable, whatever is
 * written, and so on inwards (Flink 1.20.3 observed).
 */
export function withNullability(type: ColumnType, nullable: boolean): ColumnType {
    const inner = (nested: ColumnType) => withNullability(nested, nested.nullable);
    switch (type.root) {
        case "ARRAY":
            return { ...type, nullable, element: inner(type.element) };
        case "MAP":
            return { ...type, nullable, key: inner(type.key), value: inner(type.value) };
        case "ROW": {
            const field = (nested: ColumnType) => withNullability(nested, nullable || nested.nullable);
            return {
                ...type,
                nullable,
                fields: type.fields.map((one) => ({ ...one, type: field(one.type) })),
            };
        }
        default:
            return { ...type, nullable };
    }
}

/** The one spelling of the type of a column: `VARCHAR(2147483647)` and `string` both give `STRING`. */
export function normalColumnType(text: string, nullable = true): string {
    return printColumnType(withNullability(parseColumnType(text), nullable));
}

function printNested(type: ColumnType): string {
    return type.nullable ? printColumnType(type) : `${printColumnType(type)} NOT NULL`;
}

function printRowField(field: RowField): string {
    return `${identifier(field.name)} ${printNested(field.type)}`;
}

/** Characters of the name of a column or a field (Flink 1.20.3 observed). */
export const longestName = 256;

/** Types in types. Flink 1.20.3 took 200 levels and failed at 500 without a reason (observed). */
const deepest = 200;
const MAX_LENGTH = 2_147_483_647;
const ALIASES: Record<string, string> = { INTEGER: "INT", DEC: "DECIMAL", NUMERIC: "DECIMAL" };
const PLAIN: readonly string[] = [
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "STRING",
    "BYTES",
    "DATE",
] satisfies PlainRoot[];
const WITH_PARAMETERS = [
    "CHAR",
    "BINARY",
    "DECIMAL",
    "TIME",
    "TIMESTAMP",
    "TIMESTAMP_LTZ",
    "ARRAY",
    "MAP",
    "ROW",
];
const UNSUPPORTED: Record<string, string> = {
    INTERVAL: "store the length as BIGINT",
    MULTISET: "use MAP<t, INT> or ARRAY<t>",
    RAW: "serialize the value to BYTES",
    VARIANT: "use STRING with JSON text",
    STRUCTURED: "use ROW<…>",
};

/** Before the type is read, which goes into itself. */
function checkDepth(tokens: readonly Token[]): void {
    let depth = 0;
    for (const { kind, value } of tokens) {
        if (kind !== "mark") continue;
        if (value === "<" || value === "(") depth += 1;
        if (value === ">" || value === ")") depth -= 1;
        if (depth > deepest) {
            throw new ColumnTypeError(
                `the type is nested more than ${deepest} levels deep`,
                "flatten it, or store it as STRING with JSON text",
            );
        }
    }
}

function readBareType(reader: TokenReader): ColumnType {
    const token = reader.next("a type");
    const written = token.value.toUpperCase();
    const root = ALIASES[written] ?? written;
    if (token.kind !== "word")
        throw new SqlSyntaxError(`found ${JSON.stringify(token.value)} where a type should be`);
    if (UNSUPPORTED[root]) throw new ColumnTypeError(`Fluss has no type ${root}`, UNSUPPORTED[root]);
    if (isPlain(root)) {
        if (root === "DOUBLE") reader.accept("PRECISION");
        return { root, nullable: true };
    }
    switch (root) {
        case "VARCHAR":
            return readUnbounded(reader, "VARCHAR", "STRING");
        case "VARBINARY":
            return readUnbounded(reader, "VARBINARY", "BYTES");
        case "CHAR":
        case "BINARY":
            return {
                root,
                length: readNumber(reader, `length of ${root}`, 1, MAX_LENGTH, 1),
                nullable: true,
            };
        case "DECIMAL":
            return readDecimal(reader);
        case "TIME":
            readNumber(reader, "precision of TIME", 0, 9, 0);
            reader.accept("WITHOUT", "TIME", "ZONE");
            return { root, precision: 0, nullable: true };
        case "TIMESTAMP":
            return readTimestamp(reader);
        case "TIMESTAMP_LTZ":
            return {
                root,
                precision: readNumber(reader, "precision of TIMESTAMP_LTZ", 0, 9, 6),
                nullable: true,
            };
        case "ARRAY":
            return { root, element: readNested(reader, () => readColumnType(reader)), nullable: true };
        case "MAP":
            return readNested(reader, () => {
                const key = { ...readColumnType(reader), nullable: false };
                reader.expect(",");
                return { root, key, value: readColumnType(reader), nullable: true };
            });
        case "ROW":
            return { root, fields: readRowFields(reader), nullable: true };
        default:
            throw new ColumnTypeError(
                `"${token.value}" is not a type of Flink SQL`,
                nearestType(token.value),
            );
    }
}

function nearestType(written: string): string {
    const near = nearest(written, [...PLAIN, ...Object.keys(ALIASES), ...WITH_PARAMETERS]);
    return near ? `did you mean ${near}?` : `use one of: ${[...PLAIN, ...WITH_PARAMETERS].join(", ")}`;
}

function isPlain(root: string): root is PlainRoot {
    return PLAIN.includes(root);
}

function readUnbounded(reader: TokenReader, written: string, root: "STRING" | "BYTES"): ColumnType {
    const length = readNumber(reader, `length of ${written}`, 1, MAX_LENGTH, 1);
    if (length !== MAX_LENGTH) {
        throw new ColumnTypeError(
            `Fluss keeps no limit of length, so ${written}(${length}) is unsupported`,
            `use ${root} (or ${written === "VARCHAR" ? "CHAR" : "BINARY"}(n) for a fixed length)`,
        );
    }
    return { root, nullable: true };
}

function readDecimal(reader: TokenReader): ColumnType {
    const parameters = reader.peek()?.value === "(" ? reader.list(() => reader.integer("a number")) : [];
    const [precision = 10, scale = 0] = parameters;
    if (parameters.length > 2 || precision < 1 || precision > 38 || scale > precision) {
        throw new ColumnTypeError(
            `DECIMAL(${parameters.join(", ")}) is out of range (beyond 38 digits the server silently keeps 38)`,
            "use a precision of 1 to 38 and a scale of 0 to the precision",
        );
    }
    return { root: "DECIMAL", precision, scale, nullable: true };
}

function readTimestamp(reader: TokenReader): ColumnType {
    const precision = readNumber(reader, "precision of TIMESTAMP", 0, 9, 6);
    if (reader.accept("WITH", "LOCAL", "TIME", "ZONE"))
        return { root: "TIMESTAMP_LTZ", precision, nullable: true };
    if (reader.accept("WITH", "TIME", "ZONE")) {
        throw new ColumnTypeError(
            "Fluss has no TIMESTAMP WITH TIME ZONE",
            `use TIMESTAMP_LTZ(${precision}) (one instant, no zone kept)`,
        );
    }
    reader.accept("WITHOUT", "TIME", "ZONE");
    return { root: "TIMESTAMP", precision, nullable: true };
}

function readNumber(reader: TokenReader, what: string, least: number, most: number, absent: number): number {
    if (!reader.accept("(")) return absent;
    const value = reader.integer(`the ${what}`);
    reader.expect(")");
    if (value < least || value > most) {
        throw new ColumnTypeError(`the ${what} is ${value}`, `use ${least} to ${most}`);
    }
    return value;
}

function readNested<T>(reader: TokenReader, inner: () => T): T {
    reader.expect("<");
    const value = inner();
    reader.expect(">");
    return value;
}

/** @throws ColumnTypeError for names that Flink 1.20.3 refuses (observed). */
function readRowFields(reader: TokenReader): RowField[] {
    const fields = readFieldList(reader);
    const names = fields.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined) {
        throw new ColumnTypeError(`the ROW has two fields named ${twice}`, "give each field its own name");
    }
    if (names.some((name) => name.trim() === "")) {
        throw new ColumnTypeError("the name of a field of the ROW is blank", "give each field a name");
    }
    if (names.some((name) => name.length > longestName)) {
        throw new ColumnTypeError(
            `the name of a field of the ROW is longer than ${longestName} characters`,
            "give the field a shorter name",
        );
    }
    return fields;
}

function readFieldList(reader: TokenReader): RowField[] {
    if (reader.peek()?.value === "(") return reader.list(() => readRowField(reader));
    return readNested(reader, () => {
        const fields = [readRowField(reader)];
        while (reader.accept(",")) fields.push(readRowField(reader));
        return fields;
    });
}

function readRowField(reader: TokenReader): RowField {
    const field: RowField = { name: reader.identifier("the name of a field"), type: readColumnType(reader) };
    if (reader.peek()?.kind !== "text") return field;
    throw new ColumnTypeError(
        `Fluss keeps no comments of fields inside of a ROW, and drops that of ${field.name} silently`,
        "say it in the comment of the column",
    );
}
