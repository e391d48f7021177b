import { type Cluster, kubernetesError, orUndefined } from "./cluster.ts";
import type { ReleasePlace } from "./helm-records.ts";
import type { ReleaseSpec } from "./release-spec.ts";

/** By which the objects of a release are known, also the claims that its sets have made. */
export const instanceLabel = "app.kubernetes.io/instance";

/** Name of another release that has the Fluss servers of the namespace; their objects' names are fixed. */
export async function otherRelease(
    cluster: Cluster,
    { namespace, release }: ReleasePlace,
): Promise<string | undefined> {
    const set = await orUndefined(
        `read StatefulSet coordinator-server in ${namespace}`,
        cluster.apps.readNamespacedStatefulSet({ name: "coordinator-server", namespace }),
    );
    const owner = set?.metadata?.labels?.[instanceLabel];
    return owner === undefined || owner === release ? undefined : owner;
}

/**
 * What differs between the spec and the installed objects, one line each. Neither Helm nor Pulumi's Release looks at
 * the objects inside of a release: a patched ConfigMap or a scaled set stays as it is, unseen.
 */
export async function driftOf(cluster: Cluster, place: ReleasePlace, spec: ReleaseSpec): Promise<string[]> {
    const { namespace } = place;
    const drift: string[] = [];
    for (const [name, replicas] of [
        ["tablet-server", spec.tabletServers],
        ["coordinator-server", spec.coordinators],
    ] as const) {
        const set = await orUndefined(
            `read StatefulSet ${name} in ${namespace}`,
            cluster.apps.readNamespacedStatefulSet({ name, namespace }),
        );
        if (!set) drift.push(`StatefulSet ${name} is missing`);
        else if (set.spec?.replicas !== replicas) {
            drift.push(`StatefulSet ${name} has ${set.spec?.replicas} replicas, not ${replicas}`);
        }
    }
    const installed = await installedOptions(cluster, namespace);
    if (!installed) return [...drift, "ConfigMap fluss-conf-file is missing"];
    for (const [key, value] of Object.entries(spec.options)) {
        const found = installed.get(key);
        if (found === value) continue;
        drift.push(
            found === undefined
                ? `server.yaml has no ${key}`
                : `server.yaml has another value of ${key}${isQuiet(key) ? "" : `: ${found}, not ${value}`}`,
        );
    }
    return drift;
}

/** The options that the servers read; undefined when their ConfigMap is missing. */
export async function installedOptions(
    cluster: Cluster,
    namespace: string,
): Promise<Map<string, string> | undefined> {
    const config = await orUndefined(
        `read ConfigMap fluss-conf-file in ${namespace}`,
        cluster.core.readNamespacedConfigMap({ name: "fluss-conf-file", namespace }),
    );
    return config && parseServerYaml(config.data?.["server.yaml"] ?? "");
}

/** Fluss's own parser: one option a line, split at the first `: `. */
export function parseServerYaml(text: string): Map<string, string> {
    return new Map(
        text.split("\n").flatMap((line) => {
            const at = line.indexOf(": ");
            return at < 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 2).trim()] as const];
        }),
    );
}

/** True for an option whose value must not be shown. */
export function isQuiet(key: string): boolean {
    return /password|secret|token|key|credential|jaas/i.test(key);
}

/** Names of the release's claims, which Kubernetes keeps when the sets are gone. */
export async function claimsOf(cluster: Cluster, { namespace, release }: ReleasePlace): Promise<string[]> {
    const found = await orUndefined(
        `list the claims of ${release} in ${namespace}`,
        cluster.core.listNamespacedPersistentVolumeClaim({
            namespace,
            labelSelector: `${instanceLabel}=${release}`,
        }),
    );
    return (found?.items ?? []).flatMap(({ metadata }) => metadata?.name ?? []).sort();
}

/**
 * Makes the claims of a set larger, then removes the set and leaves its pods: a set's claims cannot be changed, and the
 * upgrade that follows makes it anew around the same pods and claims.
 */
export async function enlargeClaims(
    cluster: Cluster,
    namespace: string,
    set: string,
    prefixes: string[],
    size: string,
): Promise<void> {
    const { setHeaderOptions, PatchStrategy } = await import("@kubernetes/client-node");
    const what = `list the claims of ${set} in ${namespace}`;
    const claims = await orUndefined(what, cluster.core.listNamespacedPersistentVolumeClaim({ namespace }));
    const names = (claims?.items ?? [])
        .flatMap(({ metadata }) => metadata?.name ?? [])
        .filter((name) => prefixes.some((prefix) => new RegExp(`^${prefix}-${set}-\\d+$`).test(name)));
    for (const name of names) {
        const body = { spec: { resources: { requests: { storage: size } } } };
        try {
            await cluster.core.patchNamespacedPersistentVolumeClaim(
                { name, namespace, body },
                setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
            );
        } catch (error) {
            throw kubernetesError(`make claim ${name} in ${namespace} ${size} large`, error);
        }
    }
    await orUndefined(
        `remove StatefulSet ${set} in ${namespace} without its pods`,
        cluster.apps.deleteNamespacedStatefulSet({ name: set, namespace, propagationPolicy: "Orphan" }),
    );
}
