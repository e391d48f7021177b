import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { issueFix, issueReason } from "../model/faults.ts";
import { nearest } from "../model/nearest.ts";
import { hasUnknown } from "./unknown.ts";

/**
 * A resource of a remote API, told apart from whoever hosts it: its inputs, what a change of each of them means,
 * and the calls. `hosted()` makes of it what Pulumi's dynamic provider process runs.
 *
 * @typeParam I the inputs as the schema yields them
 * @typeParam O what the API adds: ids, observed state. `create` and `update` return it; inputs are kept beside it
 */
export interface ResourceDefinition<I extends object, O extends object> {
    /** What it is, for errors: "Lakekeeper warehouse". */
    kind: string;
    /** Checks and normalises the inputs. Each top-level field is also checked alone, while others are unknown. */
    inputs: z.ZodObject & z.ZodType<I>;
    /**
     * What a changed input does. `replace`: a new object (the old one is deleted first). `update`: `update` is
     * called. `ignore`: nothing, for what says how to reach the API and not what the object is. A function decides
     * by the values, for an input of which only a part makes another object.
     */
    fields: { [K in keyof Required<I>]: Effect | ((change: Change<I[K]>) => Effect) };
    /**
     * False when the new object can stand beside the old one: it is made first, so that what uses the old one never
     * misses it. A function decides by the names of the inputs that make another object. Default: the old one is deleted first.
     */
    deleteBeforeReplace?: boolean | ((replaces: readonly string[]) => boolean);
    /**
     * Inputs that hold a secret, also when it lies deeper. A refresh gives them back as they were, whatever `read` says; the
     * engine then keeps encrypted what was (Pulumi 3.270 observed). Left out, each would look like a new one beside a change.
     */
    secretInputs?: readonly (keyof I)[];
    /**
     * Inputs that `review` makes of others and `read` gives back: they are not kept a second time among the outputs, since the
     * engine writes the whole state anew at each step. What they hold is not in the `state` that the calls get.
     */
    derivedInputs?: readonly (keyof I)[];
    /**
     * Sees old and new inputs in a preview: the place to refuse a change and to fill an input that says what will
     * happen. Values may be unknown (see `known`).
     */
    review?(review: Review<I>, context: Context): ReviewResult<I> | Promise<ReviewResult<I>>;
    /** What else than an input can demand an update, for example a job that no longer runs. */
    needsUpdate?(state: I & O, inputs: I): boolean;
    create(inputs: I, context: Context): Promise<{ id: string; outputs: O }>;
    /**
     * What the API holds now, or undefined when the object is gone.
     * `inputs` holds those that were found different, so that a refresh shows the drift.
     */
    read(
        id: string,
        state: I & O,
        context: Context,
    ): Promise<{ inputs?: Partial<I>; outputs: O } | undefined>;
    update?(id: string, state: I & O, inputs: I, context: Context): Promise<O>;
    delete(id: string, state: I & O, context: Context): Promise<void>;
}

export type Effect = "replace" | "update" | "ignore";

/** Both values of one input. In a preview the new one may be unknown, or hold an unknown. */
export interface Change<V> {
    old: V | undefined;
    new: V | undefined;
}

export interface Review<I> {
    /** The inputs of the last update; undefined when the resource is new. */
    old: I | undefined;
    new: I;
    /** False while the value, or anything inside it, is unknown in this preview. */
    known(...fields: (keyof I)[]): boolean;
}

export interface ReviewResult<I> {
    /** Why this cannot be done; the preview fails with all of them. */
    faults?: string[];
    /** What people should know although it can be done; shown in the preview. Never put a secret in. */
    warnings?: string[];
    /** Inputs that the program does not set: kept in the state and shown in the preview. */
    inputs?: Partial<I>;
}

/** What a call may ask of the stack. It is the same object during one run of the engine, and another one in the next. */
export interface Context {
    /** A value of the stack's configuration, for example `pulumi-fluss:vvpToken`. Secrets come decrypted. */
    config(key: string): string | undefined;
}

/**
 * The object exists, but it is not as asked: `create` and `update` throw it. What is known is kept in the state, the
 * run fails with the reason, and the next `up` continues with `update`.
 */
export class PartialCreateError extends Error {
    override readonly name = "PartialCreateError";
    readonly id: string;
    readonly outputs: object;

    constructor(id: string, outputs: object, reason: string) {
        super(reason);
        this.id = id;
        this.outputs = outputs;
    }
}

/** What Pulumi's dynamic provider process calls. Values are plain JSON; secrets are in clear. */
export interface Hosted {
    /** What the calls are made of, for a host that describes the resource to others. */
    readonly definition: Described;
    configure(request: { config: { get(key: string): string | undefined } }): Promise<void>;
    check(
        olds: Bag | undefined,
        news: Bag,
    ): Promise<{ inputs: Bag; failures: { property: string; reason: string }[] }>;
    diff(
        id: string,
        olds: Bag,
        news: Bag,
    ): Promise<{ changes: boolean; replaces: string[]; deleteBeforeReplace: boolean }>;
    create(inputs: Bag): Promise<{ id: string; outs: Bag }>;
    read(id: string, props: Bag): Promise<{ id?: string; props?: Bag; inputs?: Bag }>;
    update(id: string, olds: Bag, news: Bag): Promise<{ outs: Bag }>;
    delete(id: string, props: Bag): Promise<void>;
}

/** The part of a definition that says what a resource is. */
export interface Described {
    readonly kind: string;
    readonly inputs: z.ZodObject;
    readonly fields: Readonly<Record<string, unknown>>;
    readonly secretInputs?: readonly string[];
}

type Bag = Record<string, unknown>;

/** Makes of a definition what the dynamic provider process runs. */
export function hosted<I extends object, O extends object>(definition: ResourceDefinition<I, O>): Hosted {
    let context: Context = { config: () => undefined };
    const fieldNames = Object.keys(definition.fields) as (keyof I & string)[];
    const derived = new Set<string>(definition.derivedInputs as readonly string[] | undefined);
    /** As the state keeps it among the outputs. */
    const recorded = (value: object) =>
        jsonClean(Object.fromEntries(Object.entries(value).filter(([key]) => !derived.has(key))));

    const methods: Omit<Hosted, "definition"> = {
        async configure(request) {
            // The engine says it once a run: what is remembered for a run hangs on this object.
            context = { config: (key) => request.config.get(key) };
        },

        async check(olds, news) {
            const { inputs, faults } = parseKnown(definition, news);
            if (faults.length === 0 && definition.review) {
                const known = olds && Object.keys(olds).length > 0;
                const review = {
                    old: known ? (olds as I) : undefined,
                    // As the state will hold them, so that both can be compared.
                    new: jsonClean(inputs) as I,
                    known: (...fields: (keyof I)[]) =>
                        !fields.some((field) => hasUnknown((inputs as I)[field])),
                };
                const reviewed = await definition.review(review, context);
                faults.push(...(reviewed.faults ?? []));
                Object.assign(inputs, reviewed.inputs);
                for (const warning of reviewed.warnings ?? []) {
                    console.warn(`warning: ${definition.kind}: ${warning}`);
                }
            }
            // Without a property name the engine does not print the value, which may be long or secret.
            const failures = faults.map((fault) => ({
                property: "",
                reason: `${definition.kind}: ${fault}`,
            }));
            return { inputs: jsonClean(inputs), failures };
        },

        async diff(_id, olds, news) {
            const effects = fieldNames
                .filter((field) => !isDeepStrictEqual(olds[field], news[field]))
                .map((field) => ({ field, effect: effectOf(definition, field, olds, news) }));
            const replaces = effects.filter(({ effect }) => effect === "replace").map(({ field }) => field);
            const changed = effects.some(({ effect }) => effect !== "ignore");
            const drifted = !hasUnknown(news) && definition.needsUpdate?.(olds as I & O, news as I);
            const { deleteBeforeReplace: first = true } = definition;
            return {
                changes: changed || drifted === true,
                replaces,
                deleteBeforeReplace: typeof first === "function" ? first(replaces) : first,
            };
        },

        async create(inputs) {
            const wanted = parseAll(definition, inputs);
            try {
                const { id, outputs } = await definition.create(wanted, context);
                return { id, outs: recorded({ ...wanted, ...outputs }) };
            } catch (error) {
                throw asRecorded(error, recorded(wanted), inputs);
            }
        },

        async read(id, props) {
            const found = await definition.read(id, props as I & O, context);
            if (!found) return {};
            const secret = new Set<string>(definition.secretInputs as readonly string[] | undefined);
            const seen = Object.entries(found.inputs ?? {}).filter(([key]) => !secret.has(key));
            const inputs = Object.fromEntries(
                Object.entries({ ...props, ...Object.fromEntries(seen) }).filter(([key]) =>
                    fieldNames.includes(key as keyof I & string),
                ),
            );
            return {
                id,
                props: recorded({ ...props, ...found.inputs, ...found.outputs }),
                inputs: { ...jsonClean(inputs), __provider: props.__provider },
            };
        },

        async update(id, olds, news) {
            const wanted = parseAll(definition, news);
            const kept = { ...keepOutputs(olds, fieldNames), ...wanted };
            try {
                const outputs = await definition.update?.(id, olds as I & O, wanted, context);
                return { outs: recorded({ ...kept, ...outputs }) };
            } catch (error) {
                throw asRecorded(error, recorded(kept), news);
            }
        },

        async delete(id, props) {
            await definition.delete(id, props as I & O, context);
        },
    };
    return { definition: definition as unknown as Described, ...withoutStacks(methods) };
}

/**
 * Pulumi's provider process prints the stack of an error beside its message. People can use the message; the stack is
 * kept for mistakes of the code alone, where it says where.
 */
function withoutStacks(methods: Omit<Hosted, "definition">): Omit<Hosted, "definition"> {
    const brief =
        <A extends unknown[], R>(method: (...args: A) => Promise<R>) =>
        async (...args: A): Promise<R> => {
            try {
                return await method(...args);
            } catch (error) {
                if (error instanceof Error && !mistakes.some((kind) => error instanceof kind))
                    error.stack = "";
                throw error;
            }
        };
    return {
        configure: brief(methods.configure),
        check: brief(methods.check),
        diff: brief(methods.diff),
        create: brief(methods.create),
        read: brief(methods.read),
        update: brief(methods.update),
        delete: brief(methods.delete),
    };
}

const mistakes = [TypeError, ReferenceError, RangeError, SyntaxError];

function effectOf<I extends object, O extends object>(
    definition: ResourceDefinition<I, O>,
    field: keyof I & string,
    olds: Bag,
    news: Bag,
): Effect {
    const effect = definition.fields[field];
    if (typeof effect !== "function") return effect;
    return effect({ old: olds[field] as I[typeof field], new: news[field] as I[typeof field] });
}

/** What the engine takes as "made, but not as asked"; any other error stays as it is. */
function asRecorded(error: unknown, kept: object, inputs: Bag): unknown {
    if (!(error instanceof PartialCreateError)) return error;
    return Object.assign(new Error(error.message), {
        id: error.id,
        properties: { ...jsonClean({ ...kept, ...error.outputs }), __provider: inputs.__provider },
        reasons: [error.message],
    });
}

/** Parses what is known; an unknown field stays as it is and is checked once its value is there. */
function parseKnown<I extends object, O extends object>(
    definition: ResourceDefinition<I, O>,
    news: Bag,
): { inputs: Bag; faults: string[] } {
    const { __provider: _, ...given } = news;
    if (!hasUnknown(given)) {
        const parsed = definition.inputs.safeParse(given);
        return parsed.success
            ? { inputs: parsed.data as Bag, faults: [] }
            : {
                  inputs: given,
                  faults: parsed.error.issues.map((issue) => describeIssue(issue, given, definition)),
              };
    }
    const inputs: Bag = {};
    const faults: string[] = [];
    const shape = definition.inputs.shape as Record<string, z.ZodType>;
    for (const [key, schema] of Object.entries(shape)) {
        if (hasUnknown(given[key])) {
            inputs[key] = given[key];
            continue;
        }
        const parsed = schema.safeParse(given[key]);
        if (parsed.success) inputs[key] = parsed.data;
        else
            faults.push(
                ...parsed.error.issues.map((issue) =>
                    describeIssue({ ...issue, path: [key, ...issue.path] }, given, definition),
                ),
            );
    }
    for (const key of Object.keys(given)) if (!(key in shape)) faults.push(noSuchArgument(key, definition));
    return { inputs, faults };
}

function parseAll<I extends object, O extends object>(definition: ResourceDefinition<I, O>, inputs: Bag): I {
    const { __provider: _, ...given } = inputs;
    const parsed = definition.inputs.safeParse(given);
    if (parsed.success) return parsed.data;
    const faults = parsed.error.issues.map((issue) => describeIssue(issue, given, definition));
    throw new Error(`${definition.kind}: ${faults.join("\n")}`);
}

function describeIssue(issue: z.core.$ZodIssue, given: Bag, definition: { inputs: z.ZodObject }): string {
    if (issue.code === "unrecognized_keys" && Array.isArray(issue.keys)) {
        const names = issue.keys.map((key) => [...issue.path, key].map(String).join("."));
        if (/^Unrecognized key/.test(issue.message)) {
            const isTop = issue.path.length === 0;
            return names
                .map((name) =>
                    isTop ? noSuchArgument(name, definition) : `${name}: there is no such argument`,
                )
                .join("\n");
        }
        // The message only says what to write instead.
        return `${names.join(", ")}: there is no such argument. ${issue.message}`;
    }
    if (issue.path.length === 0) return issue.message;
    // The engine turns what a program left out into null.
    const value =
        issue.path.reduce<unknown>((at, key) => (at as Bag | undefined)?.[String(key)], given) ?? undefined;
    const reason = `${issue.path.map(String).join(".")}: ${issueReason(issue, value)}${givenName(issue.path, given)}`;
    const fix = issueFix(issue, value);
    // A schema's own text says what to do, unless the fix stands beside it.
    const isWhole =
        reason.includes(issue.message) && (issue.code !== "custom" || issue.params?.["fix"] !== fix);
    return isWhole ? reason : `${reason}. ${fix}`;
}

/** With the argument that is meant: one like it, or one of which it is the long or the short form. */
function noSuchArgument(key: string, { inputs }: { inputs: z.ZodObject }): string {
    const names = Object.keys(inputs.shape);
    const isForm = (name: string) => name.length > 4 && (key.startsWith(name) || name.startsWith(key));
    const meant = nearest(key, names) ?? (key.length > 4 ? names.find(isForm) : undefined);
    return `${key}: there is no such argument${meant === undefined ? "" : `. Did you mean ${meant}?`}`;
}

/** What was given, for a name: a program may have put it together. Other values may be secrets. */
function givenName(path: PropertyKey[], given: Bag): string {
    if (!/^(name|namespace|warehouse|workspace)$|[a-z](Name|Namespace)$/.test(String(path.at(-1)))) return "";
    const value = path.reduce<unknown>((at, key) => (at as Bag | undefined)?.[String(key)], given);
    return typeof value === "string" && value.length <= 300 ? `; it is ${JSON.stringify(value)}` : "";
}

function keepOutputs(state: Bag, fieldNames: readonly string[]): Bag {
    return Object.fromEntries(
        Object.entries(state).filter(([key]) => !fieldNames.includes(key) && key !== "__provider"),
    );
}

/**
 * Only plain JSON may go back to Pulumi: anything else fails after the object was made, and orphans it.
 * An undefined field is left out.
 */
function jsonClean(value: object): Bag {
    return JSON.parse(JSON.stringify(value)) as Bag;
}
