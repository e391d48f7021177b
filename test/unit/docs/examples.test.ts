import fs from "node:fs";
import path from "node:path";
import ts from "typescript";
import { afterAll, expect, test } from "vitest";
import { programOf } from "../../../cli/import-plan/program.ts";
import { blocks, root } from "./examples.ts";
import { fromSources, writeModule } from "./modules.ts";

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
            const { file, before } = writeModule(block, folder, index);
            return [file, { block, before }];
        }),
    );
    const printed = path.join(folder, "import-plan.ts");
    fs.writeFileSync(printed, fromSources(importPlan()));
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

/** What the compiler says of these files, the library's own sources left out: they are checked elsewhere. */
function diagnostics(files: string[]): readonly ts.Diagnostic[] {
    const read = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, root);
    const program = ts.createProgram(files, {
        ...options,
        allowImportingTsExtensions: true,
        rewriteRelativeImportExtensions: false,
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
