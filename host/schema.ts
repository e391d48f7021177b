/** The schema of the provider, from which Pulumi makes SDKs for other languages; made of the resources' own input schemas. */

import * as z from "zod";
import { givenSchema } from "./components/given.ts";
import type { HostedComponent } from "./components/index.ts";
import { configurationSchema, secretSettings } from "./configuration.ts";
import type { HostedType } from "./types.ts";

/** A property or a type of Pulumi's package schema. */
export interface SchemaType {
    type?: "string" | "number" | "integer" | "boolean" | "array" | "object";
    items?: SchemaType;
    additionalProperties?: SchemaType;
    oneOf?: SchemaType[];
    $ref?: string;
    /** Must be known when the program runs: no output of another resource. */
    plain?: boolean;
}

export interface SchemaProperty extends SchemaType {
    description?: string;
    secret?: boolean;
    willReplaceOnChanges?: boolean;
}

export interface ObjectType {
    type: "object";
    properties: Record<string, SchemaProperty>;
    required: string[];
}

/** A resource or a component. */
export interface ResourceSchema {
    description: string;
    isComponent?: boolean;
    inputProperties: Record<string, SchemaProperty>;
    requiredInputs: string[];
    /** Inputs and outputs. */
    properties: Record<string, SchemaProperty>;
    required: string[];
}

/** Pulumi's package schema, as far as it is used here. */
export type PackageSchema = ReturnType<typeof packageSchema>;

/** @param version of this library */
export function packageSchema(
    types: ReadonlyMap<string, HostedType>,
    components: ReadonlyMap<string, HostedComponent>,
    version: string,
) {
    const objects: Record<string, ObjectType> = {};
    const settings = propertiesOf(z.toJSONSchema(configurationSchema) as Json, {
        token: "fluss:index:Provider",
        objects,
        plain: false,
    });
    const resources = [
        ...[...types].map(([token, type]) => [token, resourceOf(type, objects)] as const),
        ...[...components].map(([token, component]) => [token, componentOf(component, objects)] as const),
    ];
    const provider = Object.fromEntries(
        Object.entries(settings.properties).map(([name, property]) => [
            name,
            { ...property, ...((secretSettings as readonly string[]).includes(name) && { secret: true }) },
        ]),
    );
    return {
        name: "fluss",
        displayName: "Apache Fluss on Ververica Platform",
        version,
        description: "Lakekeeper, Ververica Platform 3 and Apache Fluss tables as resources",
        license: "Apache-2.0",
        language: {
            python: { packageName: "pulumi_fluss", pyproject: { enabled: true } },
            nodejs: { packageName: "pulumi-fluss-resources" },
        },
        config: { variables: provider },
        provider: { inputProperties: provider },
        resources: Object.fromEntries(resources) as Record<string, ResourceSchema>,
        types: objects,
    };
}

function resourceOf(
    { token, hosted, outputs, secrets }: HostedType,
    objects: Record<string, ObjectType>,
): ResourceSchema {
    const { kind, inputs, fields } = hosted.definition;
    const { properties, required } = propertiesOf(jsonSchemaOf(inputs), { token, objects, plain: false });
    const noted = Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [
            name,
            {
                ...property,
                ...(secrets.includes(name) && { secret: true }),
                ...(fields[name] === "replace" && { willReplaceOnChanges: true }),
            },
        ]),
    );
    const added = outputs
        .filter((name) => !(name in properties))
        .map((name) => [name, { ...anything, ...(secrets.includes(name) && { secret: true }) }]);
    return {
        description: `${kind}.`,
        inputProperties: noted,
        requiredInputs: required,
        properties: { ...noted, ...Object.fromEntries(added) },
        required,
    };
}

function componentOf(
    { token, description, inputs, outputs }: HostedComponent,
    objects: Record<string, ObjectType>,
): ResourceSchema {
    const { properties, required } = propertiesOf(jsonSchemaOf(inputs), { token, objects, plain: true });
    return {
        description,
        isComponent: true,
        inputProperties: properties,
        requiredInputs: required,
        properties: outputs,
        required: [],
    };
}

interface Place {
    token: string;
    objects: Record<string, ObjectType>;
    /** Whether a value there must be known when the program runs. */
    plain: boolean;
}

/** The part of JSON Schema that the inputs' schemas come to. */
interface Json {
    type?: string;
    description?: string;
    const?: unknown;
    enum?: unknown[];
    properties?: Record<string, Json>;
    required?: string[];
    items?: Json;
    additionalProperties?: Json | boolean;
    oneOf?: Json[];
    anyOf?: Json[];
    /** It may be an output of another resource, although it belongs to a component. */
    given?: true;
}

const anything: SchemaType = { $ref: "pulumi.json#/Any" };

/** What a program may write; of what is read from the environment before, the form that it has afterwards. */
function jsonSchemaOf(schema: z.ZodType): Json {
    return z.toJSONSchema(schema, {
        io: "input",
        unrepresentable: "any",
        reused: "inline",
        cycles: "ref",
        override({ zodSchema, jsonSchema }) {
            const given = givenSchema(zodSchema);
            if (given) Object.assign(jsonSchema, jsonSchemaOf(given), { given: true });
            const { def } = zodSchema._zod;
            if (def.type !== "pipe") return;
            const { in: before, out: after } = def as z.core.$ZodPipeDef;
            if (before._zod.def.type !== "transform") return;
            for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
            Object.assign(jsonSchema, jsonSchemaOf(after as z.ZodType));
        },
    }) as Json;
}

function propertiesOf({ properties = {}, required = [] }: Json, place: Place): Omit<ObjectType, "type"> {
    const made = Object.entries(properties).map(([name, json]): [string, SchemaProperty] => {
        const type = typeOf(json, { ...place, token: place.token + pascal(name) });
        return [name, json.description ? { ...type, description: json.description } : type];
    });
    return { properties: Object.fromEntries(made), required };
}

function typeOf(json: Json, around: Place): SchemaType {
    const place = json.given ? { ...around, plain: false } : around;
    const type = formOf(json, place);
    return place.plain ? { ...type, plain: true } : type;
}

function formOf(json: Json, place: Place): SchemaType {
    const choices = json.oneOf ?? json.anyOf;
    if (choices) return oneOf(choices, place);
    if (typeof json.const === "string" || json.enum?.every((value) => typeof value === "string")) {
        return { type: "string" };
    }
    switch (json.type) {
        case "string":
        case "number":
        case "integer":
        case "boolean":
            return { type: json.type };
        case "array":
            return {
                type: "array",
                items: typeOf(json.items ?? {}, { ...place, token: `${place.token}Item` }),
            };
        case "object":
            return json.properties ? objectOf(json, place) : mapOf(json, place);
        default:
            return anything;
    }
}

function objectOf(json: Json, place: Place): SchemaType {
    place.objects[place.token] = { type: "object", ...propertiesOf(json, place) };
    return { $ref: `#/types/${place.token}` };
}

function mapOf({ additionalProperties }: Json, place: Place): SchemaType {
    if (typeof additionalProperties !== "object") return { type: "object", additionalProperties: anything };
    const values = typeOf(additionalProperties, { ...place, token: `${place.token}Value` });
    return { type: "object", additionalProperties: values };
}

/** One of several forms; each form that is an object has the name of what tells it apart (`type: "s3"`). */
function oneOf(choices: Json[], place: Place): SchemaType {
    const types = choices.map((choice, index) => {
        const tag = Object.values(choice.properties ?? {}).find(
            ({ const: value }) => typeof value === "string",
        );
        const suffix = tag ? pascal(String(tag.const)) : choice.properties ? `Form${index + 1}` : "";
        return typeOf(choice, { ...place, token: place.token + suffix });
    });
    const different = [...new Map(types.map((type) => [JSON.stringify(type), type])).values()];
    if (different.some(({ $ref }) => $ref === anything.$ref)) return anything;
    return different.length === 1 ? different[0]! : { oneOf: different };
}

function pascal(name: string): string {
    return name
        .split(/[^A-Za-z0-9]+/)
        .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
        .join("");
}
