// `npm run test:soak -- [rounds] [seed] [--real]`: random valid changes to a lakehouse, each followed by a run that must change
// nothing, a change from outside, a refresh that must see it, and an `up` that must mend it. On simulated servers, or with --real on
// the local lakehouse while rows flow. Ends with 1 after a surprise.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { soakReal } from "./soak-real.ts";
import { soak } from "./soak-run.ts";

const { values, positionals } = parseArgs({
    options: { real: { type: "boolean", default: false } },
    allowPositionals: true,
});
const rounds = Number(positionals[0] ?? 50);
const seed = Number(positionals[1] ?? Date.now() % 1_000_000);

// Providers are loaded from the package's own JavaScript.
const root = path.resolve(import.meta.dirname, "../..");
execFileSync(process.execPath, [path.join(root, "local/build.js")], { cwd: root, stdio: "inherit" });

const where = values.real ? "the local lakehouse" : "simulated servers";
console.log(`${rounds} rounds on ${where}, seed ${seed}`);
const run = values.real ? soakReal : soak;
const surprises = await run(rounds, seed, (line) => console.log(line)).catch((error: unknown) => [
    `it ended early: ${error instanceof Error ? error.message : error}`,
]);
for (const surprise of surprises) console.log(`SURPRISE: ${surprise}`);
console.log(`${rounds} rounds on ${where}, ${surprises.length} surprises`);
process.exit(surprises.length === 0 ? 0 : 1);
