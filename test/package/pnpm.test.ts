import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { beforeAll, expect, inject, test } from "vitest";
import { cacheFolder } from "../../local/toolchain/cache.ts";
import { importCost, told } from "./installed.ts";

/** The release of pnpm that is tried. */
const version = "12.21.0";

const scratch = inject("scratch");
const folder = path.join(path.dirname(scratch), `${path.basename(scratch)}-pnpm`);
const tool = path.join(scratch, "pnpm");

beforeAll(() => {
    for (const one of [folder, tool]) fs.mkdirSync(one);
    fs.writeFileSync(path.join(tool, "package.json"), JSON.stringify({ private: true }));
    run(tool, "npm", "install", "--prefer-offline", "--no-audit", "--no-fund", `pnpm@${version}`);
    const manifest = JSON.parse(fs.readFileSync(path.join(scratch, "package.json"), "utf8"));
    const dependencies = { ...manifest.dependencies, "pulumi-fluss": `file:${inject("tarball")}` };
    fs.writeFileSync(
        path.join(folder, "package.json"),
        JSON.stringify({ private: true, type: "module", dependencies }),
    );
    fs.copyFileSync(path.join(import.meta.dirname, "programs/program.ts"), path.join(folder, "program.ts"));
    // What pnpm keeps of packages lies among the cached tools, so that it is fetched once on a machine.
    const store = path.join(cacheFolder(), "pnpm-store");
    const pnpm = path.join(tool, "node_modules/.bin/pnpm");
    run(folder, pnpm, "install", "--ignore-scripts", "--prefer-offline", `--store-dir=${store}`);
    return () => fs.rmSync(folder, { recursive: true, force: true });
});

function run(cwd: string, command: string, ...args: string[]): string {
    return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

test("pnpm installs one copy of Pulumi's SDK", () => {
    // Whoever needs it has a link to it.
    const links = fs.globSync("node_modules/.pnpm/*/node_modules/@pulumi/pulumi", { cwd: folder });
    const copies = new Set(links.map((link) => fs.realpathSync(path.join(folder, link))));
    expect(links.length).toBeGreaterThan(3);
    expect(copies.size).toBe(1);
});

test("a program runs in it", () => {
    expect(
        JSON.parse(run(folder, process.execPath, "--disable-warning=ExperimentalWarning", "program.ts")),
    ).toEqual(told);
});

test("a resource's text in the state finds its provider from there", () => {
    const script =
        'console.log(Object.keys(require("module").createRequire(process.cwd() + "/_.js")("pulumi-fluss/dynamic-providers").providers).length)';
    expect(Number(run(folder, process.execPath, "-e", script))).toBeGreaterThan(30);
});

test("the import takes no longer than where npm installed it: 0.3 s beyond the SDK", { retry: 2 }, () => {
    const { sdk, ours } = importCost(folder, 2);
    console.log(`import: ${Math.round(ours)} ms of CPU beyond the ${Math.round(sdk)} ms of the SDK`);
    expect(ours / sdk).toBeLessThan(300 / 532);
});
