/** Where in a value the names are ours, which Python spells otherwise, and where they are the program's own. */

import type { ObjectType, SchemaType } from "../schema.ts";
import { identifier } from "./names.ts";

/** What a value can hold that has names to change; several parts where a value has several forms. */
export interface Shape {
    /** Name on the wire, and the shape of what it names, by the name in Python. */
    fields?: Record<string, [wire: string, shape: Shape | null]>;
    items?: Shape;
    /** Of a map, whose keys stay as they are. */
    values?: Shape;
}

/** Shape of an object with these properties; undefined when nothing in it has another name in Python. */
export function shapeOfFields(
    properties: Record<string, SchemaType>,
    types: Record<string, ObjectType>,
): Shape | undefined {
    const fields = Object.entries(properties).flatMap(([name, type]) => {
        const shape = shapeOf(type, types);
        const python = identifier(name);
        return python === name && !shape ? [] : [[python, [name, shape ?? null]] as const];
    });
    return fields.length > 0
        ? { fields: Object.fromEntries(fields) as Required<Shape>["fields"] }
        : undefined;
}

function shapeOf(type: SchemaType, types: Record<string, ObjectType>): Shape | undefined {
    if (type.oneOf) return type.oneOf.map((form) => shapeOf(form, types)).reduce(merged, undefined);
    const named = type.$ref && types[type.$ref.replace("#/types/", "")];
    if (named) return shapeOfFields(named.properties, types);
    const items = type.items && shapeOf(type.items, types);
    if (items) return { items };
    const values = type.additionalProperties && shapeOf(type.additionalProperties, types);
    return values && { values };
}

function merged(one: Shape | undefined, other: Shape | undefined): Shape | undefined {
    if (!one || !other) return one ?? other;
    const fields = { ...one.fields };
    for (const [python, [wire, shape]] of Object.entries(other.fields ?? {})) {
        fields[python] = [wire, merged(fields[python]?.[1] ?? undefined, shape ?? undefined) ?? null];
    }
    const items = merged(one.items, other.items);
    const values = merged(one.values, other.values);
    return {
        ...(Object.keys(fields).length > 0 ? { fields } : {}),
        ...(items ? { items } : {}),
        ...(values ? { values } : {}),
    };
}
