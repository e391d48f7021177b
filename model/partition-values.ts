import type { ColumnType } from "./column-types.ts";

/**
 * How Fluss' writers name the partition of a value of this type, as a pattern and an example; undefined when any text is a
 * value (0.9.1 observed). The servers make partitions of any other name, too, and no row ever gets into them.
 */
export function partitionNotation(type: ColumnType): { pattern: RegExp; example: string } | undefined {
    switch (type.root) {
        case "BOOLEAN":
            return { pattern: /^(true|false)$/, example: "true" };
        case "TINYINT":
        case "SMALLINT":
        case "INT":
        case "BIGINT":
            return { pattern: /^(0|-?[1-9]\d*)$/, example: "7" };
        case "FLOAT":
        case "DOUBLE":
            return { pattern: /^(-?\d+_\d+(E-?\d+)?|NaN|-?Infinity)$/, example: "1_5" };
        case "DATE":
            return { pattern: new RegExp(`^${day}$`), example: "2024-01-31" };
        case "TIME":
            return { pattern: new RegExp(`^${clock}_\\d{3}$`), example: "12-00-01_000" };
        case "TIMESTAMP":
        case "TIMESTAMP_LTZ":
            return { pattern: new RegExp(`^${day}-${clock}_\\d*$`), example: "2024-01-31-12-00-01_000" };
        case "BYTES":
            return { pattern: /^([0-9a-f]{2})+$/, example: "00ff" };
        case "BINARY":
            return {
                pattern: new RegExp(`^([0-9a-f]{2}){${type.length}}$`),
                example: "00".repeat(Math.min(type.length, 4)),
            };
        case "CHAR":
            return {
                pattern: new RegExp(`^.{${type.length}}$`),
                example: "x".repeat(Math.min(type.length, 10)),
            };
        default:
            return undefined;
    }
}

const day = "\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])";
const clock = "([01]\\d|2[0-3])-[0-5]\\d-[0-5]\\d";
