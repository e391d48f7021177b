import * as z from "zod";

/**
 * One field of a storage profile: its form (which also brings a value into the form that the server stores), what a
 * change of it means, and the first server version that knows it. Older servers drop it without a word.
 */
export interface Field<S extends z.ZodType = z.ZodType> {
    schema: S;
    /** `replace`: the server refuses the change, or would lose the data. A function when it depends on the new profile. */
    change: FieldChange | ((wanted: Record<string, unknown>) => FieldChange);
    /** Default: 0.10, the oldest server that is supported. */
    since?: string;
}

export type FieldChange = "replace" | "update";

/** All fields of one kind of storage by the names in programs; the API's names are these with hyphens. */
export type FieldTable = Record<string, Field>;

/** The shape for zod that belongs to a table. */
export function shapeOf<T extends FieldTable>(table: T): { [K in keyof T]: T[K]["schema"] } {
    return Object.fromEntries(Object.entries(table).map(([name, field]) => [name, field.schema])) as {
        [K in keyof T]: T[K]["schema"];
    };
}

/** `stsRoleArn` as the API writes it: `sts-role-arn`. */
export function kebabCase(name: string): string {
    return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Length as the server counts it. */
export function bytes(text: string): number {
    return new TextEncoder().encode(text).length;
}

/** A URL as the server writes it back: lower-case host, no default port, a slash at its end. */
export const httpUrl = z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
        error: "must be an http or https URL",
        abort: true,
    })
    // It is kept in clear.
    .refine((text) => new URL(text).username + new URL(text).password === "", {
        error: "must not hold a user or a password",
    })
    .transform((text) => new URL(text).href);

/** A folder without slashes at its ends; an empty one is none. The server's limit is in bytes. */
export function folder(limit: number) {
    return z
        .string()
        .regex(/^[^\p{Cc}\p{Cs}]*$/u, { error: "must not contain control characters", abort: true })
        .transform((text) => text.trim().replace(/^\/+|\/+$/g, "") || undefined)
        .refine((text) => text === undefined || bytes(text) <= limit, {
            error: `must not be longer than ${limit} bytes`,
        })
        .optional();
}

/** Folders of new tables. `default` is what the server does without one. */
export const storageLayout = {
    schema: z
        .discriminatedUnion("type", [
            z.strictObject({ type: z.literal("default") }),
            z.strictObject({
                type: z.literal("tabular-only"),
                tabular: z.string().refine((template) => template.includes("{uuid}"), {
                    error: "must contain {uuid}, since two tables may have the same name",
                }),
            }),
            z.strictObject({ type: z.literal("full-hierarchy"), namespace: z.string(), tabular: z.string() }),
        ])
        .transform((layout) => (layout.type === "default" ? undefined : layout))
        .optional(),
    change: "update",
    since: "0.12.0",
} satisfies Field;
