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
        kind: "a duration: a number and a unit (ns, us, ms, s, min, h, d), milliseconds without one, at most 64 bits of milliseconds",
        example: "30s",
        accepts: (text) => hasUnit(text, durationUnits, (2n ** 63n - 2n) * 1_000_000n),
    },
    memory: {
        kind: "a size: a number and a unit (b, kb, mb, gb, tb), bytes without one, at most 64 bits of bytes",
        example: "64mb",
        accepts: (text) => hasUnit(text, memoryUnits, 2n ** 63n - 1n),
    },
    map: {
        kind: "a list of key:value pairs",
        example: "INTERNAL:SASL,CLIENT:SASL",
        accepts: (text) => text.split(",").every((pair) => /^\s*[^:\s]+\s*:\s*\S/.test(pair)),
    },
};

type Units = readonly (readonly [names: RegExp, size: bigint])[];

/** In nanoseconds. */
const durationUnits: Units = [
    [/^(d|days?)$/, 86_400_000_000_000n],
    [/^(h|hours?)$/, 3_600_000_000_000n],
    [/^(m|min|minutes?)$/, 60_000_000_000n],
    [/^(s|secs?|seconds?)$/, 1_000_000_000n],
    [/^(|ms|millis?|milliseconds?)$/, 1_000_000n],
    [/^(us|µs|micros?|microseconds?)$/, 1000n],
    [/^(ns|nanos?|nanoseconds?)$/, 1n],
];
const memoryUnits: Units = [
    [/^(|b|bytes)$/, 1n],
    [/^(k|kb|kibibytes)$/, 2n ** 10n],
    [/^(m|mb|mebibytes)$/, 2n ** 20n],
    [/^(g|gb|gibibytes)$/, 2n ** 30n],
    [/^(t|tb|tebibytes)$/, 2n ** 40n],
];

function isInteger(text: string, min: bigint, max: bigint): boolean {
    return /^-?\d+$/.test(text) && BigInt(text) >= min && BigInt(text) <= max;
}

/** The servers count in 64 bits: bytes, and milliseconds of a duration. What is beyond that they cannot read, or fail with later. */
function hasUnit(text: string, units: Units, most: bigint): boolean {
    const match = /^(\d+)\s*([a-zµ]*)$/.exec(text.toLowerCase());
    const unit = units.find(([names]) => match && names.test(match[2]!));
    return match !== null && unit !== undefined && BigInt(match[1]!) * unit[1] <= most;
}

function enumFault(text: string, values: readonly string[]): ValueFault | undefined {
    if (values.length === 0 || values.includes(text.toLowerCase().replaceAll("-", "_"))) return undefined;
    return { reason: "has no such value", fix: `Use one of: ${values.join(", ")}` };
}
