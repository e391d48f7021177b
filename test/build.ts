import { execFileSync } from "node:child_process";
import path from "node:path";

/** Before the first test of a tier that runs the engine: the package's JavaScript, which dynamic providers load. */
export function setup(): void {
    const root = path.resolve(import.meta.dirname, "..");
    execFileSync(process.execPath, [path.join(root, "local/build.js")], { cwd: root, stdio: "inherit" });
}
