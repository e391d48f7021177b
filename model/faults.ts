import * as z from "zod";
import { nearest } from "./nearest.ts";
import { withoutLogin } from "./url.ts";

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

/** What all of them return; throws the faults of all at once. */
export function together<T extends Record<string, unknown>>(
    subject: string,
    acts: { [K in keyof T]: () => T[K] },
): T {
    const found: Partial<T> = {};
    const faults = Object.keys(acts).flatMap((name) =>
        faultsIn(() => {
            found[name as keyof T] = acts[name]!();
        }),
    );
    throwFaults(subject, faults);
    return found as T;
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
    const what = value === undefined ? path : `${path} = ${withoutLogin(value)}`;
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
            {
                path,
                ...shownValue(path, given),
                reason: issueReason(issue, given),
                fix: issueFix(issue, given),
            },
        ];
    });
}

/** An object schema that refuses unknown keys. `hint` says what to do about one when no known key is like it. */
export function strict<S extends z.ZodRawShape>(shape: S, hint?: string): z.ZodObject<S, z.core.$strict> {
    const known = Object.keys(shape);
    const error = ({ code, keys }: { code?: string; keys?: unknown }): string | undefined => {
        if (code === "invalid_type") return `${giveObject}${known.join(", ")}`;
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
    const shown = typeof value === "string" ? withoutLogin(value) : value;
    const text = JSON.stringify(shown) ?? String(shown);
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

/** Why the value that was given there cannot work: a schema's own words, else ours for those of zod. */
export function issueReason(issue: Issue, given: unknown): string {
    if (!ofZod.test(issue.message) && !issue.message.startsWith(giveObject)) return issue.message;
    const isChoice = optionsOf(issue).length > 0;
    if (given === undefined && (isChoice || issue.code === "invalid_type")) return "is required and missing";
    if (issue.code === "invalid_type") return `must be of type ${issue.expected}, but is ${typeOf(given)}`;
    if (isChoice) {
        return `is none of the ${issue.code === "invalid_value" ? "values" : "kinds"} that exist here`;
    }
    if (issue.code === "too_small")
        return bound(issue.origin, issue.minimum, issue.inclusive, "more", "at least");
    if (issue.code === "too_big")
        return bound(issue.origin, issue.maximum, issue.inclusive, "less", "at most");
    return issue.message;
}

/** What to do about it; see {@link issueReason}. */
export function issueFix(issue: Issue, given: unknown): string {
    if (issue.code === "custom" && typeof issue.params?.fix === "string") return issue.params.fix;
    if (issue.code === "invalid_type") {
        return issue.message.startsWith(giveObject)
            ? issue.message
            : `Give a value of type ${issue.expected}`;
    }
    const options = optionsOf(issue);
    if (options.length === 0) return "Correct the value";
    const close = typeof given === "string" ? nearest(given, options) : undefined;
    return close ? `Write "${close}"` : `Use one of: ${options.join(", ")}`;
}

const giveObject = "Give an object with ";

/** How zod begins what no schema has words for. */
const ofZod = /^(Invalid (input|option|discriminator)|Too (small|big))\b/;

function bound(
    origin: string,
    limit: number | bigint,
    inclusive: boolean | undefined,
    side: string,
    count: string,
): string {
    if (origin === "string" || origin === "array") {
        if (side === "more" && Number(limit) === 1) return "is empty";
        return `must have ${count} ${limit} ${origin === "string" ? "characters" : "entries"}`;
    }
    return inclusive === false ? `must be ${side} than ${limit}` : `must be ${limit} or ${side}`;
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
