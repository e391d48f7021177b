// `npm run check`: types, formatting and lint rules, and the direction of imports. Ends with `N passed, N failed`.
import { spawnSync } from "node:child_process";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..");
const folders = [
    "model",
    "dynamic-providers",
    "components",
    "policies",
    "cli",
    "host",
    "stacks",
    "local",
    "test",
];

/** Biome colours what it says into a pipe, too. */
const plain = !process.stdout.isTTY || process.env["NO_COLOR"];
const checks: [name: string, ...command: string[]][] = [
    // The compiler in machine code needs a third of the time; the other one has the programming interface that the build uses.
    ["types", "typescript-7/bin/tsc", "--noEmit", "-p", "tsconfig.json"],
    ["format and lint", "@biomejs/biome/bin/biome", "ci", ".", ...(plain ? ["--colors=off"] : [])],
    [
        "imports point down",
        "dependency-cruiser/bin/dependency-cruiser.mjs",
        "--config",
        ".dependency-cruiser.cjs",
        ...folders,
    ],
];

let failed = 0;
for (const [name, script, ...args] of checks) {
    const run = spawnSync(process.execPath, [path.join(root, "node_modules", script!), ...args], {
        cwd: root,
        encoding: "utf8",
    });
    console.log(`${run.status === 0 ? "ok    " : "FAILED"} ${name}`);
    if (run.status === 0) continue;
    failed++;
    console.log(`${run.stdout}${run.stderr}`);
}
console.log(`${checks.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
