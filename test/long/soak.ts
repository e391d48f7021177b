// `npm run test:soak -- [rounds] [seed]`: random valid changes to a lakehouse on simulated servers, each followed by a run that
// must change nothing, a change from outside, a refresh that must see it, and an `up` that must mend it. Ends with 1 after a surprise.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { soak } from "./soak-run.ts";

const rounds = Number(process.argv[2] ?? 50);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);

// Providers are loaded from the package's own JavaScript.
const root = path.resolve(import.meta.dirname, "../..");
execFileSync(process.execPath, [path.join(root, "local/build.js")], { cwd: root, stdio: "inherit" });

console.log(`${rounds} rounds, seed ${seed}`);
const surprises = await soak(rounds, seed, (line) => console.log(line));
for (const surprise of surprises) console.log(`SURPRISE: ${surprise}`);
console.log(`${rounds} rounds, ${surprises.length} surprises`);
process.exit(surprises.length === 0 ? 0 : 1);
