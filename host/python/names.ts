/** Names, values and types of the schema as Python writes them. */

import type { SchemaProperty, SchemaType } from "../schema.ts";

/** `keyPrefix` is `key_prefix`, and `from` is `from_`. */
export function identifier(name: string): string {
    const snake = name
        .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
        .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
        .replaceAll(/[^A-Za-z0-9_]/g, "_")
        .toLowerCase();
    return keywords.has(snake) ? `${snake}_` : snake;
}

/** `fluss:lakekeeper:WarehouseStorageS3` is the class `WarehouseStorageS3` in the module of its resource. */
export function typeName(token: string): string {
    return token.split(":")[2]!;
}

/** The type of an argument. What a component is built by must be known when the program runs, and is no output. */
export function annotation(property: SchemaProperty): string {
    const known = argumentType(property);
    return property.plain ? known : `pulumi.Input[${known}]`;
}

/** The type of an output's value. Objects come back with the names that they have on the platforms. */
export function outputAnnotation({ type }: SchemaType): string {
    if (type === "array") return "Sequence[Any]";
    if (type === "object") return "Mapping[str, Any]";
    return (type && scalars[type]) ?? "Any";
}

/** A value of JSON as an expression of Python. */
export function literal(value: unknown): string {
    if (value === null || value === undefined) return "None";
    if (typeof value === "boolean") return value ? "True" : "False";
    if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
    if (typeof value !== "object") return JSON.stringify(value);
    const entries = Object.entries(value).map(([key, entry]) => `${JSON.stringify(key)}: ${literal(entry)}`);
    return `{${entries.join(", ")}}`;
}

/** The lines of a documentation string. */
export function docstring(text: string[]): string[] {
    const safe = text.join("\n").replaceAll("\\", "\\\\").replaceAll('"""', '\\"\\"\\"').split("\n");
    return safe.length === 1 ? [`"""${safe[0]}"""`] : [`"""${safe[0]}`, ...safe.slice(1), '"""'];
}

function argumentType({ type, items, additionalProperties, oneOf, $ref }: SchemaType): string {
    if (oneOf) return [...new Set(oneOf.map(argumentType))].join(" | ");
    if ($ref) return $ref.startsWith("#/types/") ? typeName($ref) : "Any";
    if (type === "array") return `Sequence[${annotation(items ?? {})}]`;
    if (type === "object") return `Mapping[str, ${annotation(additionalProperties ?? {})}]`;
    return (type && scalars[type]) ?? "Any";
}

const scalars: Record<string, string> = { string: "str", number: "float", integer: "int", boolean: "bool" };

const keywords = new Set(
    (
        "and as assert async await break class continue def del elif else except finally for from global if import in is " +
        "lambda nonlocal not or pass raise return try while with yield"
    ).split(" "),
);
