import type { TestProject } from "vitest/node";
import { type Bed, startBed } from "./bed.ts";

declare module "vitest" {
    interface ProvidedContext {
        lakesBed: Bed;
    }
}

/** Starts what the lakes share, once for all tests of this tier, and stops it after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
    const { stop, ...bed } = await startBed((line) => console.log(line));
    project.provide("lakesBed", bed);
    return stop;
}
