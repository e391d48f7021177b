import fs from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { TestStack } from "../engine/engine.ts";
import { endProcess, killEngine as kill } from "../engine/killed-engine.ts";

/**
 * Ends the engine of this process's stack at once, and the plugins it started; with `alone` they are left to do what
 * they like until the test is over. Its lock goes, as `pulumi cancel` would do.
 */
export function killEngine(stack: TestStack, { alone = false } = {}): void {
    const all = kill(stack, { alone });
    if (alone) onTestFinished(() => all.forEach(endProcess));
    fs.rmSync(path.join(stack.folder, "state/.pulumi/locks"), { recursive: true, force: true });
}
