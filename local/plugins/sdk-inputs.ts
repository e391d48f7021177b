/**
 * The inputs of resource types, read from the declaration files of the installed Pulumi SDK: names, which are
 * required, and their types as far as they can be checked. So a plugin of ours goes by the SDK's own description.
 */

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import ts from "typescript";

export type Shape =
    | { kind: "any" }
    | { kind: "string" }
    | { kind: "number" }
    | { kind: "boolean" }
    | { kind: "list"; of: Shape }
    | { kind: "map"; of: Shape }
    | { kind: "object"; name: string; members(): Members }
    | { kind: "oneOf"; of: Shape[] };

/** Inputs by name. */
export type Members = ReadonlyMap<string, { required: boolean; shape: Shape }>;

/** Reads one SDK; what a type needs is parsed when it is first asked for. */
export class SdkInputs {
    /** The version of the installed SDK. */
    readonly version: string;
    readonly #folder: string;
    readonly #members = new Map<string, Members>();
    #nestedText: string | undefined;

    /** `sdk` is the npm package: `@pulumi/aws`. Throws when it is not installed. */
    constructor(sdk: string) {
        const manifest = createRequire(import.meta.url).resolve(`${sdk}/package.json`);
        this.#folder = path.dirname(manifest);
        this.version = JSON.parse(fs.readFileSync(manifest, "utf8")).version;
    }

    /** The inputs of a type token such as `aws:s3/bucket:Bucket` (file `s3/bucket`, interface `BucketArgs`). */
    ofType(token: string): Members {
        const [, module = "", name = ""] = token.split(":");
        return this.#argsOf(module.replace(/^index\//, ""), `${name}Args`);
    }

    /** The configuration of the provider (interface `ProviderArgs`). */
    ofProvider(): Members {
        return this.#argsOf("provider", "ProviderArgs");
    }

    #argsOf(file: string, name: string): Members {
        const known = this.#members.get(file);
        if (known) return known;
        const members = this.#membersOf(this.#interfaceIn(this.#read(`${file}.d.ts`), name));
        this.#members.set(file, members);
        return members;
    }

    #membersOf(declared: ts.InterfaceDeclaration): Members {
        return new Map(
            declared.members.filter(ts.isPropertySignature).map((member) => [
                nameOf(member.name),
                {
                    required: member.questionToken === undefined,
                    shape: member.type ? this.#shapeOf(member.type) : { kind: "any" },
                },
            ]),
        );
    }

    #shapeOf(type: ts.TypeNode): Shape {
        if (ts.isArrayTypeNode(type)) return { kind: "list", of: this.#shapeOf(type.elementType) };
        if (ts.isUnionTypeNode(type)) return this.#unionOf(type);
        if (ts.isTypeLiteralNode(type)) return this.#mapOf(type);
        if (ts.isTypeReferenceNode(type)) return this.#referenceOf(type);
        if (type.kind === ts.SyntaxKind.StringKeyword) return { kind: "string" };
        if (type.kind === ts.SyntaxKind.NumberKeyword) return { kind: "number" };
        if (type.kind === ts.SyntaxKind.BooleanKeyword) return { kind: "boolean" };
        return { kind: "any" };
    }

    #unionOf(type: ts.UnionTypeNode): Shape {
        const kept = type.types.filter((part) => part.kind !== ts.SyntaxKind.UndefinedKeyword);
        const [first, ...rest] = kept.map((part) => this.#shapeOf(part));
        if (!first) return { kind: "any" };
        return rest.length === 0 ? first : { kind: "oneOf", of: [first, ...rest] };
    }

    #mapOf(type: ts.TypeLiteralNode): Shape {
        const [member] = type.members;
        if (!member || !ts.isIndexSignatureDeclaration(member)) return { kind: "any" };
        return { kind: "map", of: this.#shapeOf(member.type) };
    }

    /** `pulumi.Input<T>` is T; `inputs.s3.X` is an interface of `types/input.d.ts`; anything else is not checked. */
    #referenceOf(type: ts.TypeReferenceNode): Shape {
        const name = entityName(type.typeName);
        const [argument] = type.typeArguments ?? [];
        if (name === "pulumi.Input" && argument) return this.#shapeOf(argument);
        if (!name.startsWith("inputs.")) return { kind: "any" };
        let members: Members | undefined;
        return {
            kind: "object",
            name,
            members: () => {
                members ??= this.#nestedMembers(name.slice("inputs.".length));
                return members;
            },
        };
    }

    /**
     * `name` is `s3.X`. The file of nested types has megabytes, whose parsing takes seconds; as it is generated, the
     * one interface is cut out by its indentation.
     */
    #nestedMembers(name: string): Members {
        this.#nestedText ??= this.#read("types/input.d.ts");
        const [namespace = "", own = ""] = name.split(".");
        const begin = this.#nestedText.indexOf(`\nexport declare namespace ${namespace} {\n`);
        const scope = this.#nestedText.slice(begin, this.#nestedText.indexOf("\n}\n", begin));
        const start = scope.indexOf(`\n    interface ${own} {\n`);
        const text = scope.slice(start, scope.indexOf("\n    }", start) + "\n    }".length);
        if (begin < 0 || start < 0) throw new Error(`${this.#folder} declares no interface inputs.${name}`);
        return this.#membersOf(this.#interfaceIn(text, own));
    }

    #interfaceIn(text: string, name: string): ts.InterfaceDeclaration {
        const file = ts.createSourceFile(`${name}.d.ts`, text, ts.ScriptTarget.Latest);
        const found = file.statements.filter(ts.isInterfaceDeclaration).find((one) => one.name.text === name);
        if (!found) throw new Error(`${this.#folder} declares no interface ${name}`);
        return found;
    }

    #read(file: string): string {
        return fs.readFileSync(path.join(this.#folder, file), "utf8");
    }
}

function entityName(name: ts.EntityName): string {
    return ts.isIdentifier(name) ? name.text : `${entityName(name.left)}.${name.right.text}`;
}

function nameOf(name: ts.PropertyName): string {
    if (ts.isIdentifier(name) || ts.isStringLiteral(name)) return name.text;
    throw new Error("an input's name is neither an identifier nor a text");
}
