/** Examples of the docs as modules that run on the library's sources. */
import fs from "node:fs";
import path from "node:path";
import ts from "typescript";
import * as components from "../../../components/index.ts";
import * as resources from "../../../dynamic-providers/index.ts";
import * as model from "../../../model/index.ts";
import { type Block, root } from "./examples.ts";

/** Pages that show a part of the arguments: what it is a part of. */
const parts: Record<string, string> = {
    "docs/components/vvp-workspace-setup.md": "VvpWorkspaceSetupArgs",
    "docs/kubernetes.md": "FlussChartArgs",
};
/** Writes a block as a module. `before` lines come before its first one; `part` says that it is no program. */
export function writeModule(
    block: Block,
    folder: string,
    index: number,
): { file: string; before: number; part: boolean } {
    const file = path.join(folder, `${block.page.replaceAll(/[/.]/g, "-")}-${index}.ts`);
    const { code, ...rest } = moduleOf(block);
    fs.writeFileSync(file, fromSources(code));
    return { file, ...rest };
}

/** The code with the library's sources in the place of its package. */
export function fromSources(code: string): string {
    return code.replaceAll(/from "pulumi-fluss(?:\/([\w-]+))?"/g, (_, entry = "components") => {
        return `from ${JSON.stringify(path.join(root, entry, "index.ts"))}`;
    });
}

/** The example as a module: what it uses of the library or of its surroundings, and does not import itself, is imported. */
function moduleOf({ page, text }: Block): { code: string; before: number; part: boolean } {
    const part = /^\w+: /.test(text) ? parts[page] : undefined;
    const uses = new Set(text.match(/\b[A-Za-z_]\w*\b/g));
    const own = declared(text);
    const missing = (names: readonly string[]) => names.filter((name) => uses.has(name) && !own.has(name));
    const around = surroundings();
    const all = [Object.keys(components), Object.keys(resources), Object.keys(model)] as const;
    const sources: [string, string[]][] = [
        ["pulumi-fluss", missing(all[0])],
        ["pulumi-fluss/dynamic-providers", missing(all[1])],
        [
            "pulumi-fluss/model",
            missing(all[2].filter((name) => !all[0].includes(name) && !around.includes(name))),
        ],
        [path.join(import.meta.dirname, "surroundings.ts"), missing(around)],
    ];
    const lines = [
        ...(uses.has("pulumi") && !own.has("pulumi") ? ['import * as pulumi from "@pulumi/pulumi";'] : []),
        ...sources.flatMap(([from, names]) =>
            names.length > 0 ? [`import { ${names.join(", ")} } from "${from}";`] : [],
        ),
        ...(part
            ? [`import type { ${part} } from "pulumi-fluss";`, `export const part: Partial<${part}> = {`]
            : []),
        // A block without any import would be no module.
        "export {};",
    ];
    if (part) lines.splice(lines.length - 1, 1);
    return {
        code: `${lines.join("\n")}\n${text}${part ? "};\n" : ""}`,
        before: lines.length,
        part: part !== undefined,
    };
}

/** Names that a block imports or declares. */
function declared(text: string): Set<string> {
    const names = new Set<string>();
    const visit = (node: ts.Node): void => {
        if (ts.isImportClause(node) && node.name) names.add(node.name.text);
        if (ts.isNamespaceImport(node) || ts.isImportSpecifier(node)) names.add(node.name.text);
        if (ts.isVariableDeclaration(node) || ts.isBindingElement(node)) bound(node.name, names);
        ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile("block.ts", text, ts.ScriptTarget.ES2023));
    return names;
}

function bound(name: ts.BindingName, names: Set<string>): void {
    if (ts.isIdentifier(name)) names.add(name.text);
}

/** Names that the surroundings declare; most of them have no value. */
function surroundings(): string[] {
    const text = fs.readFileSync(path.join(import.meta.dirname, "surroundings.ts"), "utf8");
    return [...text.matchAll(/^export (?:declare )?const (\w+)/gm)].map(([, name = ""]) => name);
}
