import * as z from "zod";
import { postgresqlSet } from "../../model/lakekeeper-helm-parts.ts";
import type { ResourceDefinition } from "../resource.ts";
import { accessEffect, kubernetesAccess, openCluster, orUndefined } from "./cluster.ts";
import { type HelmRecord, newestRecord } from "./helm-records.ts";
import { situationOf } from "./interruption.ts";
import {
    databaseLeap,
    lakekeeperRisks,
    lakekeeperSpec,
    refusedLakekeeperChanges,
} from "./lakekeeper-spec.ts";
import { manifestDrift } from "./manifest-drift.ts";
import { beginRun, reviewSituation } from "./release-run.ts";
import { isLarger } from "./release-spec.ts";
import { enlargeClaims } from "./release-state.ts";
import { removeMark } from "./run-mark.ts";

const inputs = z.strictObject({
    access: kubernetesAccess,
    namespace: z.string().min(1),
    release: z.string().min(1),
    spec: lakekeeperSpec,
    /** Refusals that are lifted, by name. */
    allow: z.array(z.enum(lakekeeperRisks)).default([]),
    /** Changes with everything that the release is made from: whenever Helm will work, this resource is updated before. */
    values: z.string(),
    /** Filled in the preview: Helm's record of an operation that was cut off, which the update puts right. */
    interrupted: z.array(z.string()).optional(),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** What a refresh found to differ from what Helm made. */
    drift: string[];
    /** Counts the updates that repaired something; the release's values name it, so that Helm writes its objects anew. */
    repairs: number;
    /** Name of this guard for the mark that a run leaves in the cluster. */
    mark: string;
}

/**
 * Keeps what a Lakekeeper release was last asked to be, as the guard of Fluss does for its own: it refuses changes that
 * lose data, and finds what somebody changed inside of the release.
 */
export const lakekeeperGuard: ResourceDefinition<Inputs, Outputs> = {
    kind: "Lakekeeper release",
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
        const same = old && old.release === wanted.release && old.namespace === wanted.namespace;
        const faults = same ? refusedLakekeeperChanges(old.spec, wanted.spec, wanted.allow ?? []) : [];
        if (!known("access", "namespace", "release")) return { faults };
        const cluster = await openCluster(wanted.access);
        const situation = await situationOf(cluster, wanted);
        const { record, cutOff } = situation;
        const { faults: busy, warnings, interrupted } = reviewSituation(wanted, situation);
        faults.push(...busy);
        if (!same && record?.status === "deployed" && !cutOff) faults.push(stranger(wanted, record));
        return { faults, warnings, inputs: { interrupted } };
    },

    needsUpdate: ({ drift }) => (drift?.length ?? 0) > 0,

    async create(wanted) {
        const { mark } = await beginRun(await openCluster(wanted.access), wanted);
        return { id: `${wanted.namespace}/${wanted.release}`, outputs: { drift: [], repairs: 0, mark } };
    },

    async read(_id, state) {
        const drift = await driftOf(state);
        if (drift.length > 0)
            console.warn(`warning: Lakekeeper release ${state.release}: ${drift.join("; ")}`);
        return { outputs: { drift, repairs: state.repairs, mark: state.mark } };
    },

    async update(_id, state, wanted) {
        const { mark, redone } = await beginRun(await openCluster(wanted.access), wanted, state.mark);
        const { storage } = wanted.spec;
        if (storage && isLarger(state.spec.storage, storage)) await enlarge(wanted, storage.size);
        const repairs = state.repairs + (redone || state.drift.length > 0 ? 1 : 0);
        return { drift: [], repairs, mark };
    },

    async delete(_id, state) {
        // The release is removed by its own resource, before.
        await removeMark(await openCluster(state.access), state);
    },
};

/** A release of that name which this stack did not make: Helm would refuse it, and not say what to do. */
function stranger({ namespace, release, spec }: Inputs, { content }: HelmRecord): string {
    const version = content.chart?.metadata.version ?? "unknown";
    const { enabled } = (content.config?.["postgresql"] ?? {}) as { enabled?: boolean };
    return (
        databaseLeap(version, enabled !== false, spec) ??
        `namespace ${namespace} already has a release "${release}" (chart ${version}) that this stack did not make.\n` +
            "What to do: use it by `existing`, give another name, or remove it with helm uninstall: its volume and the Secrets stay and are taken over"
    );
}

async function driftOf({ access, namespace, release }: Inputs): Promise<string[]> {
    const record = await newestRecord(await openCluster(access), { namespace, release });
    if (!record) return ["the release is not installed"];
    // After a failed operation the objects may be those of either revision.
    if (record.status !== "deployed") return [];
    return manifestDrift(access, namespace, record.content.manifest ?? "");
}

async function enlarge({ access, namespace, release }: Inputs, size: string): Promise<void> {
    const cluster = await openCluster(access);
    const name = postgresqlSet(release);
    const set = await orUndefined(
        `read StatefulSet ${name} in ${namespace}`,
        cluster.apps.readNamespacedStatefulSet({ name, namespace }),
    );
    const claims = (set?.spec?.volumeClaimTemplates ?? []).flatMap(({ metadata }) => metadata?.name ?? []);
    await enlargeClaims(cluster, namespace, name, claims, size);
}
