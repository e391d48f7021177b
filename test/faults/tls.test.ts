import { spawnSync } from "node:child_process";
import tls from "node:tls";
import { afterAll, describe, expect, it, vi } from "vitest";
import { flinkSqlScenarios } from "./flink-sql.ts";
import { lakekeeperScenarios } from "./lakekeeper.ts";
import { runMatrix, type Tally } from "./matrix.ts";
import { printTallies } from "./tallies.ts";
import { makeCertificates, tlsFaults, tlsProxy } from "./tls-proxy.ts";
import { vvpScenarios } from "./vvp.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const all = process.env["PULUMI_FLUSS_FAULTS"] === "all";
const sample = ["lakekeeperProject", "lakekeeperWarehouse", "vvpSecretValue", "vvpDeploymentTarget"];
const tallies: Tally[] = [];

vi.spyOn(console, "warn").mockImplementation(() => {});

// The certificates are made by openssl: without it there is none to be wrong.
describe.skipIf(!hasOpenssl)("one fault of TLS at one call, and the next up reaches the goal", () => {
    const every = [...lakekeeperScenarios, ...vvpScenarios, ...flinkSqlScenarios];
    const scenarios = all ? every : every.filter(({ name }) => sample.includes(name));
    it.each(scenarios)("$name", async (scenario) => {
        const certificates = makeCertificates();
        tls.setDefaultCACertificates([...tls.getCACertificates("default"), certificates.authority]);
        const proxy = tlsProxy(certificates);
        for (const until of ["once", "cleared"] as const) {
            const tally = await runMatrix(scenario, { until, names: tlsFaults, proxy });
            tallies.push(tally);
            expect(tally.failures.join("\n")).toBe("");
            expect(tally.cases).toBeGreaterThan(5);
        }
    });
});

afterAll(() => printTallies(tallies));
