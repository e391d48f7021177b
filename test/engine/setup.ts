import { execFileSync } from "node:child_process";
import path from "node:path";
import { ensureTools } from "../../local/toolchain/index.ts";

/** Before the first engine test: the package's JavaScript, which dynamic providers load, and the Pulumi CLI. */
export async function setup(): Promise<void> {
    const root = path.resolve(import.meta.dirname, "../..");
    execFileSync(process.execPath, [path.join(root, "local/build.js")], { cwd: root, stdio: "inherit" });
    await ensureTools(console.error);
}
