// `npm test` and `npm run test:<tier>`: runs the tiers one after the other, each within its time budget, and ends
// with one line `N passed, N failed`, and the skipped ones in a line before it.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ensureTools, type Tools } from "../local/toolchain/index.ts";
import { ensureKubernetesTools } from "../local/toolchain/kubernetes.ts";

const root = path.resolve(import.meta.dirname, "..");

/**
 * The tiers in order, with the minutes that each may take on a slow machine. The tools that a tier needs are made
 * before, once, and do not count.
 */
const tiers: { name: string; minutes: number; tools: boolean; onRequest?: true }[] = [
    { name: "check", minutes: 5, tools: false },
    { name: "unit", minutes: 15, tools: false },
    { name: "lakekeeper", minutes: 5, tools: false },
    { name: "faults", minutes: 15, tools: false },
    { name: "engine", minutes: 30, tools: true },
    { name: "secrets", minutes: 10, tools: true },
    { name: "package", minutes: 10, tools: false },
    { name: "policies", minutes: 5, tools: true },
    { name: "kubernetes", minutes: 25, tools: true },
    // The whole quickstart stack, installed on the Kubernetes bed.
    { name: "e2e-kubernetes", minutes: 20, tools: true },
    { name: "fluss", minutes: 30, tools: true },
    { name: "lakes", minutes: 15, tools: true },
    { name: "e2e", minutes: 40, tools: true },
    // All about the VVP provider, out of the tiers above; with VV_API_HOST on a real platform. See `vitest.config.ts`.
    { name: "vvp", minutes: 20, tools: true, onRequest: true },
];

interface Count {
    passed: number;
    failed: number;
    skipped: number;
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !tiers.some((tier) => tier.name === name));
if (unknown.length > 0) {
    console.error(
        `there is no tier ${unknown.join(", ")}; the tiers are ${tiers.map((tier) => tier.name).join(", ")}`,
    );
    process.exit(2);
}

const chosen = tiers.filter(({ name, onRequest }) =>
    wanted.length === 0 ? !onRequest && exists(name) : wanted.includes(name),
);
const total: Count = { passed: 0, failed: 0, skipped: 0 };
/** The signal that ended the run; no further tier is begun then. */
let endedBy: NodeJS.Signals | undefined;
const report = (line: string) => console.log(line);
const tools = chosen.some((tier) => tier.tools) ? await ensureTools(report) : undefined;
for (const tier of chosen) {
    if (tier.name.endsWith("kubernetes") && tools && !(await madeKubernetes(tier.name, tools))) {
        total.failed += 1;
        continue;
    }
    console.log(`\n== ${tier.name} (at most ${tier.minutes} minutes)`);
    const started = Date.now();
    const count =
        tier.name === "check" ? await runChecks(tier.minutes) : await runTier(tier.name, tier.minutes);
    total.passed += count.passed;
    total.failed += count.failed;
    total.skipped += count.skipped;
    const seconds = Math.round((Date.now() - started) / 1000);
    console.log(`== ${tier.name}: ${describe(count)} in ${seconds} s`);
    if (endedBy) {
        console.log(`ended by ${endedBy}: the tiers after ${tier.name} were not run`);
        total.failed += 1;
        break;
    }
}
if (total.skipped > 0) console.log(`\n${total.skipped} skipped`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

/** Without the programs of the Kubernetes bed its tiers fail; the others say what they have to say all the same. */
async function madeKubernetes(tier: string, { pulumi }: Tools): Promise<boolean> {
    try {
        await ensureKubernetesTools(report, pulumi);
        return true;
    } catch (error) {
        console.log(`\n== ${tier}: 0 passed, 1 failed: ${(error as Error).message}`);
        return false;
    }
}

function exists(tier: string): boolean {
    return tier === "check" || fs.existsSync(path.join(root, "test", tier));
}

async function runTier(name: string, minutes: number): Promise<Count> {
    const results = path.join(os.tmpdir(), `pulumi-fluss-${name}-${process.pid}.json`);
    const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
    const { code } = await runNode(
        [
            vitest,
            "run",
            "--project",
            name,
            "--reporter=default",
            "--reporter=json",
            `--outputFile.json=${results}`,
        ],
        minutes,
    );
    const count = readResults(results);
    fs.rmSync(results, { force: true });
    // A crash outside a test, or an unhandled error, fails the tier although no test says so.
    if (code !== 0 && count.failed === 0) count.failed = 1;
    if (count.passed + count.failed === 0) count.failed = 1;
    return count;
}

async function runChecks(minutes: number): Promise<Count> {
    const { output } = await runNode([path.join(root, "test/check.ts")], minutes);
    const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
    return { passed: Number(passed ?? 0), failed: Number(failed ?? 1), skipped: 0 };
}

function readResults(file: string): Count {
    if (!fs.existsSync(file)) return { passed: 0, failed: 0, skipped: 0 };
    const report = JSON.parse(fs.readFileSync(file, "utf8"));
    const brokenFiles = report.testResults.filter(
        (result: { status: string; assertionResults: unknown[] }) =>
            result.status === "failed" && result.assertionResults.length === 0,
    ).length;
    return {
        passed: report.numPassedTests,
        failed: report.numFailedTests + brokenFiles,
        skipped: report.numPendingTests,
    };
}

/** Runs Node on a script, passes its output on, and ends it when its time is over. */
function runNode(args: string[], minutes: number): Promise<{ code: number; output: string }> {
    return new Promise((done) => {
        const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
        let output = "";
        child.stdout.on("data", (chunk: Buffer) => {
            output = (output + chunk.toString()).slice(-20_000);
            process.stdout.write(chunk);
        });
        const budget = setTimeout(() => {
            console.log(`stopped: more than ${minutes} minutes`);
            child.kill("SIGTERM");
            setTimeout(() => child.kill("SIGKILL"), 20_000).unref();
        }, minutes * 60_000);
        const end = (signal: NodeJS.Signals) => {
            endedBy = signal;
            child.kill(signal);
        };
        for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, end);
        child.on("exit", (code) => {
            clearTimeout(budget);
            for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, end);
            done({ code: code ?? 1, output });
        });
    });
}

function describe(count: Count): string {
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
    return `${count.passed} passed, ${count.failed} failed${skipped}`;
}
