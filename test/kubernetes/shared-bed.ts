import { inject } from "vitest";
import { openBed, type TestBed } from "./bed.ts";

/** The bed of the tier, for one file of it: namespaces of its own, and the ends of port-forwards as long as it runs. */
export function sharedBed(): TestBed & { forwards: Record<number, number> } {
    const { kubeconfig, registry, env, pluginDir, forwards } = inject("bed");
    return { ...openBed({ kubeconfig, registry, env, pluginDir }), forwards };
}
