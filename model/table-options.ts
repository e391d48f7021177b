import { type FlussOption, type FlussVersion, flussOptions } from "./fluss-options.ts";

/**
 * Every `table.*` option of Fluss 0.9 and 1.0, by its real name. What 0.9.1 alters was observed; what 1.0 alters is read
 * from its source (four of them came late, so a vendor's build of 1.0 may still refuse them: the server then rejects
 * the ALTER as a whole and nothing is lost).
 */
export const tableOptions: Readonly<Record<string, FlussOption>> = Object.fromEntries(
    Object.entries(flussOptions).filter(([key]) => key.startsWith("table.")),
);

/**
 * Options of Flink's connector that may stand in WITH: they hold for queries without a hint of their own (Fluss 1.0's source).
 * `client.*` is not among them: SHOW CREATE TABLE mixes it with the catalog's own.
 */
export const connectorOptions: readonly string[] = [
    "scan.startup.mode",
    "scan.startup.timestamp",
    "scan.partition.discovery.interval",
    "scan.split.assignment.batch-size",
    "scan.kv.snapshot.lease.id",
    "scan.kv.snapshot.lease.duration",
    "lookup.async",
    "lookup.insert-if-not-exists",
    "lookup.cache",
    "lookup.partial-cache.expire-after-access",
    "lookup.partial-cache.expire-after-write",
    "lookup.partial-cache.cache-missing-key",
    "lookup.partial-cache.max-rows",
    "lookup.max-retries",
    "sink.ignore-delete",
    "sink.bucket-shuffle",
    "sink.distribution-mode",
    "sink.producer-id",
];

/** Every name that can be told from a misspelt one. */
export const optionNames: readonly string[] = [
    ...Object.keys(tableOptions),
    "auto-increment.fields",
    ...connectorOptions,
];

/** True for a name that Fluss or its connector reads; any other is a custom property, which nobody reads. */
export function isOptionName(key: string): boolean {
    return key.startsWith("table.") || openOption.test(key) || optionNames.includes(key);
}

/** What stands in WITH but for the buckets: options and custom properties. */
export function allOptions(spec: {
    options: Record<string, string>;
    custom?: Record<string, string>;
}): Record<string, string> {
    return { ...spec.options, ...spec.custom };
}

/** The field of the spec that an option belongs into. */
export function optionField(key: string): "options" | "custom" {
    return isOptionName(key) ? "options" : "custom";
}

/** True when ALTER TABLE of that server takes the option. Options outside `table.*` are custom properties: they can change. */
export function isAlterable(key: string, server: FlussVersion): boolean {
    if (fixedConnectorOptions.includes(key)) return false;
    if (!key.startsWith("table.")) return true;
    return tableOptions[key]?.alterable?.includes(server) === true;
}

/** The value that holds for an option: the one set, or the server's default; undefined when the server picks. */
export function effectiveOption(options: Record<string, string>, key: string): string | undefined {
    return options[key] ?? tableOptions[key]?.default;
}

/** True when both values mean the same to the server: `7d` and `168 h`, `TRUE` and `true`. */
export function sameOptionValue(key: string, one: string | undefined, other: string | undefined): boolean {
    if (one === undefined || other === undefined) return one === other;
    return meaning(key, one) === meaning(key, other);
}

/** A duration in milliseconds, in Flink's notation (`30s`, `10 min`, `7d`; a bare number is milliseconds). */
export function parseDuration(text: string): number | undefined {
    const match = /^(\d+)\s*([a-zµ]*)$/.exec(text.trim().toLowerCase());
    const unit = match && durationUnits.find(([names]) => names.test(match[2]!));
    return unit ? Number(match[1]) * unit[1] : undefined;
}

/** Names below these are the table's or the lake's own. */
const openOption = /^(fields|iceberg|paimon|lance|hudi)\./;

/** Connector options that CREATE TABLE takes and ALTER TABLE refuses (observed on 0.9.1; read in the source for 1.0). */
const fixedConnectorOptions = ["bucket.num", "bucket.key", "auto-increment.fields", "bootstrap.servers"];

const durationUnits: [RegExp, number][] = [
    [/^(d|days?)$/, 86_400_000],
    [/^(h|hours?)$/, 3_600_000],
    [/^(m|min|minutes?)$/, 60_000],
    [/^(s|secs?|seconds?)$/, 1000],
    [/^(|ms|millis?|milliseconds?)$/, 1],
    [/^(us|µs|micros?|microseconds?)$/, 1e-3],
    [/^(ns|nanos?|nanoseconds?)$/, 1e-6],
];

function meaning(key: string, value: string): string {
    switch (tableOptions[key]?.type) {
        case "duration":
            return String(parseDuration(value) ?? value);
        case "int":
        case "long":
            return value.trim().replace(/^(-?)0+(?=\d)/, "$1");
        case "boolean":
        case "enum":
            return value.trim().toUpperCase();
        default:
            return value;
    }
}
