import { randomBytes } from "node:crypto";
import * as z from "zod";
import { postgresqlSet } from "../../model/lakekeeper-helm-parts.ts";
import type { ResourceDefinition } from "../resource.ts";
import { accessEffect, kubernetesAccess, openCluster, orUndefined } from "./cluster.ts";
import { type HelmRecord, markFailed, newestRecord } from "./helm-records.ts";
import { situationOf } from "./interruption.ts";
import {
    databaseLeap,
    lakekeeperRisks,
    lakekeeperSpec,
    refusedLakekeeperChanges,
} from "./lakekeeper-spec.ts";
import { manifestDrift } from "./manifest-drift.ts";
import { isLarger } from "./release-spec.ts";
import { enlargeClaims } from "./release-state.ts";
import { announceFinished, announceRun, removeMark } from "./run-mark.ts";

const inputs = z.strictObject({
    access: kubernetesAccess,
    namespace: z.string().min(1),
    release: z.string().min(1),
    spec: lakekeeperSpec,
    /** Refusals that are lifted, by name. */
    allow: z.array(z.enum(lakekeeperRisks)).default([]),
    /** Filled in the preview: Helm's record of an operation that was cut off, which the update puts right. */
    interrupted: z.array(z.string()).optional(),
});

type Inputs = z.output<typeof inputs>;

interface Outputs {
    /** What a refresh found to differ from what Helm made. */
    drift: string[];
    /** Counts the updates that repaired drift; the release's values name it, so that Helm writes its objects anew. */
    repairs: number;
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
        interrupted: ({ new: found }) => (found && found.length > 0 ? "update" : "ignore"),
    },
    secretInputs: ["access"],

    async review({ old, new: wanted, known }) {
        if (!known("spec", "allow")) return {};
        const same = old && old.release === wanted.release && old.namespace === wanted.namespace;
        const faults = same ? refusedLakekeeperChanges(old.spec, wanted.spec, wanted.allow ?? []) : [];
        if (!known("access", "namespace", "release")) return { faults };
        const cluster = await openCluster(wanted.access);
        const { record, cutOff, busy } = await situationOf(cluster, wanted);
        if (busy !== undefined) faults.push(busyText(wanted, busy));
        if (!same && record?.status === "deployed" && !cutOff) faults.push(stranger(wanted, record));
        const warnings = cutOff
            ? [`an operation of Helm on ${wanted.release} was cut off; the work is done again`]
            : [];
        return { faults, warnings, inputs: { interrupted: cutOff && record ? [record.name] : [] } };
    },

    needsUpdate: ({ drift }) => (drift?.length ?? 0) > 0,

    async create(wanted) {
        await begin(wanted);
        return { id: `${wanted.namespace}/${wanted.release}`, outputs: { drift: [], repairs: 0 } };
    },

    async read(_id, state) {
        const drift = await driftOf(state);
        if (drift.length > 0)
            console.warn(`warning: Lakekeeper release ${state.release}: ${drift.join("; ")}`);
        return { outputs: { drift, repairs: state.repairs } };
    },

    async update(_id, state, wanted) {
        await begin(wanted);
        const { storage } = wanted.spec;
        if (storage && isLarger(state.spec.storage, storage)) await enlarge(wanted, storage.size);
        return { drift: [], repairs: state.repairs + (state.drift.length > 0 ? 1 : 0) };
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

/** Makes the way free for Helm, and gives signs of life as long as this run is at work. */
async function begin({ access, namespace, release }: Inputs): Promise<void> {
    const cluster = await openCluster(access);
    const place = { namespace, release };
    const { record, cutOff, busy } = await situationOf(cluster, place);
    if (busy !== undefined) throw new Error(busyText(place, busy));
    if (cutOff && record) await markFailed(cluster, namespace, record);
    const mark = randomBytes(8).toString("hex");
    await announceRun(cluster, place, mark);
    // At once: whether Pulumi has learnt that Helm finished is followed for the servers of Fluss only.
    await announceFinished(cluster, place, mark);
}

function busyText({ namespace, release }: { namespace: string; release: string }, who: string): string {
    return (
        `release ${release} in ${namespace}: ${who} is at work on it.\n` +
        "What to do: wait for its end, then run again"
    );
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
