import { afterAll, describe, expect, it, vi } from "vitest";
import { runMatrix, type Scenario, type Tally } from "./matrix.ts";
import { printTallies } from "./tallies.ts";

/** Everything, as `npm run test:long` runs it; else a sample that is the same each time. */
const all = process.env["PULUMI_FLUSS_FAULTS"] === "all";

/** Faults that hold until the command has failed: one of each kind. */
const lasting = ["refused", "reset after it was done", "401 as of an expired token"];

/**
 * Every how many-th case is run of scenarios with that word in their name: a statement on a gateway is four calls, so that its scenarios
 * have several times as many cases, and the emulator of AWS takes 40 ms for one. Without a common factor with the number of faults, so that
 * each fault is met.
 */
const shares = [
    { word: "gateway", once: 7, cleared: 5 },
    { word: "aws ", once: 5, cleared: 2 },
];

/** The tests of these scenarios: each fault at each call. Afterwards what they found is printed. */
export function faultsAtEveryCall(scenarios: Scenario[]): void {
    const tallies: Tally[] = [];
    // Of what the resources warn, hundreds of cases would make thousands of lines.
    vi.spyOn(console, "warn").mockImplementation(() => {});
    describe("one fault at one call, and the next up reaches the goal", () => {
        const shareOf = (name: string) => shares.find(({ word }) => !all && name.includes(word));
        it.concurrent.each(scenarios)("$name: a fault that passes", async (scenario) => {
            const tally = await runMatrix(scenario, {
                until: "once",
                every: shareOf(scenario.name)?.once ?? 1,
            });
            tallies.push(tally);
            expect(tally.failures.join("\n")).toBe("");
            expect(tally.cases).toBeGreaterThan(10);
        });
        // A gateway that is away for good keeps each case waiting for its deadlines; the clusters' own calls are among these.
        const short = scenarios.filter(({ name }) => name !== "flinkSqlJob, faults of the gateway");
        it.concurrent.each(short)("$name: a fault that lasts for the command", async (scenario) => {
            const names = all ? undefined : lasting;
            const tally = await runMatrix(scenario, {
                until: "cleared",
                names,
                every: shareOf(scenario.name)?.cleared ?? 1,
            });
            tallies.push(tally);
            expect(tally.failures.join("\n")).toBe("");
            expect(tally.cases).toBeGreaterThan(5);
        });
    });
    afterAll(() => printTallies(tallies));
}
