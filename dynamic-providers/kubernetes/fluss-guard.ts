import * as z from "zod";
import type { ResourceDefinition } from "../resource.ts";
import { accessEffect, type Cluster, kubernetesAccess, openCluster } from "./cluster.ts";
import { newestRecord } from "./helm-records.ts";
import { type Situation, situationOf } from "./interruption.ts";
import { manifestDrift } from "./manifest-drift.ts";
import { beginRun, reviewSituation } from "./release-run.ts";
import { isLarger, type ReleaseSpec, refusedChanges, releaseSpec, riskNames } from "./release-spec.ts";
import { driftOf, enlargeClaims, otherRelease } from "./release-state.ts";
import { removeMark } from "./run-mark.ts";

const inputs = z.strictObject({
    access: kubernetesAccess,
    namespace: z.string().min(1),
    release: z.string().min(1),
    spec: releaseSpec,
    /** Refusals that are lifted, by name. */
    allow: z.array(z.enum(riskNames)).default([]),
    /** Changes with everything that the release is made from: whenever Helm will work, this resource is updated before. */
    values: z.string(),
    /** Filled in the preview: Helm's record of an operation that was cut off, which the update puts right. */
    interrupted: z.array(z.string()).optional(),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** What a refresh found to differ from the spec. */
    drift: string[];
    /** Counts the updates that repaired something; the release's values name it, so that Helm writes its objects anew. */
    repairs: number;
    /** Name of this guard for the mark that a run leaves in the cluster. */
    mark: string;
}

/**
 * Keeps what a Fluss release was last asked to be. A component cannot see old values and a Helm release cannot refuse
 * a change: this resource, on which the release depends, does both.
 */
export const flussGuard: ResourceDefinition<Inputs, Outputs> = {
    kind: "Fluss release",
    inputs,
    fields: {
        access: accessEffect,
        namespace: "replace",
        release: "replace",
        spec: "update",
        allow: "ignore",
        values: "update",
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
        const situation = await situationOf(cluster, wanted);
        const { faults: busy, warnings, interrupted } = reviewSituation(wanted, situation);
        faults.push(...busy);
        if (!old) faults.push(...ownerFaults(wanted, situation));
        return { faults, warnings, inputs: { interrupted } };
    },

    needsUpdate: ({ drift }) => (drift?.length ?? 0) > 0,

    async create(wanted) {
        const { mark } = await beginRun(await openCluster(wanted.access), wanted);
        return { id: `${wanted.namespace}/${wanted.release}`, outputs: { drift: [], repairs: 0, mark } };
    },

    async read(_id, state) {
        const cluster = await openCluster(state.access);
        const drift = [
            ...(await driftOf(cluster, state, state.spec)),
            ...(await furtherDrift(cluster, state)),
        ];
        if (drift.length > 0) console.warn(`warning: Fluss release ${state.release}: ${drift.join("; ")}`);
        return { outputs: { drift, repairs: state.repairs, mark: state.mark } };
    },

    async update(_id, state, wanted) {
        const cluster = await openCluster(wanted.access);
        const { mark, redone } = await beginRun(cluster, wanted, state.mark);
        await enlarge(cluster, wanted, state.spec);
        const repairs = state.repairs + (redone || state.drift.length > 0 ? 1 : 0);
        return { drift: [], repairs, mark };
    },

    async delete(_id, state) {
        // The release is removed by its own resource, before.
        await removeMark(await openCluster(state.access), state);
    },
};

/** What differs in the objects that Helm made, beside what {@link driftOf} tells of servers and options. */
async function furtherDrift(cluster: Cluster, { access, namespace, release }: Inputs): Promise<string[]> {
    const record = await newestRecord(cluster, { namespace, release });
    // After a failed operation the objects may be those of either revision.
    if (record?.status !== "deployed") return [];
    const lines = await manifestDrift(access, namespace, record.content.manifest ?? "");
    return lines.filter((line) => !toldBefore.test(line));
}

const toldBefore =
    /^(ConfigMap fluss-conf-file |StatefulSet (tablet|coordinator)-server (is missing$|has another spec\.replicas:))/;

/** A release that is there before its guard is somebody else's, unless the run that made it was cut off. */
function ownerFaults({ namespace, release }: Inputs, { record, mark, cutOff }: Situation): string[] {
    if (record?.status !== "deployed" || cutOff) return [];
    if (!record.ours) {
        return [
            `release ${release} in ${namespace} was installed by Helm itself and is not taken over.\n` +
                "What to do: use it by `existing`, give another name, or uninstall it; its volumes stay",
        ];
    }
    if (!mark) return [];
    return [
        `release ${release} in ${namespace} belongs to another stack.\n` +
            `What to do: give another name and namespace. If that stack is lost: kubectl delete lease pulumi-fluss-${release} -n ${namespace}, then uninstall the release with Helm; its volumes stay`,
    ];
}

async function enlarge(
    cluster: Cluster,
    { namespace, release, spec }: Inputs,
    old: ReleaseSpec,
): Promise<void> {
    const sets = [
        { set: "tablet-server", part: "tabletStorage", claims: ["data"] },
        { set: "coordinator-server", part: "coordinatorStorage", claims: ["data"] },
        { set: `${release}-zookeeper`, part: "zookeeperStorage", claims: ["data", "data-log"] },
    ] as const;
    for (const { set, part, claims } of sets) {
        const wanted = spec[part];
        if (!wanted || !isLarger(old[part], wanted)) continue;
        await enlargeClaims(cluster, namespace, set, [...claims], wanted.size);
    }
}
