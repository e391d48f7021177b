/** The package `pulumi_fluss` for Python programs, written from the schema of the provider. */

import type { ObjectType, PackageSchema, ResourceSchema } from "../schema.ts";
import { annotation, docstring, identifier, literal, outputAnnotation, typeName } from "./names.ts";
import { shapeOfFields } from "./shapes.ts";
import { wireModule } from "./wire.ts";

/** The first line of each module: what begins with it was written by some release of this library. */
export const header = "# Written by `pulumi-fluss python-sdk`; changes are lost when it is written anew.\n";

/** Texts of the files, by their paths in the folder of the package. */
export function pythonPackage(schema: PackageSchema): Map<string, string> {
    const modules = [...new Set(Object.keys(schema.resources).map(moduleOf))].sort();
    const modulesByFile = new Map([
        ["__init__.py", packageModule(schema, modules)],
        ["_wire.py", wireModule],
        ["provider.py", providerModule(schema)],
        ...modules.map((module) => [`${fileOf(module)}.py`, resourceModule(schema, module)] as const),
    ]);
    return new Map([
        ...[...modulesByFile].map(([file, text]) => [file, header + text] as const),
        // Says to type checkers that the package has types.
        ["py.typed", ""],
    ]);
}

/** `fluss:lakekeeper:Warehouse` is in `lakekeeper`. */
function moduleOf(token: string): string {
    return token.split(":")[1]!;
}

/** The components have the module `index`, which says nothing in Python. */
function fileOf(module: string): string {
    return module === "index" ? "components" : module;
}

function packageModule({ version, description }: PackageSchema, modules: string[]): string {
    const names = [...modules.map(fileOf), "provider"].sort();
    return lines(
        docstring([
            `${description}.`,
            "",
            `Written by pulumi-fluss ${version}; make it anew with each release.`,
        ]),
        "",
        `from . import ${names.join(", ")}`,
        "from .provider import Provider",
        "",
        `__version__ = ${literal(version)}`,
        `__all__ = ${literal([...names, "Provider"])}`,
    );
}

function providerModule({ provider }: PackageSchema): string {
    const resource: ResourceSchema = {
        description: "Settings of the provider, for resources that shall not have those of the stack.",
        inputProperties: provider.inputProperties,
        requiredInputs: [],
        properties: {},
        required: [],
    };
    return lines(
        ...head,
        ...classOf(resource, { name: "Provider", base: "pulumi.ProviderResource", token: "fluss", more: "" }),
    );
}

function resourceModule(schema: PackageSchema, module: string): string {
    const inModule = ([token]: [string, unknown]) => moduleOf(token) === module;
    const types = Object.entries(schema.types).filter(inModule);
    const resources = Object.entries(schema.resources).filter(inModule);
    return lines(
        ...head,
        ...types.flatMap(([token, type]) => typedDict(typeName(token), type)),
        ...resources.flatMap(([token, resource]) =>
            classOf(resource, {
                name: typeName(token),
                token,
                base: resource.isComponent ? "pulumi.ComponentResource" : "pulumi.CustomResource",
                more: resource.isComponent ? ", remote=True" : "",
                types: schema.types,
            }),
        ),
    );
}

const head = [
    "from __future__ import annotations",
    "",
    "from typing import Any, Mapping, NotRequired, Sequence, TypedDict",
    "",
    "import pulumi",
    "",
    "from ._wire import wire",
];

/** An object among the arguments: a `dict` whose keys a type checker knows. */
function typedDict(name: string, { properties, required }: ObjectType): string[] {
    const entries = Object.entries(properties).map(([property, type]) => {
        const known = annotation(type);
        return `    ${identifier(property)}: ${required.includes(property) ? known : `NotRequired[${known}]`}`;
    });
    const documented = Object.entries(properties).flatMap(([property, { description }]) =>
        description ? [`${identifier(property)}: ${description}`] : [],
    );
    return [
        "",
        "",
        `class ${name}(TypedDict):`,
        ...(documented.length > 0 ? indent(docstring(documented)) : []),
        ...(entries.length > 0 ? entries : ["    pass"]),
    ];
}

interface Class {
    name: string;
    token: string;
    base: string;
    /** Further arguments of the base's constructor. */
    more: string;
    types?: Record<string, ObjectType>;
}

function classOf(resource: ResourceSchema, { name, token, base, more, types = {} }: Class): string[] {
    const { inputProperties: inputs, requiredInputs: required, properties, isComponent } = resource;
    // A name without a default cannot stand behind one with a default.
    const ordered = Object.entries(inputs).sort(
        ([one], [other]) => Number(required.includes(other)) - Number(required.includes(one)),
    );
    const parameters = ordered.map(([property, type]) => {
        const known = annotation(type);
        const parameter = `${identifier(property)}: ${known}`;
        return required.includes(property) ? parameter : `${parameter} | None = None`;
    });
    const described = ordered.flatMap(([property, { description }]) =>
        description ? [`:param ${identifier(property)}: ${description}`] : [],
    );
    const secrets = Object.keys(properties).filter((property) => properties[property]!.secret);
    const given = Object.entries(inputs).map(([property, { secret }]) => {
        // What a component is built by must stay a plain value.
        const isSecret = secret && !isComponent ? ", secret=True" : "";
        const shape = shapeOfFields({ [property]: inputs[property]! }, types)?.fields?.[
            identifier(property)
        ]?.[1];
        return `                ${literal(property)}: wire(${identifier(property)}, ${literal(shape ?? null)}${isSecret}),`;
    });
    const added = Object.keys(properties)
        .filter((property) => !(property in inputs))
        .map((property) => `                ${literal(property)}: None,`);
    return [
        "",
        "",
        `class ${name}(${base}):`,
        ...indent(docstring([resource.description])),
        "",
        "    def __init__(",
        "        self,",
        "        resource_name: str,",
        "        opts: pulumi.ResourceOptions | None = None,",
        ...(parameters.length > 0 ? ["        *,"] : []),
        ...parameters.map((parameter) => `        ${parameter},`),
        "    ) -> None:",
        ...(described.length > 0 ? indent(indent(docstring(described))) : []),
        "        super().__init__(",
        `            ${literal(token)},`,
        "            resource_name,",
        "            {",
        ...given,
        ...added,
        "            },",
        secrets.length > 0
            ? `            pulumi.ResourceOptions.merge(pulumi.ResourceOptions(additional_secret_outputs=${literal(secrets)}), opts)${more},`
            : `            opts${more},`,
        "        )",
        ...Object.entries(properties).flatMap(([property, type]) => [
            "",
            "    @property",
            `    def ${identifier(property)}(self) -> pulumi.Output[${outputAnnotation(type)}]:`,
            ...(type.description ? indent(indent(docstring([type.description]))) : []),
            `        return self.__dict__[${literal(property)}]`,
        ]),
    ];
}

function indent(text: string[]): string[] {
    return text.map((line) => (line === "" ? line : `    ${line}`));
}

function lines(...text: (string | string[])[]): string {
    return `${text.flat().join("\n")}\n`;
}
