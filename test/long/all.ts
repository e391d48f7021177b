// `npm run test:long`: what takes longer than a run of CI has, one after the other: every case of the faults, an engine killed at every
// call, every rotation while rows flow, programs in other languages, rounds of random changes on simulated and on real servers, a
// thousand tables on real servers. Ends with 1 when any of them fails.
import { spawnSync } from "node:child_process";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");
const parts: [what: string, args: string[], env?: Record<string, string>][] = [
    ["every fault at every call", ["test/run.ts", "faults"], { PULUMI_FLUSS_FAULTS: "all" }],
    [
        "the engine killed at every call of the platform",
        [
            "node_modules/vitest/vitest.mjs",
            "run",
            "--project",
            "engine",
            "test/engine/vvp-interrupted.test.ts",
        ],
        { PULUMI_FLUSS_KILLS: "all" },
    ],
    [
        "every rotation",
        ["node_modules/vitest/vitest.mjs", "run", "--project", "lakes", "test/lakes/rotation.test.ts"],
        { PULUMI_FLUSS_ROTATIONS: "all" },
    ],
    [
        "other languages on the local lakehouse",
        ["node_modules/vitest/vitest.mjs", "run", "--project", "e2e", "test/e2e/languages.test.ts"],
        { PULUMI_FLUSS_LANGUAGES: "all" },
    ],
    [
        "a lakehouse that is ended at each resource",
        [
            "node_modules/vitest/vitest.mjs",
            "run",
            "--project",
            "engine",
            "test/engine/whole-interrupted.test.ts",
        ],
        { PULUMI_FLUSS_INTERRUPTIONS: "all" },
    ],
    ["the local lakehouse, ended at each resource while rows flow", ["test/long/interrupted.ts"]],
    ["fifty rounds of random changes", ["test/long/soak.ts", "50"]],
    ["twenty rounds of random changes on the local lakehouse", ["test/long/soak.ts", "20", "--real"]],
    ["a thousand tables", ["test/long/tables.ts", "1000"]],
];

let failed = 0;
for (const [what, args, env] of parts) {
    console.log(`\n== ${what}`);
    const { status } = spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], {
        cwd: root,
        env: { ...process.env, ...env },
        stdio: "inherit",
    });
    console.log(`== ${what}: ${status === 0 ? "passed" : "FAILED"}`);
    if (status !== 0) failed++;
}
console.log(`\n${parts.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
