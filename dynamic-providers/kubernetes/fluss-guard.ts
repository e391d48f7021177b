import type { Cluster } from "./cluster.ts";
import { newestRecord } from "./helm-records.ts";
import type { Situation } from "./interruption.ts";
import { manifestDrift } from "./manifest-drift.ts";
import { type GuardInputs, releaseGuard } from "./release-guard.ts";
import {
    isLarger,
    type ReleaseSpec,
    type Risk,
    refusedChanges,
    releaseSpec,
    riskNames,
} from "./release-spec.ts";
import { driftOf, enlargeClaims, otherRelease } from "./release-state.ts";

type Inputs = GuardInputs<ReleaseSpec, Risk>;

/** The guard of a Fluss release. */
export const flussGuard = releaseGuard<ReleaseSpec, Risk>({
    kind: "Fluss release",
    spec: releaseSpec,
    risks: riskNames,

    refused(old, { spec, allow }) {
        const faults = old ? refusedChanges(old.spec, spec, allow ?? []) : [];
        if (spec.replicationFactor > spec.tabletServers) {
            faults.push(
                `replicationFactor: ${spec.replicationFactor} copies cannot be placed on ${spec.tabletServers} tablet servers`,
            );
        }
        return faults;
    },

    async noRoom(cluster, wanted) {
        const other = await otherRelease(cluster, wanted);
        if (other === undefined) return [];
        return [
            `namespace ${wanted.namespace} already has the Fluss cluster of release "${other}"; their objects have the same names. Use another namespace`,
        ];
    },

    notOurs: (wanted, situation, old) => (old ? [] : ownerFaults(wanted, situation)),

    drift: async (cluster, state) => [
        ...(await driftOf(cluster, state, state.spec)),
        ...(await furtherDrift(cluster, state)),
    ],

    enlarge,
});

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
