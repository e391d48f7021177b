import type { TestProject } from "vitest/node";
import { type Lakehouse, startLakehouse } from "./lakehouse.ts";

declare module "vitest" {
    interface ProvidedContext {
        lakehouse: Lakehouse;
    }
}

/** Starts the services once for all tests of this tier, and stops them after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
    const { stop, ...lakehouse } = await startLakehouse((line) => console.log(line));
    project.provide("lakehouse", lakehouse);
    return stop;
}
