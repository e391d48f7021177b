import { postgresqlSet } from "../../model/lakekeeper-helm-parts.ts";
import { orUndefined } from "./cluster.ts";
import { type HelmRecord, newestRecord } from "./helm-records.ts";
import {
    databaseLeap,
    type LakekeeperRisk,
    type LakekeeperSpec,
    lakekeeperRisks,
    lakekeeperSpec,
    refusedLakekeeperChanges,
} from "./lakekeeper-spec.ts";
import { manifestDrift } from "./manifest-drift.ts";
import { type GuardInputs, releaseGuard } from "./release-guard.ts";
import { isLarger } from "./release-spec.ts";
import { enlargeClaims } from "./release-state.ts";

type Inputs = GuardInputs<LakekeeperSpec, LakekeeperRisk>;

/** The guard of a Lakekeeper release. */
export const lakekeeperGuard = releaseGuard<LakekeeperSpec, LakekeeperRisk>({
    kind: "Lakekeeper release",
    spec: lakekeeperSpec,
    risks: lakekeeperRisks,

    refused: (old, wanted) =>
        isSame(old, wanted) ? refusedLakekeeperChanges(old.spec, wanted.spec, wanted.allow ?? []) : [],

    notOurs: (wanted, { record, cutOff }, old) =>
        !isSame(old, wanted) && record?.status === "deployed" && !cutOff ? [stranger(wanted, record)] : [],

    async drift(cluster, { access, namespace, release }) {
        const record = await newestRecord(cluster, { namespace, release });
        if (!record) return ["the release is not installed"];
        // After a failed operation the objects may be those of either revision.
        if (record.status !== "deployed") return [];
        return manifestDrift(access, namespace, record.content.manifest ?? "");
    },

    async enlarge(cluster, { namespace, release, spec: { storage } }, old) {
        if (!storage || !isLarger(old.storage, storage)) return;
        const name = postgresqlSet(release);
        const set = await orUndefined(
            `read StatefulSet ${name} in ${namespace}`,
            cluster.apps.readNamespacedStatefulSet({ name, namespace }),
        );
        const claims = (set?.spec?.volumeClaimTemplates ?? []).flatMap(
            ({ metadata }) => metadata?.name ?? [],
        );
        await enlargeClaims(cluster, namespace, name, claims, storage.size);
    },
});

function isSame(old: Inputs | undefined, wanted: Inputs): old is Inputs {
    return old?.release === wanted.release && old.namespace === wanted.namespace;
}

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
