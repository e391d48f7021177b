import fc from "fast-check";
import type { ColumnType } from "../../../model/column-types.ts";
import { normalTable, type TableSpec } from "../../../model/table.ts";
import { identifier, literal } from "../../../model/table-quoting.ts";

const plain = [
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
] as const;

/** Text of any kind, with a preference for what could break out of quotes. */
export const hostile = fc.oneof(
    fc.string({ minLength: 1, maxLength: 12 }),
    fc.string({
        minLength: 1,
        maxLength: 12,
        unit: fc.constantFrom("'", "`", '"', "\\", ";", "-", "*", "/", ")", "\n", "x"),
    }),
    fc.constantFrom(
        "'); DROP TABLE `t`; --",
        "`) WITH ('x'='y'",
        "*/",
        "${x}",
        "\\' OR 1",
        "NOT NULL",
        "é漢",
    ),
);

/** Names of the kind; a name cannot hold a line break, nor be blank. */
export const hostileName = hostile.filter((name) => !/[\r\n]/.test(name) && name.trim() !== "");

/** Any column type that Fluss takes, in its normal form. */
export function columnType(): fc.Arbitrary<ColumnType> {
    const nullable = fc.boolean();
    const precision = fc.integer({ min: 0, max: 9 });
    const leaf = fc.oneof(
        fc.record({ root: fc.constantFrom(...plain), nullable }),
        fc.record({
            root: fc.constantFrom("CHAR", "BINARY"),
            length: fc.integer({ min: 1, max: 2147483647 }),
            nullable,
        }),
        fc.record({ root: fc.constantFrom("TIMESTAMP", "TIMESTAMP_LTZ"), precision, nullable }),
        fc.record({ root: fc.constant("TIME"), precision: fc.constant(0), nullable }),
        fc.integer({ min: 1, max: 38 }).chain((most) =>
            fc.record({
                root: fc.constant("DECIMAL"),
                precision: fc.constant(most),
                scale: fc.integer({ min: 0, max: most }),
                nullable,
            }),
        ),
    ) as fc.Arbitrary<ColumnType>;
    return fc.letrec<{ type: ColumnType }>((tie) => ({
        type: fc.oneof(
            { maxDepth: 2, withCrossShrink: true },
            leaf,
            fc.record({
                root: fc.constant("ARRAY"),
                element: tie("type"),
                nullable,
            }) as fc.Arbitrary<ColumnType>,
            fc
                .record({ key: tie("type"), value: tie("type"), nullable })
                .map(({ key, value, nullable: open }): ColumnType => {
                    return { root: "MAP", key: { ...key, nullable: false }, value, nullable: open };
                }),
            fc.record({
                root: fc.constant("ROW"),
                fields: fc.uniqueArray(fc.record({ name: hostileName, type: tie("type") }), {
                    minLength: 1,
                    maxLength: 3,
                    selector: (field) => field.name,
                }),
                nullable,
            }) as fc.Arbitrary<ColumnType>,
        ),
    })).type;
}

/** How many inputs a property of tables is tried with: 10,000, or what PULUMI_FLUSS_PROPERTY_RUNS says. */
export const propertyRuns = Number(process.env["PULUMI_FLUSS_PROPERTY_RUNS"] ?? 10_000);

/** Expressions of computed columns and watermarks: names and texts of every kind, calls, operators, brackets, blanks. */
export const expression: fc.Arbitrary<string> = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        hostileName.map(identifier),
        hostile.map(literal),
        fc.constantFrom("1.5", "x", "PROCTIME()", "INTERVAL '5' SECOND"),
        fc
            .tuple(tie("expression"), fc.constantFrom("-", " || ", "\n+\n", " <> ", "/"), tie("expression"))
            .map((parts) => parts.join("")),
        fc.tuple(tie("expression"), tie("expression")).map(([one, other]) => `F(${one}, m[${other}])`),
        tie("expression").map((inner) => `( CAST(${inner} AS STRING) )`),
    ),
})).expression;

/** Specs of every shape, hostile names and values included; not all of them pass the server's rules. */
export function tableSpec(printed: (type: ColumnType) => string): fc.Arbitrary<TableSpec> {
    const column = fc.record(
        { name: hostileName, type: columnType().map(printed), nullable: fc.boolean(), comment: hostile },
        { requiredKeys: ["name", "type"] },
    );
    const computed = fc.record(
        { name: hostileName, expression, comment: hostile },
        { requiredKeys: ["name", "expression"] },
    );
    const options = fc
        .tuple(
            fc.subarray(knownOptions, { maxLength: 4 }),
            fc.dictionary(hostile.filter(isPlainKey), hostile, { maxKeys: 4 }),
        )
        .map(([known, entries]): Record<string, string> => ({ ...Object.fromEntries(known), ...entries }));
    return fc
        .uniqueArray(column, { minLength: 1, maxLength: 6, selector: ({ name }) => name })
        .chain((columns) => {
            const names = fc.subarray(
                columns.map(({ name }) => name),
                { minLength: 1 },
            );
            return fc.record(
                {
                    database: hostileName,
                    name: hostileName,
                    columns: fc.constant(columns),
                    computedColumns: fc.array(computed, { minLength: 1, maxLength: 2 }),
                    watermark: fc.record({ column: hostileName, expression }),
                    primaryKey: names,
                    partitionKeys: names,
                    bucketCount: fc.integer({ min: 1, max: 100 }),
                    options,
                    comment: hostile,
                },
                { requiredKeys: ["database", "name", "columns", "options"] },
            );
        })
        .map((spec) => normalTable(spec as TableSpec));
}

/** Options as people set them; which of them go together the rules say. */
const knownOptions: [string, string][] = [
    ["table.log.ttl", "3 d"],
    ["table.log.format", "indexed"],
    ["table.log.arrow.compression.type", "LZ4_FRAME"],
    ["table.log.tiered.local-segments", "3"],
    ["table.kv.format", "INDEXED"],
    ["table.changelog.image", "wal"],
    ["table.merge-engine", "first_row"],
    ["table.delete.behavior", "disable"],
    ["table.datalake.freshness", "30s"],
    ["iceberg.write.format.default", "orc"],
    ["scan.startup.mode", "latest"],
    ["lookup.cache", "NONE"],
];

function isPlainKey(key: string): boolean {
    return key !== "__proto__" && !key.startsWith("client.") && key !== "bootstrap.servers";
}
