import * as z from "zod";
import type { ResourceDefinition } from "../resource.ts";
import { accessEffect, type Cluster, kubernetesAccess, openCluster } from "./cluster.ts";
import { installedOptions, isQuiet } from "./release-state.ts";
import { announceFinished } from "./run-mark.ts";

const inputs = z.strictObject({
    access: kubernetesAccess,
    namespace: z.string().min(1),
    release: z.string().min(1),
    /** `mark` of the guard. */
    guard: z.string().min(1),
    /** Revision of the release: each is looked at anew. */
    revision: z.int(),
    /** Options of the servers about the lake as they are wanted; those that hold secrets are left out. */
    wanted: z.record(z.string(), z.string()),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** The servers' options about the lake as they were read back, without those that hold secrets. */
    tiering: Record<string, string>;
}

/**
 * Looks, once a Fluss release is installed, whether its servers are configured to tier to the lake (quickstart, "Verify
 * Lake Tiering Is Configured"): reads the configuration back from the cluster. It also says that the installation is
 * finished, by which the guard of the next run knows that Pulumi has a record of it.
 */
export const tieringCheck: ResourceDefinition<Inputs, Outputs> = {
    kind: "check of the Fluss release",
    inputs,
    fields: {
        access: accessEffect,
        namespace: "replace",
        release: "replace",
        guard: "update",
        revision: "update",
        wanted: "update",
    },
    secretInputs: ["access"],

    async create(wanted) {
        return { id: `${wanted.namespace}/${wanted.release}`, outputs: await check(wanted) };
    },

    async update(_id, _state, wanted) {
        return check(wanted);
    },

    async read(_id, state) {
        const cluster = await openCluster(state.access);
        return { outputs: { tiering: (await readBack(cluster, state.namespace)) ?? {} } };
    },

    async delete() {
        // It made nothing.
    },
};

async function check(wanted: Inputs): Promise<Outputs> {
    const cluster = await openCluster(wanted.access);
    await announceFinished(cluster, wanted, wanted.guard);
    const tiering = await readBack(cluster, wanted.namespace);
    if (!tiering) {
        throw new Error(
            `Fluss release ${wanted.release} in ${wanted.namespace}: there is no ConfigMap fluss-conf-file, from which the servers are configured.\n` +
                "What to do: look whether the chart is one of Fluss (chart.location)",
        );
    }
    const keys = [...new Set([...Object.keys(wanted.wanted), ...Object.keys(tiering)])].sort();
    const faults = keys
        .filter((key) => tiering[key] !== wanted.wanted[key])
        .map((key) => `${key} is ${tiering[key] ?? "not set"}, not ${wanted.wanted[key] ?? "unset"}`);
    if (faults.length === 0) return { tiering };
    throw new Error(
        `Fluss release ${wanted.release} in ${wanted.namespace}: tiering is not configured as wanted: ${faults.join("; ")}.\n` +
            "What to do: somebody or another chart writes the servers' configuration; look at ConfigMap fluss-conf-file",
    );
}

async function readBack(cluster: Cluster, namespace: string): Promise<Record<string, string> | undefined> {
    const options = await installedOptions(cluster, namespace);
    return options && tieringOptions(options);
}

/** The options about the lake that hold no secret. */
export function tieringOptions(options: Iterable<[string, string]>): Record<string, string> {
    return Object.fromEntries([...options].filter(([key]) => key.startsWith("datalake.") && !isQuiet(key)));
}
