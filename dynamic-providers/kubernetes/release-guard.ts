import * as z from "zod";
import type { ResourceDefinition } from "../resource.ts";
import { accessEffect, type Cluster, kubernetesAccess, openCluster } from "./cluster.ts";
import type { ReleasePlace } from "./helm-records.ts";
import { type Situation, situationOf } from "./interruption.ts";
import { beginRun, reviewSituation } from "./release-run.ts";
import { claimsOf, instanceLabel } from "./release-state.ts";
import { removeMark } from "./run-mark.ts";

/** What a guard is asked for; `S` is what data-losing changes of the release can be told by. */
export interface GuardInputs<S, Risk extends string> {
    access: z.output<typeof kubernetesAccess>;
    namespace: string;
    release: string;
    spec: S;
    /** Refusals that are lifted, by name. */
    allow: Risk[];
    /** Changes with everything that the release is made from: whenever Helm will work, this resource is updated before. */
    values: string;
    /** Filled in the preview: Helm's record of an operation that was cut off, which the update puts right. */
    interrupted?: string[] | undefined;
}

/** What a guard tells. */
export interface GuardOutputs {
    /** What a refresh found to differ from what is declared. */
    drift: string[];
    /** Counts the updates that repaired something; the release's values name it, so that Helm writes its objects anew. */
    repairs: number;
    /** Name of this guard for the mark that a run leaves in the cluster. */
    mark: string;
}

/** In what the guard of one product differs from that of another. */
export interface Guarded<S, Risk extends string> {
    /** What it is, for errors and warnings: "Fluss release". */
    kind: string;
    spec: z.ZodType<S>;
    risks: readonly [Risk, ...Risk[]];
    /** Why the change is refused, by the specs alone. `old` is undefined when the guard is new. */
    refused(old: GuardInputs<S, Risk> | undefined, wanted: GuardInputs<S, Risk>): string[];
    /** Why there is no room for it in the namespace. */
    noRoom?(cluster: Cluster, wanted: GuardInputs<S, Risk>): Promise<string[]>;
    /** Why it is refused by the release that is there, beside an operation that is under way. */
    notOurs(
        wanted: GuardInputs<S, Risk>,
        situation: Situation,
        old: GuardInputs<S, Risk> | undefined,
    ): string[];
    /** What differs in the cluster, a line each. */
    drift(cluster: Cluster, state: GuardInputs<S, Risk>): Promise<string[]>;
    /** Makes the claims larger that Helm itself cannot change. */
    enlarge(cluster: Cluster, wanted: GuardInputs<S, Risk>, old: S): Promise<void>;
}

/**
 * Keeps what a release was last asked to be. A component cannot see old values and a Helm release cannot refuse a
 * change: this resource, on which the release depends, does both.
 */
export function releaseGuard<S extends object, Risk extends string>(
    guarded: Guarded<S, Risk>,
): ResourceDefinition<GuardInputs<S, Risk>, GuardOutputs> {
    return {
        kind: guarded.kind,
        inputs: z.strictObject({
            access: kubernetesAccess,
            namespace: z.string().min(1),
            release: z.string().min(1),
            spec: guarded.spec,
            allow: z.array(z.enum(guarded.risks) as unknown as z.ZodType<Risk>).default([]),
            values: z.string(),
            interrupted: z.array(z.string()).optional(),
        }),
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
            const faults = guarded.refused(old, wanted);
            if (!known("access", "namespace", "release")) return { faults };
            const cluster = await openCluster(wanted.access);
            faults.push(...((await guarded.noRoom?.(cluster, wanted)) ?? []));
            const situation = await situationOf(cluster, wanted);
            const { faults: busy, warnings, interrupted } = reviewSituation(wanted, situation);
            faults.push(...busy, ...guarded.notOurs(wanted, situation, old));
            return { faults, warnings, inputs: { interrupted } };
        },

        needsUpdate: ({ drift }) => (drift?.length ?? 0) > 0,

        async create(wanted) {
            const { mark } = await beginRun(await openCluster(wanted.access), wanted);
            return { id: `${wanted.namespace}/${wanted.release}`, outputs: { drift: [], repairs: 0, mark } };
        },

        async read(_id, state) {
            const drift = await guarded.drift(await openCluster(state.access), state);
            if (drift.length > 0)
                console.warn(`warning: ${guarded.kind} ${state.release}: ${drift.join("; ")}`);
            return { outputs: { drift, repairs: state.repairs, mark: state.mark } };
        },

        async update(_id, state, wanted) {
            const cluster = await openCluster(wanted.access);
            const { mark, redone } = await beginRun(cluster, wanted, state.mark);
            await guarded.enlarge(cluster, wanted, state.spec);
            const repairs = state.repairs + (redone || state.drift.length > 0 ? 1 : 0);
            return { drift: [], repairs, mark };
        },

        async delete(_id, state) {
            // The release is removed by its own resource, before.
            const cluster = await openCluster(state.access);
            await removeMark(cluster, state);
            console.warn(`${guarded.kind} ${state.release}: ${await remains(cluster, state)}`);
        },
    };
}

/** What Kubernetes keeps when Helm has removed a release, and what becomes of it. */
async function remains(cluster: Cluster, { namespace, release }: ReleasePlace): Promise<string> {
    let claims: string[];
    try {
        claims = await claimsOf(cluster, { namespace, release });
    } catch (error) {
        // It is gone all the same, and nothing is to be done again.
        return `it is gone; whether volumes of it stay could not be seen: ${(error as Error).message}`;
    }
    if (claims.length === 0) return "it is gone, and no volume of it stays";
    const last = claims.length > 1 ? `the claims ${claims.join(", ")} stay` : `the claim ${claims[0]} stays`;
    return (
        `it is gone, its data is not: ${last} in namespace ${namespace}, and the next installation of that name takes them over. ` +
        `To lose the data for good: kubectl delete pvc -n ${namespace} -l ${instanceLabel}=${release}`
    );
}
