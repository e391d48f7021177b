import fs from "node:fs";
import path from "node:path";
import ts from "typescript";
import { afterAll, expect, test } from "vitest";
import { programOf } from "../../../cli/import-plan/program.ts";
import * as components from "../../../components/index.ts";
import * as resources from "../../../dynamic-providers/index.ts";
import * as model from "../../../model/index.ts";
import { type Block, blocks, root } from "./examples.ts";

/** Pages that show a part of the arguments: what it is a part of. */
const parts: Record<string, string> = {
    "docs/components/vvp-workspace-setup.md": "VvpWorkspaceSetupArgs",
    "docs/kubernetes.md": "FlussChartArgs",
};
const folder = path.join(root, ".local", `examples-${process.pid}`);
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test("every TypeScript example of README and docs compiles, and so does a program of import-plan", {
    timeout: 180_000,
}, () => {
    const examples = blocks("ts", "typescript");
    expect(examples.length).toBeGreaterThan(25);
    fs.mkdirSync(folder, { recursive: true });
    const files = new Map(
        examples.map((block, index) => {
            const file = path.join(folder, `${block.page.replaceAll(/[/.]/g, "-")}-${index}.ts`);
            const { code, before } = moduleOf(block);
            fs.writeFileSync(file, code);
            return [file, { block, before }];
        }),
    );
    const printed = path.join(folder, "import-plan.ts");
    fs.writeFileSync(printed, importPlan());
    const told = diagnostics([...files.keys(), printed]).map(({ file, start, messageText }) => {
        const { line } = file!.getLineAndCharacterOfPosition(start!);
        const text = ts.flattenDiagnosticMessageText(messageText, " ");
        const from = files.get(path.normalize(file!.fileName));
        return from
            ? `${from.block.page}:${from.block.line + line - from.before}: ${text}`
            : `import-plan:${line}: ${text}`;
    });
    expect(told).toEqual([]);
});

/** The example as a module: what it uses of the library or of its surroundings, and does not import itself, is imported. */
function moduleOf({ page, text }: Block): { code: string; before: number } {
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
        ["../../test/unit/docs/surroundings.ts", missing(around)],
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
    return { code: `${lines.join("\n")}\n${text}${part ? "};\n" : ""}`, before: lines.length };
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

/** What the compiler says of these files, the library's own sources left out: they are checked elsewhere. */
function diagnostics(files: string[]): readonly ts.Diagnostic[] {
    const read = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, root);
    const program = ts.createProgram(files, {
        ...options,
        allowImportingTsExtensions: true,
        rewriteRelativeImportExtensions: false,
        paths: {
            "pulumi-fluss": [path.join(root, "components/index.ts")],
            "pulumi-fluss/*": [path.join(root, "*/index.ts")],
        },
    });
    return files.flatMap((file) => {
        const source = program.getSourceFile(file)!;
        return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    });
}

/** A program with one resource of each kind. */
function importPlan(): string {
    const definition = {
        name: "tiering",
        executionMode: "STREAMING",
        engineVersion: "vera-4.5-jdk11-flink-1.20",
        target: { mode: "PER_JOB", name: "target" },
        jar: { uri: "s3i://a/fluss-flink-tiering-1.0.0-vv-3.jar", mainArgs: "--x.password hush" },
        additionalDependencies: ["s3i://a/fluss-flink-1.20-1.0.0-vv-3.jar"],
        flinkConf: { "a.b": "c" },
        labels: { team: "lake" },
        logging: { loggers: { root: "DEBUG" } },
    } as const;
    return programOf({
        warnings: [],
        workspace: {
            connection: {
                url: "https://vvp.example.com",
                workspace: "defaultworkspace",
                namespace: "default",
            },
            targets: [{ name: "target", kubernetesNamespace: "jobs" }],
            sessionClusters: [
                {
                    name: "session",
                    status: "STOPPED",
                    deploymentTarget: "target",
                    engineVersion: "vera-4.5-jdk11-flink-1.20",
                },
            ],
            secretValues: ["fluss-password"],
            deployments: [{ definition, runs: false }],
            jars: ["s3i://a/fluss-flink-1.20-1.0.0-vv-3.jar"],
        },
        catalogs: [
            {
                name: "desk",
                options: { type: "fluss", "bootstrap.servers": "c:9124", "iceberg.token": "***" },
                engineVersion: undefined,
                jars: ["s3i://a/fluss-flink-1.20-1.0.0-vv-3.jar"],
                databases: [
                    {
                        name: "finance",
                        tables: [
                            {
                                database: "finance",
                                name: "t",
                                columns: [{ name: "a", type: "INT" }],
                                options: {},
                            },
                        ],
                    },
                ],
            },
        ],
        lakekeeper: {
            url: "http://localhost:8181",
            project: undefined,
            warehouses: [
                {
                    name: "fluss",
                    warehouseId: "1",
                    "project-id": "2",
                    "storage-profile": {
                        type: "s3",
                        bucket: "lake",
                        region: "eu-central-1",
                        "key-prefix": "fluss",
                    },
                    "storage-credential-type": { type: "s3", "credential-type": "access-key" },
                    "delete-profile": { type: "soft", "expiration-seconds": 60 },
                    status: "active",
                    protected: true,
                },
            ],
        },
    }).source;
}
