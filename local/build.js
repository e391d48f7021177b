// Turns what programs and the command line load into the JavaScript of the package (`dist/`).
// Plain JavaScript without a type check, so that it takes a second; `--types` adds the declaration files (for publishing).
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const layers = ["model", "dynamic-providers", "components", "policies", "cli", "host"];

build();
if (process.argv.includes("--types")) declareTypes();

/** Writes every source file that is newer than its output, and removes outputs whose source is gone. */
function build() {
    const dist = path.join(root, "dist");
    const sources = layers.flatMap((layer) => filesBelow(path.join(root, layer), ".ts"));
    const outputs = new Set(sources.map(outputOf));
    const ours = [...filesBelow(dist, ".js"), ...filesBelow(dist, ".js.map"), ...filesBelow(dist, ".d.ts")];
    for (const old of ours) if (!outputs.has(old.replace(/(\.js\.map|\.d\.ts)$/, ".js"))) fs.rmSync(old);
    const stale = sources.filter((source) => isNewer(source, outputOf(source)));
    if (stale.length === 0) return;
    const ts = createRequire(import.meta.url)("typescript");
    const { options } = ts.parseJsonConfigFileContent(
        ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile).config,
        ts.sys,
        root,
    );
    for (const source of stale) {
        const { outputText, sourceMapText } = ts.transpileModule(fs.readFileSync(source, "utf8"), {
            fileName: source,
            // Without its neighbours a file's module kind cannot be told: it is said here.
            compilerOptions: {
                ...options,
                noEmit: false,
                sourceMap: true,
                // The package holds no sources: a debugger takes them from the map.
                inlineSources: true,
                module: ts.ModuleKind.ESNext,
                moduleResolution: ts.ModuleResolutionKind.Bundler,
            },
        });
        const output = outputOf(source);
        fs.mkdirSync(path.dirname(output), { recursive: true });
        replace(`${output}.map`, sourceMapText);
        replace(output, outputText);
    }
    copyData(dist);
}

/** Another run may read the file at this moment: it is replaced in one step. */
function replace(file, text) {
    const draft = `${file}.${process.pid}`;
    fs.writeFileSync(draft, text);
    fs.renameSync(draft, file);
}

/** Contracts and other data files that the sources read at run time. */
function copyData(dist) {
    for (const layer of layers) {
        for (const file of [
            ...filesBelow(path.join(root, layer), ".json"),
            ...filesBelow(path.join(root, layer), ".yaml"),
        ]) {
            const output = path.join(dist, path.relative(root, file));
            fs.mkdirSync(path.dirname(output), { recursive: true });
            fs.copyFileSync(file, output);
        }
    }
}

function declareTypes() {
    const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
    const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], {
        cwd: root,
        stdio: "inherit",
    });
    if (status !== 0) process.exit(status ?? 1);
}

function outputOf(source) {
    return path.join(root, "dist", path.relative(root, source).replace(/\.ts$/, ".js"));
}

function isNewer(source, output) {
    if (!fs.existsSync(output) || !fs.existsSync(`${output}.map`)) return true;
    return fs.statSync(source).mtimeMs > fs.statSync(output).mtimeMs;
}

function filesBelow(folder, suffix) {
    if (!fs.existsSync(folder)) return [];
    return fs
        .readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith(suffix))
        .map((entry) => path.join(entry.parentPath, entry.name));
}
