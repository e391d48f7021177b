// `npm test` and `npm run test:<tier>`: runs the tiers, each within its time budget, and ends with one line
// `N passed, N failed`, and the skipped ones in a line before it. All of them run two at a time: most tests wait for a server.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ensureTools } from "../local/toolchain/index.ts";
import { ensureKubernetesTools } from "../local/toolchain/kubernetes.ts";
import { discardAbandoned } from "./tier-folder.ts";
import { type Count, runTier } from "./tier-process.ts";
import { onKubernetes, type Tier, tiers } from "./tiers.ts";

const root = path.resolve(import.meta.dirname, "..");
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !tiers.some((tier) => tier.name === name));
if (unknown.length > 0) {
    console.error(
        `there is no tier ${unknown.join(", ")}; the tiers are ${tiers.map((tier) => tier.name).join(", ")}`,
    );
    process.exit(2);
}
const waiting = tiers.filter(({ name, onRequest }) =>
    wanted.length === 0 ? !onRequest && exists(name) : wanted.includes(name),
);
const lanes = Math.min(lanesHere(), waiting.length);
await discardAbandoned();
const report = (line: string) => console.log(line);
const tools = waiting.some((tier) => tier.tools) ? await ensureTools(report) : undefined;
/** Made beside the tiers that do not need it. Without it, what becomes of the tiers that do. */
const bed =
    tools && waiting.some(onKubernetes)
        ? ensureKubernetesTools(report, tools.pulumi).then(
              () => undefined,
              (error: Error) => error.message,
          )
        : undefined;

/** Ends the tiers that run; no further one is begun then. */
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort(signal));

const began = new Map<string, number>();
const ended: { name: string; count: Count; seconds: number }[] = [];
const progress = setInterval(() => {
    const minutes = (at: number) => `${Math.round((Date.now() - at) / 60_000)} min`;
    console.log(`.. ${[...began].map(([name, at]) => `${name} for ${minutes(at)}`).join(", ")}`);
}, 60_000);
if (lanes === 1) clearInterval(progress);
// One takes from the front and the other from the end, so that the tiers with the most servers meet no other such tier.
await Promise.all([work(() => waiting.shift()), ...(lanes > 1 ? [work(() => waiting.pop())] : [])]);
clearInterval(progress);
summarize();
// The programs of the bed may still be in the making.
process.exit(process.exitCode);

async function work(take: () => Tier | undefined): Promise<void> {
    for (let tier = take(); tier && !stop.signal.aborted; tier = take()) {
        const missing = onKubernetes(tier) ? await bed : undefined;
        if (missing !== undefined) {
            console.log(`\n== ${tier.name}: 0 passed, 1 failed: ${missing}`);
            ended.push({ name: tier.name, count: failed(missing), seconds: 0 });
            continue;
        }
        await runOne(tier);
    }
}

/** Beside another tier it is heard at its end; alone, at once. */
async function runOne(tier: Tier): Promise<void> {
    const { name, minutes } = tier;
    console.log(`\n== ${name} (at most ${minutes} minutes)`);
    const start = Date.now();
    began.set(name, start);
    let kept = "";
    const count = await runTier(
        tier,
        (text) => {
            if (lanes > 1) kept += text;
            else process.stdout.write(text);
        },
        stop.signal,
    );
    began.delete(name);
    const seconds = Math.round((Date.now() - start) / 1000);
    if (lanes > 1) process.stdout.write(`\n== ${name} printed:\n${kept}`);
    console.log(`== ${name}: ${describe(count)} in ${seconds} s`);
    ended.push({ name, count, seconds });
}

function summarize(): void {
    const sum = (what: "passed" | "failed" | "skipped") =>
        ended.reduce((total, { count }) => total + count[what], 0);
    const total = { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
    if (stop.signal.aborted) {
        console.log(`ended by ${stop.signal.reason}: ${waiting.length} further tiers were not run`);
        total.failed += 1;
    }
    if (ended.length > 1) {
        console.log("");
        for (const { name, count, seconds } of ended) {
            console.log(`${name.padEnd(16)}${describe(count)} in ${seconds} s`);
            for (const failure of count.failures) console.log(`  failed: ${failure}`);
            for (const line of count.notes) console.log(`  ${line}`);
        }
    }
    if (total.skipped > 0) console.log(`\n${total.skipped} skipped`);
    console.log(`\n${total.passed} passed, ${total.failed} failed`);
    process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
}

/** `PULUMI_FLUSS_TEST_LANES`, 1 or 2; else two where there are the processors and the memory for the servers of two tiers. */
function lanesHere(): number {
    const asked = process.env["PULUMI_FLUSS_TEST_LANES"];
    if (asked === "1" || asked === "2") return Number(asked);
    return os.availableParallelism() >= 2 && os.totalmem() >= 12 * 2 ** 30 ? 2 : 1;
}

function exists(tier: string): boolean {
    return tier === "check" || fs.existsSync(path.join(root, "test", tier));
}

function failed(reason: string): Count {
    return { passed: 0, failed: 1, skipped: 0, failures: [reason], notes: [] };
}

function describe(count: Omit<Count, "failures" | "notes">): string {
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
    return `${count.passed} passed, ${count.failed} failed${skipped}`;
}
