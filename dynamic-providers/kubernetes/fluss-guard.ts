import * as z from "zod";
import type { ResourceDefinition } from "../resource.ts";
import { kubernetesAccess, openCluster } from "./cluster.ts";
import { isLarger, type ReleaseSpec, refusedChanges, releaseSpec, riskNames } from "./release-spec.ts";
import {
    driftOf,
    enlargeClaims,
    interruptedOperations,
    otherRelease,
    removeRecords,
} from "./release-state.ts";

const inputs = z.strictObject({
    access: kubernetesAccess,
    namespace: z.string().min(1),
    release: z.string().min(1),
    spec: releaseSpec,
    /** Refusals that are lifted, by name. */
    allow: z.array(z.enum(riskNames)).default([]),
    /** Filled in the preview: Helm's records of operations that were cut off, which the update removes. */
    interrupted: z.array(z.string()).optional(),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** What a refresh found to differ from the spec. */
    drift: string[];
    /** Counts the updates that repaired drift; the release's values name it, so that Helm writes its objects anew. */
    repairs: number;
}

/**
 * Keeps what a Fluss release was last asked to be. A component cannot see old values and a Helm release cannot refuse
 * a change: this resource, on which the release depends, does both.
 */
export const flussGuard: ResourceDefinition<Inputs, Outputs> = {
    kind: "Fluss release",
    inputs,
    fields: {
        access: "ignore",
        namespace: "replace",
        release: "replace",
        spec: "update",
        allow: "ignore",
        interrupted: ({ new: found }) => (found && found.length > 0 ? "update" : "ignore"),
    },
    secretInputs: ["access"],

    async review({ old, new: wanted, known }) {
        if (!known("spec", "allow")) return {};
        const faults = old ? refusedChanges(old.spec, wanted.spec, wanted.allow ?? []) : [];
        if (wanted.spec.replicationFactor > wanted.spec.tabletServers) {
            faults.push(
                `replicationFactor: ${wanted.spec.replicationFactor} copies cannot be placed on ${wanted.spec.tabletServers} tablet servers`,
            );
        }
        if (!known("access", "namespace", "release")) return { faults };
        const cluster = await openCluster(wanted.access);
        const other = await otherRelease(cluster, wanted);
        if (other !== undefined) {
            faults.push(
                `namespace ${wanted.namespace} already has the Fluss cluster of release "${other}"; their objects have the same names. Use another namespace`,
            );
        }
        const interrupted = await interruptedOperations(cluster, wanted);
        const warnings =
            interrupted.length > 0
                ? [
                      `an operation of Helm on ${wanted.release} was cut off; its record is removed and the work is done again`,
                  ]
                : [];
        return { faults, warnings, inputs: { interrupted } };
    },

    needsUpdate: ({ drift }) => (drift?.length ?? 0) > 0,

    async create(wanted) {
        await clean(wanted);
        return { id: `${wanted.namespace}/${wanted.release}`, outputs: { drift: [], repairs: 0 } };
    },

    async read(_id, state) {
        const cluster = await openCluster(state.access);
        const drift = await driftOf(cluster, state, state.spec);
        if (drift.length > 0) console.warn(`warning: Fluss release ${state.release}: ${drift.join("; ")}`);
        return { outputs: { drift, repairs: state.repairs } };
    },

    async update(_id, state, wanted) {
        await clean(wanted);
        await enlarge(wanted, state.spec);
        return { drift: [], repairs: state.repairs + (state.drift.length > 0 ? 1 : 0) };
    },

    async delete() {
        // It keeps a record only; the release is removed by its own resource.
    },
};

async function clean({ access, namespace, release }: Inputs): Promise<void> {
    const cluster = await openCluster(access);
    const records = await interruptedOperations(cluster, { namespace, release });
    await removeRecords(cluster, namespace, records);
}

async function enlarge({ access, namespace, release, spec }: Inputs, old: ReleaseSpec): Promise<void> {
    const sets = [
        { set: "tablet-server", part: "tabletStorage", claims: ["data"] },
        { set: "coordinator-server", part: "coordinatorStorage", claims: ["data"] },
        { set: `${release}-zookeeper`, part: "zookeeperStorage", claims: ["data", "data-log"] },
    ] as const;
    for (const { set, part, claims } of sets) {
        const wanted = spec[part];
        if (!wanted || !isLarger(old[part], wanted)) continue;
        await enlargeClaims(await openCluster(access), namespace, set, [...claims], wanted.size);
    }
}
