/** Why a text is no value of a type of option, and what to write instead. */
export interface ValueFault {
    reason: string;
    fix: string;
}

/**
 * Checks the text of an option against the option's type, as Fluss names types: `int`, `duration`, `memory`, ...
 * Undefined when it is fine. Types without a notation of their own (`string`, `password`) take everything.
 */
export function optionValueFault(
    type: string,
    text: string,
    values: readonly string[] = [],
): ValueFault | undefined {
    const list = /^(.*)\[\]$/.exec(type);
    if (list) {
        const parts = text.split(/[,;]/).map((part) => part.trim());
        return parts.map((part) => optionValueFault(list[1]!, part, values)).find(Boolean);
    }
    if (type === "enum") return enumFault(text, values);
    const notation = notations[type];
    if (!notation || notation.accepts(text)) return undefined;
    return { reason: `takes ${notation.kind}`, fix: `Write it like ${notation.example}` };
}

interface Notation {
    kind: string;
    example: string;
    accepts(text: string): boolean;
}

const notations: Record<string, Notation> = {
    int: {
        kind: "a 32-bit integer",
        example: "3",
        accepts: (text) => isInteger(text, -(2n ** 31n), 2n ** 31n - 1n),
    },
    long: {
        kind: "a 64-bit integer",
        example: "100000",
        accepts: (text) => isInteger(text, -(2n ** 63n), 2n ** 63n - 1n),
    },
    double: {
        kind: "a number",
        example: "0.75",
        accepts: (text) => /^-?\d+(\.\d+)?([eE]-?\d+)?$/.test(text),
    },
    boolean: { kind: "true or false", example: "true", accepts: (text) => /^(true|false)$/i.test(text) },
    duration: {
        kind: "a duration: a number and a unit (ns, us, ms, s, min, h, d), milliseconds without one",
        example: "30s",
        accepts: (text) => hasUnit(text, durationUnits),
    },
    memory: {
        kind: "a size: a number and a unit (b, kb, mb, gb, tb), bytes without one",
        example: "64mb",
        accepts: (text) => hasUnit(text, memoryUnits),
    },
    map: {
        kind: "a list of key:value pairs",
        example: "INTERNAL:SASL,CLIENT:SASL",
        accepts: (text) => text.split(",").every((pair) => /^\s*[^:\s]+\s*:\s*\S/.test(pair)),
    },
};

const durationUnits =
    /^(d|days?|h|hours?|m|min|minutes?|s|sec|secs|seconds?|ms|millis?|milliseconds?|us|µs|micros?|microseconds?|ns|nanos?|nanoseconds?)?$/;
const memoryUnits = /^(b|bytes|k|kb|kibibytes|m|mb|mebibytes|g|gb|gibibytes|t|tb|tebibytes)?$/;

function isInteger(text: string, min: bigint, max: bigint): boolean {
    return /^-?\d+$/.test(text) && BigInt(text) >= min && BigInt(text) <= max;
}

function hasUnit(text: string, units: RegExp): boolean {
    const match = /^(\d+)\s*([a-zµ]*)$/.exec(text.toLowerCase());
    return match !== null && units.test(match[2]!);
}

function enumFault(text: string, values: readonly string[]): ValueFault | undefined {
    if (values.length === 0 || values.includes(text.toLowerCase().replaceAll("-", "_"))) return undefined;
    return { reason: "has no such value", fix: `Use one of: ${values.join(", ")}` };
}
