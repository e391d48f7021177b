/** A tier of tests: a folder of `test/`, or the check of the sources. */
export interface Tier {
    name: string;
    /** How long it may take on a slow machine beside another tier. The tools that it needs are made before and do not count. */
    minutes: number;
    /** Whether it needs the Pulumi CLI and the local servers. */
    tools: boolean;
    /** Only runs when it is named. */
    onRequest?: true;
}

/** In order: what tells of a mistake soonest comes first. Where two run side by side, one begins here and one at the end. */
export const tiers: readonly Tier[] = [
    { name: "check", minutes: 5, tools: false },
    { name: "unit", minutes: 15, tools: false },
    { name: "lakekeeper", minutes: 5, tools: false },
    { name: "faults", minutes: 20, tools: false },
    { name: "engine", minutes: 30, tools: true },
    { name: "secrets", minutes: 10, tools: true },
    { name: "package", minutes: 10, tools: false },
    { name: "policies", minutes: 5, tools: true },
    { name: "kubernetes", minutes: 25, tools: true },
    // The whole quickstart stack, installed on the Kubernetes bed.
    { name: "e2e-kubernetes", minutes: 20, tools: true },
    { name: "fluss", minutes: 30, tools: true },
    { name: "lakes", minutes: 15, tools: true },
    { name: "e2e", minutes: 40, tools: true },
    // All about the VVP provider, out of the tiers above; with VV_API_HOST on a real platform. See `vitest.config.ts`.
    { name: "vvp", minutes: 20, tools: true, onRequest: true },
];

/** Whether it runs on the Kubernetes bed, whose programs take long to build. */
export function onKubernetes({ name }: Tier): boolean {
    return name.endsWith("kubernetes");
}
