// Part of `npm run test:long`: an update of the whole local lakehouse that is ended at each resource, while rows flow.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { interruptedLakehouse } from "./interrupted-run.ts";

// Providers are loaded from the package's own JavaScript.
const root = path.resolve(import.meta.dirname, "../..");
execFileSync(process.execPath, [path.join(root, "local/build.js")], { cwd: root, stdio: "inherit" });

const faults = await interruptedLakehouse((line) => console.log(line)).catch((error: unknown) => [
    `it ended early: ${error instanceof Error ? (error.stack ?? error.message) : error}`,
]);
for (const fault of faults) console.log(`FAULT: ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);
