import { afterAll, describe, expect, it, vi } from "vitest";
import { dnsFaults, dnsProxy } from "./dns-proxy.ts";
import { flinkScenarios } from "./flink.ts";
import { flinkSqlScenarios } from "./flink-sql.ts";
import { lakekeeperScenarios } from "./lakekeeper.ts";
import { runMatrix, type Tally } from "./matrix.ts";
import { printTallies } from "./tallies.ts";
import { vvpScenarios } from "./vvp.ts";

/** Every how many-th case is run: all of them, as `npm run test:long` runs it, or a sample that is the same each time. */
const every = process.env["PULUMI_FLUSS_FAULTS"] === "all" ? 1 : 5;
const tallies: Tally[] = [];

vi.spyOn(console, "warn").mockImplementation(() => {});

describe("the name of the API is not found at one call, and the next up reaches the goal", () => {
    const scenarios = [...lakekeeperScenarios, ...vvpScenarios, ...flinkScenarios, ...flinkSqlScenarios];
    it.concurrent.each(scenarios)("$name", async (scenario) => {
        for (const until of ["once", "cleared"] as const) {
            const extent = { until, names: Object.keys(dnsFaults), every, proxy: dnsProxy };
            const tally = await runMatrix(scenario, extent);
            tallies.push(tally);
            expect(tally.failures.join("\n")).toBe("");
            expect(tally.cases).toBeGreaterThan(1);
            // Such a call never leaves, so that it can be made again.
            if (until === "once") expect(tally.unharmed).toBe(tally.cases);
            else expect(tally.unharmed).toBeLessThan(tally.cases);
        }
    });
});

afterAll(() => printTallies(tallies));
