import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { endLeftEngines } from "../../local/left-engines.ts";
import { upTwiceAtOnce } from "./at-once.ts";
import { changesOf, type TestStack } from "./engine.ts";
import { killAtEachCall, killedRun, unlock } from "./killed-engine.ts";
import { type KilledWorld, one, startKilledWorld } from "./vvp-killed-world.ts";

/** An engine that is killed and one that runs twice: one resource of each kind of the platform. */

/** Killed after each call, as `npm run test:long` does it; else after some of them that come at the same time. */
const all = process.env["PULUMI_FLUSS_KILLS"] === "all";

/** By this the processes of these tests are known: those of a killed engine do not notice that it is gone. */
const mark = path.join(os.tmpdir(), `vvp-interrupted-${process.pid}`);

afterAll(() => endLeftEngines(mark));

const none = Object.fromEntries(
    Object.keys(one).flatMap((kind) => (kind.startsWith("jobs of") ? [] : [[kind, 0]])),
);

/**
 * What is done at the same time, and then the engine is killed; nothing that comes after it. Two processors make the engine
 * do eight things at once, and it deletes layer by layer.
 */
const together = {
    create: [
        "POST sessionclusters",
        "POST jobs:start",
        "POST jobs:start",
        "PUT /_sim/blob",
        "POST deployment-drafts",
        "CREATE TABLE",
        "CREATE DATABASE IF NOT EXISTS `c`.`scripted`",
    ],
    update: [
        "PATCH sessionclusters",
        "POST jobs/*:stop",
        "POST jobs/*:stop",
        "PUT /_sim/blob",
        "POST apitokens",
        "PUT /fluss/api/v1/clusters",
        "ALTER TABLE",
    ],
    destroy: [
        "POST jobs/*:stop",
        "POST jobs/*:stop",
        "PATCH sessionclusters",
        "DELETE deployments",
        "DROP DATABASE `c`.`finance`",
    ],
};

/**
 * Kills the engine in the step, and runs it until it goes through.
 * @param goOn what runs it then, when it has been killed at all calls that are chosen
 * @returns what the runs that failed have said
 */
async function interrupted(
    w: KilledWorld,
    stack: TestStack,
    { step, alone = false, goOn }: { step: keyof typeof together; alone?: boolean; goOn(): Promise<unknown> },
): Promise<string> {
    const run = () => (step === "destroy" ? stack.destroy() : stack.up());
    const heard: string[] = [];
    const failed = (said: string) => {
        heard.push(said);
        // Those who would hear the answers are gone.
        w.release();
        w.wish.adopt ||= /adopt: true/.test(said);
    };
    if (all) {
        const held = () => {
            w.hold(150);
            return run();
        };
        const killed = await killAtEachCall({ stack, run: held, calls: w.work, alone, most: 60, failed });
        w.release();
        console.log(`${step}: killed after ${killed.length} calls: ${killed.join(", ")}`);
    } else {
        failed(await killedTogether(w, stack, run, together[step]));
        await unlock(stack);
        // What would be told to exist already; the longer run hears it.
        w.wish.adopt = true;
    }
    await goOn();
    return heard.join("\n");
}

/** Kills the engine when all of these calls are made, which come at the same time. */
async function killedTogether(
    w: KilledWorld,
    stack: TestStack,
    run: () => Promise<unknown>,
    calls: readonly string[],
): Promise<string> {
    const before = w.work().length;
    w.hold(10_000, (name) => calls.some((call) => name.startsWith(call)));
    const missing = () => {
        const names = w.work().slice(before);
        return calls.filter((call) => count(names, call) < count(calls, call));
    };
    const said = await killedRun(stack, run, () => missing().length === 0);
    expect(missing()).toEqual([]);
    return said;
}

const count = (names: readonly string[], start: string) =>
    names.filter((name) => name.startsWith(start)).length;

// Plugins that outlive the engine end what they have begun; the longer run has both.
test.for(all ? [false, true] : [false])(
    "an engine that is killed, and two ups at once on one backend: each step goes on, and nothing is there twice (plugins alone: %s)",
    {
        timeout: 1_800_000,
    },
    async (alone, context) => {
        const w = await startKilledWorld(mark);
        context.onTestFinished(() => w.close());
        const stack = await w.open();
        const said = await interrupted(w, stack, { step: "create", alone, goOn: () => upTwiceAtOnce(stack) });
        if (all) expect(said).toMatch(/exists already[\s\S]*set adopt: true/);
        const made = await w.counts();
        // A savepoint keeps no mark: one that was taken and not recorded is taken again.
        const spare = (made["savepoints"] ?? 0) - 1;
        if (!all) expect(spare).toBe(0);
        expect(made).toEqual({ ...one, savepoints: 1 + spare });
        w.wish.changed = true;
        await interrupted(w, stack, { step: "update", alone, goOn: () => stack.up() });
        const changed = await w.counts();
        expect(changed).toMatchObject({ running: 2, databases: 3, "jobs of writer": 2 });
        expect(changesOf(await stack.up())).toEqual([]);
        expect(changesOf(await stack.refresh())).toEqual([]);
        await interrupted(w, stack, { step: "destroy", alone, goOn: () => stack.destroy() });
        expect(await w.counts()).toEqual({ ...none, savepoints: (changed["savepoints"] ?? 0) - 1 });
        expect(w.platform.violations).toEqual([]);
    },
);
