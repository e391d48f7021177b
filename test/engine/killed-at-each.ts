/** Ends Pulumi's engine at one resource of an operation after the other. */

import { setTimeout as sleep } from "node:timers/promises";
import type { TestStack } from "./engine.ts";
import { interruptEngine, killEngine, unlock } from "./killed-engine.ts";

/** Where an operation was cut off, and how. */
export interface Cut {
    op: string;
    type: string;
    name: string;
    how: keyof typeof ways;
}

/** How an engine is ended. But for the second way, what it has begun comes to its end. */
const ways = {
    "kill of the engine": (stack: TestStack) => killEngine(stack, { alone: true }),
    "kill of engine and plugins": (stack: TestStack) => killEngine(stack),
    "Ctrl-C": interruptEngine,
};

const names = Object.keys(ways) as (keyof typeof ways)[];

/**
 * Begins an operation again and again. Each time the engine is ended when it begins the first resource at which it was not ended yet, until the operation goes
 * through.
 * @param after looks at what the cut has left, before the lock is taken away and the operation begins again
 * @returns the cuts
 */
export async function cutAtEach(
    stack: TestStack,
    operation: () => Promise<unknown>,
    {
        every = 1,
        wanted = () => true,
        after,
        adopt,
    }: {
        /** At every how many-th resource. */
        every?: number;
        wanted?(step: Pick<Cut, "op" | "type" | "name">): boolean;
        after?(cut: Cut): Promise<void>;
        /** Lets the program take over what exists: a cut can fall between the work and its record, and not every API keeps a mark. */
        adopt?(): void;
    },
): Promise<Cut[]> {
    const cuts: Cut[] = [];
    const met = new Set<string>();
    for (;;) {
        let cut: Cut | undefined;
        const look = () => {
            if (cut) return;
            for (const { resourcePreEvent } of stack.events) {
                if (!resourcePreEvent) continue;
                const { op, type, urn, new: wished, old } = resourcePreEvent.metadata;
                // Components are nothing outside of the engine.
                if (met.has(urn) || idle.has(op) || !(wished ?? old)?.custom) continue;
                const step = { op, type, name: urn.split("::").slice(3).join("::") };
                if (!wanted(step)) continue;
                met.add(urn);
                if ((met.size - 1) % every !== 0) continue;
                cut = { ...step, how: names[cuts.length % names.length]! };
                ways[cut.how](stack);
                return;
            }
        };
        const watch = setInterval(look, 2);
        const failed = await operation().then(
            () => undefined,
            (error: Error) => error,
        );
        clearInterval(watch);
        if (!cut && failed && adopt && /adopt: true/.test(failed.message)) {
            adopt();
            continue;
        }
        if (!cut) {
            if (failed) throw failed;
            return cuts;
        }
        cuts.push(cut);
        // Plugins outlive a killed engine, and end what they have begun.
        if (cut.how === "kill of the engine") await sleep(500);
        await after?.(cut);
        await unlock(stack);
    }
}

/** Steps that do nothing outside of the engine. */
const idle = new Set(["same", "read", "discard", "refresh"]);
