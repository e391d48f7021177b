import * as z from "zod";
import { nearest } from "./nearest.ts";

/** One thing that is wrong with an input. The model reports all of them at once, as a {@link FaultsError}. */
export interface Fault {
    /** Where, as written in code: `lake.catalog.warehouse`, `cluster.overrides["data.dir"]`. */
    path: string;
    /** What was given, in short; left out when there was nothing or when the path is that of a secret. */
    value?: string;
    /** Why it cannot work. */
    reason: string;
    /** What to do about it. */
    fix: string;
}

/** Thrown with every fault of an input; the message has one line for each. */
export class FaultsError extends Error {
    readonly faults: readonly Fault[];

    /** `subject` names the input in the first line, e.g. `lake`. */
    constructor(subject: string, faults: readonly Fault[]) {
        const count = faults.length === 1 ? "1 fault" : `${faults.length} faults`;
        super([`${count} in ${subject}:`, ...faults.map((fault) => `- ${faultLine(fault)}`)].join("\n"));
        this.name = "FaultsError";
        this.faults = faults;
    }
}

/** Throws a {@link FaultsError} if there is any fault. */
export function throwFaults(subject: string, faults: readonly Fault[]): void {
    if (faults.length > 0) throw new FaultsError(subject, faults);
}

/** The faults that `act` throws; none when it goes through. Other errors go on. */
export function faultsIn(act: () => unknown): readonly Fault[] {
    try {
        act();
    } catch (error) {
        if (error instanceof FaultsError) return error.faults;
        throw error;
    }
    return [];
}

/**
 * The faults with their paths as the user wrote them.
 * @param names what stands for a path and all below it; of several the longest
 */
export function renamed(faults: readonly Fault[], names: Readonly<Record<string, string>>): Fault[] {
    const longestFirst = Object.keys(names).sort((a, b) => b.length - a.length);
    return faults.map((fault) => {
        const { path } = fault;
        const part = longestFirst.find(
            (name) => path.startsWith(name) && /^(\.|\[|$)/.test(path.slice(name.length)),
        );
        return part === undefined ? fault : { ...fault, path: names[part] + path.slice(part.length) };
    });
}

/** What `act` returns; its faults are thrown under another subject, by the names that the user wrote. */
export function withNames<T>(subject: string, names: Readonly<Record<string, string>>, act: () => T): T {
    try {
        return act();
    } catch (error) {
        if (error instanceof FaultsError) throw new FaultsError(subject, renamed(error.faults, names));
        throw error;
    }
}

/** `path = value: reason. fix`, on one line. */
export function faultLine({ path, value, reason, fix }: Fault): string {
    const what = value === undefined ? path : `${path} = ${value}`;
    return `${what}: ${sentence(reason)} ${sentence(fix)}`.replaceAll(/\s+/g, " ");
}

/** The input as the schema understands it (defaults filled in). Throws a {@link FaultsError} with every fault. */
export function parse<S extends z.ZodType>(schema: S, input: unknown, subject: string): z.output<S> {
    const result = schema.safeParse(input);
    if (!result.success) throw new FaultsError(subject, zodFaults(result.error, input, subject));
    return result.data;
}

/**
 * The issues of a failed zod parse as faults. A refinement gives its fix as `params: { fix }`; for what zod finds by
 * itself the fix is derived from the kind of issue. See {@link strict} for unknown keys.
 */
export function zodFaults(error: z.ZodError, input: unknown, subject: string): Fault[] {
    return error.issues.flatMap((issue): Fault[] => {
        if (issue.code === "unrecognized_keys") {
            return issue.keys.map((key, index) => unknownKey(issue, key, subject, index === 0));
        }
        const path = joinPath(subject, issue.path);
        const given = issue.path.reduce<unknown>(childOf, input);
        return [
            { path, ...shownValue(path, given), reason: reasonOf(issue, given), fix: fixOf(issue, given) },
        ];
    });
}

/** An object schema that refuses unknown keys. `hint` says what to do about one when no known key is like it. */
export function strict<S extends z.ZodRawShape>(shape: S, hint?: string): z.ZodObject<S, z.core.$strict> {
    const known = Object.keys(shape);
    const error = ({ code, keys }: { code?: string; keys?: unknown }): string | undefined => {
        if (code !== "unrecognized_keys" || !Array.isArray(keys)) return undefined;
        const close = keys.map(String).flatMap((key) => nearest(key, known) ?? []);
        if (close.length > 0) return `Did you mean ${close.join(", ")}?`;
        return hint ?? `Use only: ${known.join(", ")}`;
    };
    return z.strictObject(shape, { error });
}

/** `{ value }` for a fault, unless the path is that of a secret or there is nothing short to show. */
export function shownValue(path: string, value: unknown): { value?: string } {
    if (isSecretPath(path) || value === undefined || (typeof value === "object" && value !== null)) return {};
    const text = JSON.stringify(value) ?? String(value);
    return { value: text.length > 80 ? `${text.slice(0, 77)}...` : text };
}

const secretNames = [
    /password|passwd|passphrase|secret|token|credential|kubeconfig|jaas|(access|account|api|shared|private)[._-]?key/i,
    // Short names are whole words at the end, as in `db.pass`, `DB_PASS` and `dbPass`: others only begin or end so.
    /(^|[^A-Za-z])(pass|PASS|pwd)\W*$|[a-z]P(ass|wd)\W*$|_PWD\W*$/,
];

/** Whether the value below this path or option key may be a secret, judged by its name. */
export function isSecretPath(path: string): boolean {
    return secretNames.some((name) => name.test(path));
}

/** `subject` and keys joined as in code: `a.b[0]["c.d"]`. */
export function joinPath(subject: string, keys: readonly PropertyKey[]): string {
    return keys.reduce<string>((path, key) => {
        if (typeof key === "number") return `${path}[${key}]`;
        const name = String(key);
        return /^[A-Za-z_$][\w$]*$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
    }, subject);
}

type Issue = z.core.$ZodIssue;

/** Without the value: an unknown key may be the misspelt name of a secret. */
function unknownKey(issue: Issue, key: string, subject: string, isFirst: boolean): Fault {
    const fix = issue.message.startsWith("Unrecognized key")
        ? "Remove it"
        : hintFor(key, issue.message, isFirst);
    return {
        path: joinPath(subject, [...issue.path, key]),
        reason: `there is no setting "${key}" here`,
        fix,
    };
}

/** Zod has one message for all unknown keys of an object; each is told its own part of it, and a long list once. */
function hintFor(key: string, message: string, isFirst: boolean): string {
    const close = /^Did you mean (.*)\?$/.exec(message)?.[1]?.split(", ");
    if (!close) return isFirst || !message.startsWith("Use only: ") ? message : "Remove it";
    const own = nearest(key, close);
    return own ? `Did you mean ${own}?` : "Remove it";
}

function reasonOf(issue: Issue, given: unknown): string {
    if (issue.code === "invalid_type" && given === undefined) return "is required and missing";
    if (issue.code === "invalid_type") return `must be of type ${issue.expected}, but is ${typeOf(given)}`;
    if (issue.code === "invalid_union" && "options" in issue) {
        return given === undefined ? "is required and missing" : "is none of the kinds that exist here";
    }
    return issue.message;
}

function fixOf(issue: Issue, given: unknown): string {
    if (issue.code === "custom" && typeof issue.params?.fix === "string") return issue.params.fix;
    if (issue.code === "invalid_type") return `Give a value of type ${issue.expected}`;
    const options = optionsOf(issue);
    if (options.length === 0) return "Correct the value";
    const close = typeof given === "string" ? nearest(given, options) : undefined;
    return close ? `Write "${close}"` : `Use one of: ${options.join(", ")}`;
}

function optionsOf(issue: Issue): string[] {
    if (issue.code === "invalid_value") return issue.values.map(String);
    if (issue.code === "invalid_union" && "options" in issue) return (issue.options as unknown[]).map(String);
    return [];
}

function childOf(parent: unknown, key: PropertyKey): unknown {
    if (typeof parent !== "object" || parent === null) return undefined;
    return (parent as Record<PropertyKey, unknown>)[key];
}

function typeOf(value: unknown): string {
    if (value === null) return "null";
    return Array.isArray(value) ? "array" : typeof value;
}

function sentence(text: string): string {
    return /[.!?]$/.test(text) ? text : `${text}.`;
}
