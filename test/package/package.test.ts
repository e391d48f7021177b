import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { npm } from "./install.ts";
import { importCost, told } from "./installed.ts";

const root = path.resolve(import.meta.dirname, "../..");
const programs = path.join(import.meta.dirname, "programs");
const scratch = inject("scratch");
const packed = inject("packed");

beforeAll(() => {
    fs.copyFileSync(path.join(programs, "program.ts"), path.join(scratch, "program.ts"));
    fs.mkdirSync(path.join(scratch, "commonjs"));
    fs.writeFileSync(path.join(scratch, "commonjs/package.json"), JSON.stringify({ type: "commonjs" }));
    fs.copyFileSync(path.join(programs, "program.ts"), path.join(scratch, "commonjs/program.ts"));
});

function node(...args: string[]): string {
    return execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], {
        cwd: scratch,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
    });
}

describe("npm pack", () => {
    test("holds compiled JavaScript with its types and maps, the data it reads, and nothing else", () => {
        const beside = [
            "CHANGELOG.md",
            "LICENSE",
            "README.md",
            "dist/dynamic-providers/vvp/contract/vvp3.yaml",
            "dist/model/fluss-options.json",
            "package.json",
            "policy-pack/PulumiPolicy.yaml",
            "policy-pack/package.json",
            "policy-pack/run",
            "policy-pack/without-typescript.cjs",
        ];
        const code = packed.filter((file) => /^dist\/.*\.js$/.test(file));
        const wanted = code.flatMap((file) => [file, `${file}.map`, file.replace(/\.js$/, ".d.ts")]);
        expect(packed.toSorted()).toEqual([...wanted, ...beside].toSorted());
        const layers = new Set(code.map((file) => file.split("/")[1]));
        expect([...layers].toSorted()).toEqual([
            "cli",
            "components",
            "dynamic-providers",
            "host",
            "model",
            "policies",
        ]);
    });

    test("a map holds its source, since the package has none", () => {
        const file = path.join(scratch, "node_modules/pulumi-fluss/dist/cli/run.js.map");
        const { sourcesContent } = JSON.parse(fs.readFileSync(file, "utf8"));
        expect(sourcesContent).toEqual([fs.readFileSync(path.join(root, "cli/run.ts"), "utf8")]);
    });
});

describe("a project that installs it", () => {
    test("has one copy of Pulumi's SDK", () => {
        const { dependencies } = JSON.parse(npm(scratch, "ls", "@pulumi/pulumi", "--all", "--json"));
        const versions = JSON.stringify(dependencies).match(/"version":"[^"]*"/g);
        expect(versions?.length).toBeGreaterThan(3);
        const copies = fs
            .globSync("node_modules/**/@pulumi/pulumi/package.json", { cwd: scratch })
            .filter((file) => file.endsWith("@pulumi/pulumi/package.json"));
        expect(copies).toEqual(["node_modules/@pulumi/pulumi/package.json"]);
    });

    test("runs TypeScript as ESM without a type check", () => {
        expect(JSON.parse(node("program.ts"))).toEqual(told);
    });

    test("checks types and runs as ESM and as CommonJS", () => {
        for (const folder of [".", "commonjs"]) {
            const options = {
                module: "nodenext",
                target: "es2023",
                strict: true,
                skipLibCheck: true,
                types: ["node"],
            };
            const config = { compilerOptions: { ...options, outDir: "out" }, files: ["program.ts"] };
            fs.writeFileSync(path.join(scratch, folder, "tsconfig.json"), JSON.stringify(config));
            node("node_modules/typescript/bin/tsc", "-p", folder);
        }
        expect(JSON.parse(node("out/program.js"))).toEqual(told);
        const compiled = fs.readFileSync(path.join(scratch, "commonjs/out/program.js"), "utf8");
        expect(compiled).toContain('require("pulumi-fluss")');
        expect(JSON.parse(node("commonjs/out/program.js"))).toEqual(told);
    });

    test("has the command", () => {
        const command = path.join(scratch, "node_modules/.bin/pulumi-fluss");
        expect(node(command, "--help")).toContain("preview-comment");
    });

    test("has the plugin, which tells its port as an engine wants it", async () => {
        const plugin = spawn(path.join(scratch, "node_modules/.bin/pulumi-resource-fluss"), [], {
            env: { ...process.env, PATH: [path.dirname(process.execPath), process.env["PATH"]].join(":") },
            stdio: ["ignore", "pipe", "inherit"],
        });
        const [line] = (await once(plugin.stdout!, "data")) as [Buffer];
        plugin.kill();
        expect(line.toString()).toMatch(/^\d+\n$/);
        await once(plugin, "exit");
    });

    test("imports it in 0.3 s beyond the SDK, of the time in which the SDK takes 0.53 s", () => {
        const { sdk, ours } = importCost(scratch);
        console.log(`import: ${Math.round(ours)} ms of CPU beyond the ${Math.round(sdk)} ms of the SDK`);
        expect(ours / sdk).toBeLessThan(300 / 532);
    });
});
