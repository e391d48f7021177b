import {
    holdsUnknown,
    isNote,
    isObject,
    type Properties,
    unknownValue,
    type Value,
} from "../../host/values.ts";
import type { Failure, ResourceType } from "./resource-type.ts";
import type { Members, Shape } from "./sdk-inputs.ts";

/** All faults of a resource's inputs against the SDK's types and against what the stand-in can do. */
export function inputFailures<Context>(
    type: ResourceType<Context>,
    members: Members,
    inputs: Properties,
): Failure[] {
    const failures = objectFailures("", members, inputs, type.token);
    for (const name of Object.keys(inputs)) {
        if (!isNote(name) && members.has(name) && !type.inputs.includes(name)) {
            failures.push({ property: name, reason: `the stand-in for ${type.token} cannot do '${name}'` });
        }
    }
    if (failures.length > 0 || !type.validate) return failures;
    const known = Object.fromEntries(Object.entries(inputs).filter(([, value]) => !holdsUnknown(value)));
    return type.validate(known);
}

/** Faults of an object against the members that its type declares; names start with `path`. */
export function objectFailures(path: string, members: Members, value: Properties, owner: string): Failure[] {
    const failures: Failure[] = [];
    for (const [name, entry] of Object.entries(value)) {
        if (isNote(name)) continue;
        const member = members.get(name);
        const property = path === "" ? name : `${path}.${name}`;
        if (member) failures.push(...valueFailures(property, member.shape, entry));
        else failures.push({ property, reason: `${owner} has no input '${name}'` });
    }
    for (const [name, { required }] of members) {
        if (required && (value[name] ?? null) === null) {
            failures.push({ property: path === "" ? name : `${path}.${name}`, reason: "is required" });
        }
    }
    return failures;
}

function valueFailures(property: string, shape: Shape, value: Value): Failure[] {
    if (value === null || value === unknownValue) return [];
    switch (shape.kind) {
        case "any":
            return [];
        case "string":
        case "number":
        case "boolean":
            return typeof value === shape.kind ? [] : [mismatch(property, shape, value)];
        case "list":
            if (!Array.isArray(value)) return [mismatch(property, shape, value)];
            return value.flatMap((entry, index) => valueFailures(`${property}[${index}]`, shape.of, entry));
        case "map":
            if (!isObject(value)) return [mismatch(property, shape, value)];
            return Object.entries(value).flatMap(([key, entry]) =>
                valueFailures(`${property}.${key}`, shape.of, entry),
            );
        case "object":
            if (!isObject(value)) return [mismatch(property, shape, value)];
            return objectFailures(property, shape.members(), value, shape.name);
        case "oneOf":
            return alternativeFailures(property, shape.of, value);
    }
}

/** The value has to fit one alternative; the faults told are those of the alternative of its own kind. */
function alternativeFailures(property: string, alternatives: Shape[], value: Value): Failure[] {
    const attempts = alternatives.map((shape) => valueFailures(property, shape, value));
    if (attempts.some((failures) => failures.length === 0)) return [];
    const sameKind = attempts.find((failures) => failures.some((failure) => failure.property !== property));
    const expected = alternatives.map(describe).join(" or ");
    return sameKind ?? [{ property, reason: `must be ${expected}, not ${kindOf(value)}` }];
}

/** Names kinds only: the value may be a secret. */
function mismatch(property: string, shape: Shape, value: Value): Failure {
    return { property, reason: `must be ${describe(shape)}, not ${kindOf(value)}` };
}

function describe(shape: Shape): string {
    switch (shape.kind) {
        case "list":
            return "a list";
        case "map":
        case "object":
            return "an object";
        case "oneOf":
            return shape.of.map(describe).join(" or ");
        case "any":
            return "any value";
        default:
            return `a ${shape.kind}`;
    }
}

function kindOf(value: Value): string {
    if (Array.isArray(value)) return "a list";
    return isObject(value) ? "an object" : `a ${typeof value}`;
}
