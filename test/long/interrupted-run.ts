/** An update of all parts of the local lakehouse that is ended at each resource, on real servers, while rows flow. */

import { setTimeout as sleep } from "node:timers/promises";
import { changesOf } from "../engine/engine.ts";
import { type Cut, cutAtEach } from "../engine/killed-at-each.ts";
import { firstWish, newTable, type SoakLakehouse, startSoakLakehouse, type Wish } from "./soak-lakehouse.ts";
import { figures, lakePath, lakeReaches, lookAtRows } from "./soak-rows.ts";

/** @returns what did not hold; empty when all did */
export async function interruptedLakehouse(say: (line: string) => void): Promise<string[]> {
    const began = performance.now();
    const wish = firstWish();
    const lakehouse = await startSoakLakehouse(wish, say);
    const { stack } = lakehouse;
    const faults: string[] = [];
    try {
        await stack.up();
        await lakeReaches(lakehouse, 1, 120);
        changeAll(wish);
        // One resource after the other: what is cut off is the one at which it was wanted. What AWS has made and the state does not know has
        // to be deleted by hand; that is Pulumi's plugin's.
        const cuts = await cutAtEach(stack, () => stack.up({ parallel: 1 }), {
            wanted: ({ type }) => !type.startsWith("aws:"),
            adopt: () => {
                wish.adopt = true;
            },
            after: async (cut) => void faults.push(...(await rowsFlow(lakehouse, cut, say))),
        });
        wish.adopt = false;
        say(`the update was ended at ${cuts.length} resources`);
        faults.push(...(await nothingToDo(lakehouse, "after the update")));
        // The second half of the key's rotation: the old one goes.
        wish.keys = [wish.keys[0]!];
        await stack.up();
        faults.push(...(await nothingToDo(lakehouse, "without the old key")));
        wish.flows = false;
        await stack.up();
        faults.push(...(await lookAtRows(lakehouse, say)));
        say(`${((performance.now() - began) / 60_000).toFixed(1)} minutes in all`);
        return faults;
    } finally {
        await lakehouse.stop();
    }
}

/** Whatever can be changed in place, at once. */
function changeAll(wish: Wish): void {
    wish.secrets = { password: "second-value", more: "new" };
    wish.parallelism = 2;
    wish.tables["t0"] = { columns: ["more"], segments: 3, owner: "somebody", free: false };
    wish.tables["t2"] = newTable();
    wish.warehouses.push("w1");
    wish.roles = { readers: "second", writers: "new" };
    wish.days.push("d2");
    wish.keys = ["new", ...wish.keys] as string[];
    wish.pollSeconds = 3;
    wish.freshnessSeconds = 6;
    wish.accountColumns.push("more");
    wish.rowsPerSecond = 6;
    wish.checkpointSeconds = 4;
}

/** Rows come to the lake, although nobody runs anything: the lake alone is counted, see docs/readers.md. */
async function rowsFlow(lakehouse: SoakLakehouse, cut: Cut, say: (line: string) => void): Promise<string[]> {
    const began = performance.now();
    // What plugins have begun may take longer than the test of the engine waits.
    await sleep(2000);
    const what = `after a ${cut.how} at the ${cut.op} of ${cut.name}`;
    try {
        const { count: before } = await figures(lakehouse, lakePath);
        const inLake = await lakeReaches(lakehouse, before + 1, 120);
        const seconds = ((performance.now() - began) / 1000).toFixed(0);
        say(`${what}: ${before} rows in the lake, and ${inLake} after ${seconds} s`);
        return inLake > before ? [] : [`${what}: no row more than ${before} in the lake`];
    } catch (error) {
        return [`${what}: ${error instanceof Error ? error.message : error}`];
    }
}

async function nothingToDo({ stack }: SoakLakehouse, when: string): Promise<string[]> {
    const left = [...changesOf(await stack.up()), ...changesOf(await stack.refresh())];
    return left.map(({ op, name }) => `${when}: ${op} of ${name}`);
}
