import os from "node:os";
import { defineConfig } from "vitest/config";

/** One project per tier, in the order in which `npm test` runs them; see `test/run.ts`. */
const tier = (name: string, options: { timeout: number; setup?: boolean }) => ({
    test: {
        name,
        include: [`test/${name}/**/*.test.ts`],
        testTimeout: options.timeout,
        hookTimeout: options.timeout,
        // The Lakekeeper tests can be pointed at a server by its variables.
        setupFiles: [
            ...(name === "lakekeeper" ? [] : ["test/environment.ts"]),
            ...(name === "faults" ? ["test/faults/case-time.ts"] : []),
            ...(["fluss", "lakes"].includes(name) ? ["test/fluss/tell-servers.ts"] : []),
        ],
        globalSetup: [
            ...(["unit", "lakekeeper", "faults", "lakes"].includes(name) ? [] : ["test/build.ts"]),
            ...(options.setup ? [`test/${name}/setup.ts`] : []),
        ],
        // The local servers are shared by the files of a tier; each file on the engine alone has stacks and servers of its own.
        fileParallelism: ["unit", "faults", "engine"].includes(name),
        // An engine keeps a processor busy, and so do the cases of the faults: one for each.
        ...(["engine", "faults"].includes(name) && { maxWorkers: os.availableParallelism() }),
    },
});

/**
 * What `npm run test:vvp` runs: the tests of the VVP provider from the other tiers, on the simulated platform. Pointed at a real one
 * by VV_API_HOST, only those that can run there.
 */
const onPlatform = ["test/engine/vvp-whole.test.ts"];
const aboutVvp = [
    "test/engine/vvp*.test.ts",
    "test/unit/vvp/**/*.test.ts",
    "test/unit/simulators-vvp/**/*.test.ts",
];

export default defineConfig({
    test: {
        // Most tests wait for a server, for another process or for time to pass: two for each processor.
        maxWorkers: 2 * os.availableParallelism(),
        projects: [
            tier("unit", { timeout: 60_000 }),
            tier("lakekeeper", { timeout: 120_000 }),
            tier("faults", { timeout: 600_000 }),
            tier("engine", { timeout: 120_000, setup: true }),
            tier("secrets", { timeout: 300_000 }),
            tier("package", { timeout: 300_000, setup: true }),
            tier("policies", { timeout: 120_000 }),
            tier("kubernetes", { timeout: 300_000, setup: true }),
            tier("fluss", { timeout: 180_000, setup: true }),
            tier("lakes", { timeout: 180_000, setup: true }),
            tier("e2e-kubernetes", { timeout: 600_000 }),
            tier("e2e", { timeout: 600_000 }),
            {
                test: {
                    name: "vvp",
                    include: process.env["VV_API_HOST"] ? onPlatform : aboutVvp,
                    testTimeout: process.env["VV_API_HOST"] ? 900_000 : 120_000,
                    hookTimeout: process.env["VV_API_HOST"] ? 900_000 : 120_000,
                    setupFiles: process.env["VV_API_HOST"] ? [] : ["test/environment.ts"],
                    globalSetup: ["test/build.ts", "test/engine/setup.ts"],
                    fileParallelism: false,
                },
            },
        ],
    },
});
