import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { providerText } from "../../dynamic-providers/thin-resource.ts";

/**
 * Every text that a release has written into users' states, by the resource's provider. Lines are only ever added: a
 * state of any release must find its provider in the library that is installed.
 */
const released: Record<string, string> = {
    // 0.1.0
    lakekeeperServer:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.lakekeeperServer;',
    lakekeeperProject:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.lakekeeperProject;',
    lakekeeperWarehouse:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.lakekeeperWarehouse;',
    lakekeeperNamespace:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.lakekeeperNamespace;',
    lakekeeperUser:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.lakekeeperUser;',
    lakekeeperRole:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.lakekeeperRole;',
    lakekeeperRoleMembers:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.lakekeeperRoleMembers;',
    lakekeeperTaskQueue:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.lakekeeperTaskQueue;',
    lakekeeperGrants:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.lakekeeperGrants;',
    vvpDeploymentTarget:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.vvpDeploymentTarget;',
    vvpSessionCluster:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.vvpSessionCluster;',
    vvpSecretValue:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.vvpSecretValue;',
    vvpArtifact:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.vvpArtifact;',
    vvpDeployment:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.vvpDeployment;',
    vvpSqlScript:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.vvpSqlScript;',
    flussCatalog:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.flussCatalog;',
    flussDatabase:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.flussDatabase;',
    flussTable:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.flussTable;',
    vvpApiToken:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.vvpApiToken;',
    vvpSavepoint:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.vvpSavepoint;',
    vvpDraft:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.vvpDraft;',
    vvpFlussConsoleCluster:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.vvpFlussConsoleCluster;',
    flussReleaseGuard:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.flussReleaseGuard;',
    lakekeeperReleaseGuard:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.lakekeeperReleaseGuard;',
    flussEndpoint:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.flussEndpoint;',
    lakeEndpoint:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.lakeEndpoint;',
    lakeProgress:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.lakeProgress;',
    flussTieringCheck:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.flussTieringCheck;',
    keptSecret:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.keptSecret;',
    releaseRecord:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.releaseRecord;',
    jobNamespaceCheck:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.jobNamespaceCheck;',
    flinkJarJob:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.flinkJarJob;',
    flinkSqlJob:
        'exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers.flinkSqlJob;',
};

const root = path.resolve(import.meta.dirname, "../..");
const layers = ["model", "dynamic-providers", "components", "policies", "cli", "host"];

describe("provider texts", () => {
    it.each(Object.entries(released))("of %s are what this release writes", (provider, text) => {
        expect(providerText(provider)).toBe(text);
    });

    it("of the built library's providers are all listed", () => {
        const module = path.join(root, "dist/dynamic-providers/index.js");
        const names = runNode(
            root,
            `console.log(JSON.stringify(Object.keys(require(${JSON.stringify(module)}).providers)))`,
        );
        expect((names as string[]).sort()).toEqual(Object.keys(released).sort());
    });

    it.each([
        ["the repository", () => root],
        ["a folder below it", () => path.join(root, "stacks")],
        ["a project that has the package installed", installedProject],
    ])("load from %s, each with all methods", (_, folder) => {
        const methods = ["check", "configure", "create", "delete", "diff", "read", "update"];
        const found = runNode(folder(), loadAll);
        expect(found).toEqual(Object.fromEntries(Object.keys(released).map((name) => [name, methods])));
    });

    it("say which package is missing where it is not installed", () => {
        const empty = temporaryFolder();
        expect(() => runNode(empty, loadAll)).toThrow(/Cannot find module 'pulumi-fluss\/dynamic-providers'/);
    });
});

describe("the package's exports", () => {
    const entries = {
        "pulumi-fluss": "dist/components/index.js",
        "pulumi-fluss/dynamic-providers": "dist/dynamic-providers/index.js",
        "pulumi-fluss/model": "dist/model/index.js",
    };

    it("are built JavaScript, by import and by require", () => {
        const script = `
            const names = ${JSON.stringify(Object.keys(entries))};
            const required = names.map((name) => [name, require.resolve(name)]);
            Promise.all(names.map(async (name) => [name, Object.keys(await import(name))])).then((imported) =>
                console.log(JSON.stringify({
                    required: Object.fromEntries(required),
                    imported: Object.fromEntries(imported),
                })));`;
        const { required, imported } = runNode(root, script) as {
            required: Record<string, string>;
            imported: Record<string, string[]>;
        };
        const expected = Object.entries(entries).map(([name, file]) => [name, path.join(root, file)]);
        expect(required).toEqual(Object.fromEntries(expected));
        expect(imported["pulumi-fluss"]).toEqual(
            expect.arrayContaining(["StreamingLakehouse", "LakeBuckets", "FlussTables"]),
        );
        expect(imported["pulumi-fluss/dynamic-providers"]).toEqual(
            expect.arrayContaining(["providers", "VvpDeployment", "LakekeeperWarehouse", "FlussTable"]),
        );
        expect(imported["pulumi-fluss/model"]).toEqual(
            expect.arrayContaining(["defineLake", "serverOptions"]),
        );
    });

    it("are not older than their sources, and have no output without a source", () => {
        const sources = layers.flatMap((layer) => filesBelow(path.join(root, layer), ".ts"));
        const outputOf = (source: string) =>
            path.join(root, "dist", path.relative(root, source).replace(/\.ts$/, ".js"));
        const written = (file: string) => (fs.existsSync(file) ? fs.statSync(file).mtimeMs : 0);
        const stale = sources.filter((source) => written(outputOf(source)) < written(source));
        expect(stale.map((file) => path.relative(root, file))).toEqual([]);
        const outputs = filesBelow(path.join(root, "dist"), ".js");
        expect(outputs.sort()).toEqual(sources.map(outputOf).sort());
    });
});

/** Loads each text as Pulumi's provider process does, and prints the methods of what it gives. */
const loadAll = `
    const requireFromString = require(${JSON.stringify(createRequire(import.meta.url).resolve("require-from-string"))});
    const texts = ${JSON.stringify(released)};
    const methods = (text) => {
        const provider = requireFromString(text).handler();
        return Object.keys(provider).filter((name) => typeof provider[name] === "function").sort();
    };
    console.log(JSON.stringify(Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, methods(text)]))));
`;

/** What the script prints as JSON, run by Node in a folder. */
function runNode(folder: string, script: string): unknown {
    const output = execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", "-e", script], {
        cwd: folder,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
    });
    return JSON.parse(output);
}

/** A user's project outside the repository, with the package among its modules. */
function installedProject(): string {
    const folder = temporaryFolder();
    fs.mkdirSync(path.join(folder, "node_modules"));
    fs.symlinkSync(root, path.join(folder, "node_modules/pulumi-fluss"));
    return folder;
}

function temporaryFolder(): string {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "provider-text-"));
    onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
    return folder;
}

function filesBelow(folder: string, suffix: string): string[] {
    return fs
        .readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(suffix))
        .map((file) => path.join(folder, file));
}
