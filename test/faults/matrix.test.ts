import { afterAll, describe, expect, it } from "vitest";
import type { FaultName } from "./fault-proxy.ts";
import { flinkScenarios } from "./flink.ts";
import { lakekeeperScenarios } from "./lakekeeper.ts";
import { runMatrix, type Tally } from "./matrix.ts";
import { vvpScenarios } from "./vvp.ts";

const all = process.env["PULUMI_FLUSS_FAULTS"] === "all";

/** Faults that hold until the command has failed: one of each kind, or all with `PULUMI_FLUSS_FAULTS=all`. */
const lasting: FaultName[] = ["refused", "reset after it was done", "401 as of an expired token"];

const tallies: Tally[] = [];

describe("one fault at one call, and the next up reaches the goal", () => {
    const scenarios = [...lakekeeperScenarios, ...vvpScenarios, ...flinkScenarios];
    it.concurrent.each(scenarios)("$name: a fault that passes", async (scenario) => {
        const tally = await runMatrix(scenario, { untils: ["once"] });
        tallies.push(tally);
        expect(tally.failures.join("\n")).toBe("");
        expect(tally.cases).toBeGreaterThan(20);
    });
    // A gateway that is away for good keeps each case waiting for its deadlines; the clusters' own calls are among these.
    const short = scenarios.filter(({ name }) => name !== "flinkSqlJob, faults of the gateway");
    it.concurrent.each(short)("$name: a fault that lasts for the command", async (scenario) => {
        const tally = await runMatrix(scenario, { untils: ["cleared"], names: all ? undefined : lasting });
        tallies.push(tally);
        expect(tally.failures.join("\n")).toBe("");
        expect(tally.cases).toBeGreaterThan(5);
    });
});

afterAll(() => {
    const sum = (figure: (tally: Tally) => number) =>
        tallies.reduce((total, tally) => total + figure(tally), 0);
    const failed = (kind: string) =>
        sum(({ failures }) => failures.filter((failure) => failure.includes(`: ${kind}`)).length);
    console.log(
        [
            `cases ${sum(({ cases }) => cases)}, gone through unharmed ${sum(({ unharmed }) => unharmed)}`,
            `calls more than undisturbed ${sum(({ retries }) => retries)}`,
            `reached by taking over ${sum(({ adopted }) => adopted)}, with a spare savepoint ${sum(({ spare }) => spare)}`,
            ...["lost", "doubled", "orphaned", "wiped"].map((kind) => `${kind} ${failed(kind)}`),
        ].join("; "),
    );
});
