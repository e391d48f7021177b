import os from "node:os";
import type { TestProject } from "vitest/node";
import { forwardPorts, type SharedBed, startTestBed } from "./bed.ts";

/**
 * Before the first test: one bed for all files of the tier, which take namespaces of their own. Port-forwards lead to
 * ports on which a file may listen.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
    const forwards = await forwardPorts([8181, 9124]);
    const busy = (os.loadavg()[0] ?? 0) / os.availableParallelism();
    const bed = await startTestBed(forwards);
    console.log(
        `the Kubernetes bed was ready ${bed.readySeconds.toFixed(1)} s after its start, at a load of ${busy.toFixed(1)} a core`,
    );
    project.provide("bed", { ...bed.shared, forwards, readySeconds: bed.readySeconds, busy });
    return () => bed.stop();
}

declare module "vitest" {
    interface ProvidedContext {
        bed: SharedBed & {
            /** Where a port-forward to a pod's port leads: a port of this machine on which nothing listens yet. */
            forwards: Record<number, number>;
            /** From the start of the first process to a node that is ready and a registry that answers. */
            readySeconds: number;
            /** Load of the machine before, by core. */
            busy: number;
        };
    }
}
