import { defineConfig } from "vitest/config";

/** One project per tier, in the order in which `npm test` runs them; see `test/run.ts`. */
const tier = (name: string, options: { timeout: number; setup?: boolean }) => ({
    test: {
        name,
        include: [`test/${name}/**/*.test.ts`],
        testTimeout: options.timeout,
        hookTimeout: options.timeout,
        globalSetup: [
            ...(["unit", "lakekeeper", "faults"].includes(name) ? [] : ["test/build.ts"]),
            ...(options.setup ? [`test/${name}/setup.ts`] : []),
        ],
        // The engine and the local servers are shared by the files of a tier.
        fileParallelism: name === "unit",
    },
});

export default defineConfig({
    test: {
        projects: [
            tier("unit", { timeout: 20_000 }),
            tier("lakekeeper", { timeout: 120_000 }),
            tier("faults", { timeout: 600_000 }),
            tier("engine", { timeout: 120_000, setup: true }),
            tier("kubernetes", { timeout: 180_000 }),
            tier("fluss", { timeout: 180_000, setup: true }),
            tier("e2e", { timeout: 600_000 }),
        ],
    },
});
