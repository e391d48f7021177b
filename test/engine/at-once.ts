/** Runs of the engine that meet. */
import { expect } from "vitest";
import type { TestStack } from "./engine.ts";
import { failureOf, nothingFailed } from "./killed-engine.ts";

/** Two ups at once on one backend, of which at most one goes through; who does not is told of the lock. Afterwards one has. */
export async function upTwiceAtOnce(stack: TestStack): Promise<void> {
    const both = await Promise.all([failureOf(stack.up()), failureOf(stack.up())]);
    const refused = both.filter((said) => said !== nothingFailed);
    // Each may see the lock of the other, and then both give way.
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const said of refused) expect(said).toMatch(/lock/i);
    if (refused.length === 2) await stack.up();
}

/**
 * Two stacks that want the same objects run at once: each object is made by one of them, and the other says so.
 * @param hidden what neither may say
 */
export async function upBothAtOnce(stacks: [TestStack, TestStack], hidden: string): Promise<void> {
    const said = await Promise.all(stacks.map((stack) => failureOf(stack.up({ continueOnError: true }))));
    for (const text of said) {
        // Both programs run in this process, and what one is told the SDK may tell the other.
        if (text !== nothingFailed) expect(text).toMatch(/exists already|AlreadyExists|failed to register/);
        expect(text).not.toContain(hidden);
    }
}
