import type { ValueFault } from "./option-values.ts";

/**
 * What is wrong with the pattern by which auto-partitioning names partitions (`table.auto-partition.time-format`, Fluss
 * 1.0); undefined when nothing is. It is a pattern of Java with a fixed set of fields: those of the unit, from the
 * largest down, each once and in its fixed width (`yyyy`, `Q`, `MM`, `dd`, `HH`); letters in between are quoted, and what
 * comes out must be a valid partition value.
 * @param unit `HOUR`, `DAY`, `MONTH`, `QUARTER` or `YEAR`, in any letter case
 */
export function timeFormatFault(pattern: string, unit: string): ValueFault | undefined {
    const wanted = fieldsOf[unit.trim().toUpperCase()];
    if (!wanted) return undefined;
    const fix = `write it like ${wanted.join("")} or ${wanted.join("-")}`;
    if (pattern.trim() === "") return { reason: "must not be empty", fix };
    const fields: string[] = [];
    let literal = "";
    for (const { groups } of pattern.matchAll(part)) {
        if (groups?.["field"]) fields.push(groups["field"]);
        else literal += groups?.["other"] ?? (groups?.["quoted"]?.replaceAll("''", "'") || "'");
    }
    if (literal.includes("[") || literal.includes("]")) return { reason: "has optional parts ([ ])", fix };
    if (!/^[A-Za-z0-9_-]*$/.test(literal)) {
        const reason = "gives a value with other characters than ASCII letters, digits, '_' and '-'";
        return { reason, fix };
    }
    if (pattern.startsWith("__") || pattern.startsWith("'__")) {
        return { reason: "gives a value that starts with '__', which is reserved", fix };
    }
    if (fields.join(" ") === wanted.join(" ")) return undefined;
    const reason = `must have the fields ${wanted.join(", ")} of the unit ${unit.toUpperCase()} in this order, but has ${fields.join(", ") || "none"}`;
    return { reason, fix };
}

/** A quoted text, a run of one letter, or any other character, as Java reads such patterns. */
const part = /'(?<quoted>(?:[^']|'')*)'|(?<field>([A-Za-z])\3*)|(?<other>[\s\S])/g;

const fieldsOf: Record<string, string[]> = {
    HOUR: ["yyyy", "MM", "dd", "HH"],
    DAY: ["yyyy", "MM", "dd"],
    MONTH: ["yyyy", "MM"],
    QUARTER: ["yyyy", "Q"],
    YEAR: ["yyyy"],
};
