import { describe, expect, test } from "vitest";
import { normalTable, type TableSpec, validateTable } from "../../../model/table.ts";
import { expressionFault, isPrintedAs, sameExpression } from "../../../model/table-expression.ts";
import { timeFormatFault } from "../../../model/time-format.ts";

const old09 = { server: "0.9", lake: "none" } as const;
const new10 = { server: "1.0", lake: "none" } as const;

const base: TableSpec = {
    database: "d",
    name: "t",
    columns: [
        { name: "id", type: "INT" },
        { name: "dt", type: "STRING" },
        { name: "region", type: "STRING" },
        { name: "at", type: "TIMESTAMP(3)" },
        { name: "micros", type: "TIMESTAMP(6)" },
        { name: "price", type: "DECIMAL(5, 1)" },
        { name: "raw", type: "BYTES" },
        { name: "flag", type: "BOOLEAN" },
    ],
    options: {},
};
const keyed = { ...base, primaryKey: ["id"] };
const aggregated = (options: Record<string, string>): TableSpec => ({
    ...keyed,
    options: { "table.merge-engine": "aggregation", ...options },
});
const daily = { ...base, partitionKeys: ["dt", "region"] };

const faultsOf = (spec: TableSpec, capabilities: typeof old09 | typeof new10 = new10) =>
    validateTable(spec, capabilities).map(({ path, reason }) => `${path}: ${reason}`);

describe("computed columns and watermarks", () => {
    test.each<[string, Partial<TableSpec>, RegExp]>([
        [
            "a name that a stored column has",
            { computedColumns: [{ name: "id", expression: "1" }] },
            /^table\.computedColumns\[0\]\.name: is the name of an earlier column/,
        ],
        [
            "a name that another computed column has",
            { computedColumns: ["1", "2"].map((expression) => ({ name: "x", expression })) },
            /^table\.computedColumns\[1\]\.name: is the name of an earlier column/,
        ],
        [
            "a reserved name",
            { computedColumns: [{ name: "__offset", expression: "1" }] },
            /reserved system column/,
        ],
        [
            "an expression that would end the column",
            { computedColumns: [{ name: "x", expression: "1, `y` INT" }] },
            /^table\.computedColumns\[0\]\.expression: holds a comma outside of brackets/,
        ],
        [
            "a secret",
            { computedColumns: [{ name: "x", expression: "'${secret_values.fluss-password}'" }] },
            /expression: refers to a secret value/,
        ],
        [
            "a watermark on nothing",
            { watermark: { column: "att", expression: "att" } },
            /^table\.watermark\.column: does not exist/,
        ],
        [
            "a watermark on microseconds",
            { watermark: { column: "micros", expression: "micros" } },
            /^table\.watermark\.column: the column of a watermark must be TIMESTAMP\(p\)/,
        ],
        [
            "a watermark on text",
            { watermark: { column: "dt", expression: "dt" } },
            /^table\.watermark\.column: the column of a watermark must be TIMESTAMP\(p\)/,
        ],
        [
            "a watermark that is no expression",
            { watermark: { column: "at", expression: "(at" } },
            /^table\.watermark\.expression: does not close a bracket/,
        ],
        [
            "a key that is computed",
            { computedColumns: [{ name: "x", expression: "1" }], partitionKeys: ["x"] },
            /^table\.partitionKeys\[0\]: does not exist in the columns/,
        ],
    ])("%s", (_name, part, fault) => {
        expect(faultsOf({ ...base, ...part })).toEqual([expect.stringMatching(fault)]);
    });

    test("are fine when they say something", () => {
        const computedColumns = [{ name: "ts", expression: "CAST(micros AS TIMESTAMP(3))" }];
        for (const column of ["ts", "at"]) {
            const watermark = { column, expression: `\`${column}\` - INTERVAL '5' SECOND` };
            expect(faultsOf({ ...base, computedColumns, watermark }, old09)).toEqual([]);
            const said = computedColumns.map((one) => ({ ...one, comment: "it's" }));
            expect(faultsOf({ ...base, computedColumns: said, watermark }, new10)).toEqual([]);
            expect(faultsOf({ ...base, computedColumns: said, watermark }, old09)).toEqual([
                expect.stringMatching(/^table\.computedColumns\[0\]\.comment: Fluss 0\.9 keeps no comments/),
            ]);
        }
    });
});

describe("an expression", () => {
    test.each([
        ["", /empty/],
        ["a; DROP TABLE t", /semicolon/],
        ["a -- b", /comment/],
        ["a /* b */", /comment/],
        ['"a"', /double quote/],
        ["f(a))", /closes a bracket that is not open/],
        ["f(a]", /closes a bracket that is not open/],
        ["m[1", /does not close a bracket \(\]\)/],
        ["a, b", /comma/],
        ["a COMMENT 'x'", /COMMENT/],
        ["'open", /never closed/],
        ["`a\nb`", /never closed/],
    ])("%j is refused", (text, reason) => expect(expressionFault(text)?.reason).toMatch(reason));

    test.each(["a - b", "a -b", "m['x,y;--']", "f(a, b)", "`a;b` || '/* no */'", "a / b * 2", "a - -b"])(
        "%j is fine",
        (text) => expect(expressionFault(text)).toBeUndefined(),
    );

    test("is the same without backticks and in other blanks, but brackets count unless a server prints it", () => {
        expect(sameExpression("ts-interval '5' second", "`ts` - INTERVAL '5' SECOND")).toBe(true);
        expect(sameExpression("'a'", "a")).toBe(false);
        expect(sameExpression("`A`", "a")).toBe(false);
        expect(sameExpression("(a + b) * c", "a + b * c")).toBe(false);
        expect(isPrintedAs("((a) + b)", "`a` + `b`")).toBe(true);
        expect(isPrintedAs("a + b", "`a` - `b`")).toBe(false);
        expect(isPrintedAs("a || 'é'", "`a` || _UTF16'é'")).toBe(true);
        expect(isPrintedAs("_UTF16", "a")).toBe(false);
    });
});

describe("partitions", () => {
    const partition = { dt: "2024-01-01", region: "eu" };
    test.each<[string, TableSpec, RegExp]>([
        ["of a table that has no keys", { ...base, partitions: [partition] }, /d\.t is not partitioned/],
        [
            "of an auto-partitioned table",
            {
                ...daily,
                partitions: [partition],
                options: {
                    "table.auto-partition.enabled": "true",
                    "table.auto-partition.key": "dt",
                    "table.auto-partition.num-retention": "7",
                },
            },
            /^table\.partitions: auto-partitioning makes and drops/,
        ],
        [
            "with a value missing",
            { ...daily, partitions: [{ dt: "1" }] },
            /^table\.partitions\[0\]: a partition has a value for each of the partition keys \[dt, region\]/,
        ],
        [
            "with another key",
            { ...daily, partitions: [{ ...partition, id: "1" }] },
            /a partition has a value for each/,
        ],
        [
            "with a value that is no name",
            { ...daily, partitions: [{ ...partition, dt: "a/b" }] },
            /^table\.partitions\[0\]\.dt: contains one or more characters/,
        ],
        [
            "with a reserved value",
            { ...daily, partitions: [{ ...partition, dt: "__1" }] },
            /internal partitions/,
        ],
        ["with an empty value", { ...daily, partitions: [{ ...partition, dt: "" }] }, /is empty/],
        [
            "listed twice",
            { ...daily, partitions: [partition, { region: "eu", dt: "2024-01-01" }] },
            /^table\.partitions\[1\]: is listed twice/,
        ],
    ])("%s", (_name, spec, fault) => expect(faultsOf(spec)).toEqual([expect.stringMatching(fault)]));

    test("have one order", () => {
        const spec = {
            ...daily,
            partitions: [
                { region: "us", dt: "2" },
                { region: "eu", dt: "1" },
            ],
        };
        expect(faultsOf(spec, old09)).toEqual([]);
        expect(JSON.stringify(normalTable(spec).partitions)).toBe(
            '[{"dt":"1","region":"eu"},{"dt":"2","region":"us"}]',
        );
        expect(normalTable({ ...daily, partitions: [] }).partitions).toBeUndefined();
    });
});

describe("aggregates", () => {
    test.each<[string, TableSpec, RegExp]>([
        ["of no column", aggregated({ "fields.prise.agg": "sum" }), /the column prise does not exist/],
        [
            "without the engine",
            { ...keyed, options: { "fields.price.agg": "sum" } },
            /only supported for the aggr/,
        ],
        ["of a key", aggregated({ "fields.id.agg": "sum" }), /cannot set .* for a primary key column/],
        ["unknown", aggregated({ "fields.price.agg": "summ" }), /unknown aggregation function/],
        [
            "of another type",
            aggregated({ "fields.dt.agg": "sum" }),
            /must be part of TINYINT, .* but was STRING/,
        ],
        [
            "of text by and",
            aggregated({ "fields.dt.agg": "bool_and" }),
            /must be part of BOOLEAN but was STRING/,
        ],
        ["bitmap of a number", aggregated({ "fields.price.agg": "rbm32" }), /part of BYTES but was DECIMAL/],
        ["least of a flag", aggregated({ "fields.flag.agg": "min" }), /but was BOOLEAN/],
        [
            "with a parameter that it has not",
            aggregated({ "fields.dt.agg": "listagg", "fields.dt.listagg.separator": ";" }),
            /'separator' is not supported/,
        ],
        [
            "with an empty delimiter",
            aggregated({ "fields.dt.agg": "listagg", "fields.dt.listagg.delimiter": "" }),
            /must not be empty/,
        ],
        [
            "with the parameter of another function",
            aggregated({ "fields.dt.agg": "min", "fields.dt.listagg.delimiter": ";" }),
            /is a parameter of listagg, but the column's function is min/,
        ],
        [
            "with a changelog without old values",
            aggregated({ "table.changelog.image": "WAL" }),
            /does not support the WAL changelog image/,
        ],
    ])("%s", (_name, spec, fault) => expect(faultsOf(spec)).toEqual([expect.stringMatching(fault)]));

    test("that fit their columns are fine", () => {
        const options = {
            "fields.price.agg": "sum",
            "fields.dt.agg": "LISTAGG",
            "fields.dt.listagg.delimiter": ";",
            "fields.at.agg": "max",
            "fields.raw.agg": "rbm64",
            "fields.flag.agg": "bool_or",
            "fields.region.agg": "last_value",
        };
        expect(faultsOf(aggregated(options), old09)).toEqual([]);
    });

    test("a slip is answered with the nearest name", () => {
        expect(validateTable(aggregated({ "fields.prise.agg": "sum" }), new10)[0]?.fix).toContain(
            "fields.price.agg",
        );
        expect(validateTable(aggregated({ "fields.price.agg": "summ" }), new10)[0]?.fix).toContain("sum?");
    });
});

describe("columns with statistics", () => {
    const of = (value: string, spec = base) => ({ ...spec, options: { "table.statistics.columns": value } });
    test.each<[string, TableSpec, RegExp]>([
        ["unknown", of("id, prise"), /"table\.statistics\.columns"\]: does not exist/],
        ["of bytes", of("id,raw"), /no statistics for the type BYTES/],
        ["of a primary key table", of("*", keyed), /not supported for primary key tables/],
    ])("%s", (_name, spec, fault) => expect(faultsOf(spec)).toEqual([expect.stringMatching(fault)]));

    test("all, or those that have some", () => {
        expect(faultsOf(of("*"))).toEqual([]);
        expect(faultsOf(of("id, price"))).toEqual([]);
        expect(faultsOf(of("*"), old09)).toEqual([expect.stringContaining("it came with 1.0")]);
    });
});

describe("names of automatic partitions", () => {
    test.each([
        ["yyyyMMdd", "DAY"],
        ["yyyy-MM-dd", "day"],
        ["yyyy-'Q'Q", "QUARTER"],
        ["'y'yyyy", "YEAR"],
        ["yyyyMM", "MONTH"],
        ["yyyy_MM_dd-HH", "HOUR"],
    ])("%s for %s", (pattern, unit) => expect(timeFormatFault(pattern, unit)).toBeUndefined());

    test.each([
        ["  ", "DAY", /empty/],
        ["yyyyMM", "DAY", /must have the fields yyyy, MM, dd .* but has yyyy, MM$/],
        ["ddMMyyyy", "DAY", /in this order/],
        ["yyyyMMddHH", "DAY", /but has yyyy, MM, dd, HH/],
        ["yyMMdd", "DAY", /but has yy, MM, dd/],
        ["yyyy[-MM]-dd", "DAY", /optional/],
        ["yyyy/MM/dd", "DAY", /other characters/],
        ["yyyy'é'", "YEAR", /other characters/],
        ["'__'yyyy", "YEAR", /reserved/],
        ["yyyyQQ", "QUARTER", /but has yyyy, QQ/],
        ["'yyyy'", "YEAR", /but has none/],
    ])("%j for %s is refused", (pattern, unit, reason) => {
        expect(timeFormatFault(pattern, unit)?.reason).toMatch(reason);
    });

    test("are a rule of the table", () => {
        const options = {
            "table.auto-partition.enabled": "true",
            "table.auto-partition.num-retention": "7",
            "table.auto-partition.time-format": "yyyyMM",
        };
        const spec = { ...base, partitionKeys: ["dt"], options };
        expect(faultsOf(spec)).toEqual([
            expect.stringMatching(/^table\.options\["table\.auto-partition\.time-format"\]: must have/),
        ]);
        expect(
            faultsOf({ ...spec, options: { ...options, "table.auto-partition.time-unit": "month" } }),
        ).toEqual([]);
    });
});
