import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
    ColumnTypeError,
    normalColumnType,
    parseColumnType,
    printColumnType,
} from "../../../model/column-types.ts";
import { columnType } from "./arbitraries.ts";

describe("one spelling for each type", () => {
    test.each([
        ["string", "STRING"],
        ["VARCHAR(2147483647)", "STRING"],
        ["VARBINARY(2147483647)", "BYTES"],
        ["INTEGER", "INT"],
        ["DOUBLE PRECISION", "DOUBLE"],
        ["DECIMAL", "DECIMAL(10, 0)"],
        ["DEC(5)", "DECIMAL(5, 0)"],
        ["numeric(15,2)", "DECIMAL(15, 2)"],
        ["CHAR", "CHAR(1)"],
        ["BINARY(7)", "BINARY(7)"],
        ["TIME", "TIME(0)"],
        ["TIME(3)", "TIME(0)"],
        ["TIMESTAMP", "TIMESTAMP(6)"],
        ["TIMESTAMP(3) WITHOUT TIME ZONE", "TIMESTAMP(3)"],
        ["TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP_LTZ(3)"],
        ["TIMESTAMP WITH LOCAL TIME ZONE", "TIMESTAMP_LTZ(6)"],
        ["ARRAY<INT NOT NULL>", "ARRAY<INT NOT NULL>"],
        ["MAP<VARCHAR(2147483647), INT>", "MAP<STRING NOT NULL, INT>"],
        ["ROW(a INT, `b c` STRING)", "ROW<`a` INT, `b c` STRING>"],
        ["ROW<a ARRAY<ROW<x DATE>>, b TIME(2)>", "ROW<`a` ARRAY<ROW<`x` DATE>>, `b` TIME(0)>"],
    ])("%s is %s", (written, normal) => expect(normalColumnType(written)).toBe(normal));
});

test("fields of a nullable ROW are nullable, and so on inwards", () => {
    const map = "MAP<INT NOT NULL, ROW<`y` INT NOT NULL> NOT NULL>";
    const written = `ROW<\`a\` INT NOT NULL, \`r\` ROW<\`x\` INT NOT NULL> NOT NULL, \`m\` ${map} NOT NULL>`;
    expect(normalColumnType(written, true)).toBe(`ROW<\`a\` INT, \`r\` ROW<\`x\` INT>, \`m\` ${map}>`);
    expect(normalColumnType(written, false)).toBe(written);
});

describe("a type that Fluss does not take is refused with a hint", () => {
    test.each([
        ["VARCHAR(255)", /VARCHAR\(255\).*use STRING/],
        ["VARCHAR", /VARCHAR\(1\).*use STRING/],
        ["VARBINARY(5)", /VARBINARY\(5\).*use BYTES/],
        ["MULTISET<INT>", /MULTISET.*MAP/],
        ["INTERVAL DAY", /INTERVAL.*BIGINT/],
        ["RAW('x', 'y')", /RAW.*BYTES/],
        ["TIMESTAMP(3) WITH TIME ZONE", /WITH TIME ZONE.*TIMESTAMP_LTZ\(3\)/],
        ["DECIMAL(39, 0)", /out of range.*1 to 38/],
        ["DECIMAL(5, 6)", /out of range/],
        ["CHAR(0)", /length of CHAR is 0/],
        ["TIMESTAMP(10)", /precision of TIMESTAMP is 10/],
        ["ARRAY<VARCHAR(3)>", /use STRING/],
        ["ROW<a INT 'why'>", /keeps no comments of fields.*comment of the column/],
        ["ROW<`a\nb` INT>", /never closed/],
        ["ROW<` ` INT>", /name of a field of the ROW is blank/],
        ["ARRAY<ROW<a INT, a STRING>>", /two fields named a/],
        ["ARRAY<INT", /is not a type/],
        ["INT STRING", /is not a type/],
        ["INT); DROP TABLE x", /is not a type/],
        ["`INT`", /is not a type/],
        ["text", /"text" is not a type of Flink SQL.*use one of: BOOLEAN, .*ROW/],
        ["INTEGR", /"INTEGR" is not a type of Flink SQL.*did you mean INTEGER\?/],
        ["timestmap(3)", /did you mean TIMESTAMP\?/],
        ["", /is not a type/],
    ])("%s", (written, message) => {
        expect(() => parseColumnType(written)).toThrow(ColumnTypeError);
        expect(() => parseColumnType(written)).toThrow(message);
    });
});

test("every type survives being printed and read", () => {
    fc.assert(
        fc.property(columnType(), (type) => {
            expect(parseColumnType(printColumnType(type))).toEqual({ ...type, nullable: true });
        }),
        { numRuns: 1000 },
    );
});
