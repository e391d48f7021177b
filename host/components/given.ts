/** Arguments of components as they come from other languages: plain values, and outputs where a component takes them. */

import * as z from "zod";
import { type Fault, issueFix, issueReason, zodFaults } from "../../model/faults.ts";

/** What stands for an argument that may be an output of another resource, whole or in parts. */
export function given<S extends z.ZodType>(schema: S): z.ZodType {
    const held = z.unknown().superRefine((value, context) => {
        for (const issue of schema.safeParse(value).error?.issues ?? []) {
            const found = childAt(value, issue.path);
            const isOpen = isOutput(found) || (issue.code !== "unrecognized_keys" && holdsOutput(found));
            if (isOpen) continue;
            const params = { fix: issueFix(issue, found) };
            context.addIssue({
                code: "custom",
                path: issue.path,
                message: issueReason(issue, found),
                params,
            });
        }
    });
    schemas.set(held, schema);
    return held;
}

/** The schema of what {@link given} made; undefined for any other. */
export function givenSchema(schema: z.core.$ZodType): z.ZodType | undefined {
    return schemas.get(schema);
}

/** Everything that is wrong with the arguments of a component. Outputs count as right where the schema lets them be. */
export function argumentFaults(schema: z.ZodType, args: Record<string, unknown>): Fault[] {
    const { error } = schema.safeParse(args);
    if (!error) return [];
    const told = new Set<string>();
    return error.issues.flatMap((issue) => {
        if (isOutput(childAt(args, issue.path))) {
            const path = issue.path.join(".");
            // A text that must not be empty finds two faults in an output.
            if (told.has(path)) return [];
            told.add(path);
            return [
                {
                    path,
                    reason: "is an output of another resource, or a secret, and what is made depends on it",
                    fix: "Give a value that the program knows when it starts",
                },
            ];
        }
        return zodFaults(new z.ZodError([issue]), args, "").map((fault) => ({
            ...fault,
            path: fault.path.replace(/^\./, "") || "arguments",
        }));
    });
}

const schemas = new WeakMap<z.core.$ZodType, z.ZodType>();

function childAt(value: unknown, path: PropertyKey[]): unknown {
    return path.reduce<unknown>(
        (parent, key) =>
            isObject(parent) && !isOutput(parent) ? (parent as Record<PropertyKey, unknown>)[key] : parent,
        value,
    );
}

function holdsOutput(value: unknown): boolean {
    return isOutput(value) || (isObject(value) && Object.values(value).some(holdsOutput));
}

/** By the mark of Pulumi's SDK, which is not loaded before it is needed. */
function isOutput(value: unknown): boolean {
    return isObject(value) && (value as { __pulumiOutput?: boolean }).__pulumiOutput === true;
}

function isObject(value: unknown): value is object {
    return typeof value === "object" && value !== null;
}
