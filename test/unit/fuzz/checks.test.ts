/** Inputs of every resource that are almost right: `check` says what is wrong with them, and never crashes. */
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { flinkSqlScenarios } from "../../faults/flink-sql.ts";
import { lakekeeperScenarios } from "../../faults/lakekeeper.ts";
import { vvpScenarios } from "../../faults/vvp.ts";
import { cases, mutantsOf, unclear } from "./mutants.ts";

const scenarios = [...lakekeeperScenarios, ...vvpScenarios, ...flinkSqlScenarios];

afterEach(() => {
    vi.restoreAllMocks();
});

describe(`${cases} inputs of resources that are almost right`, () => {
    it.each(scenarios)("$name", { timeout: 60_000 }, async ({ provider, config, start, first }) => {
        vi.spyOn(console, "warn").mockImplementation(() => {});
        if (config) await provider.configure({ config });
        const world = await start();
        try {
            const valid = first(world, world.url);
            const { inputs: old } = await provider.check({}, { ...valid });
            await fc.assert(
                fc.asyncProperty(mutantsOf(valid), fc.boolean(), async (input, isChange) => {
                    if (typeof input !== "object" || input === null || Array.isArray(input)) return;
                    try {
                        const { failures } = await provider.check(isChange ? old : {}, { ...input });
                        for (const { reason } of failures) expect(reason.length).toBeGreaterThan(15);
                    } catch (error) {
                        expect(unclear(error)).toBeUndefined();
                    }
                }),
                { numRuns: Math.ceil(cases / scenarios.length) },
            );
        } finally {
            await world.close();
        }
    });
});
