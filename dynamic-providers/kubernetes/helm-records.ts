import { gunzipSync, gzipSync } from "node:zlib";
import { type Cluster, kubernetesError, orUndefined } from "./cluster.ts";

/** Where a release is. */
export interface ReleasePlace {
    namespace: string;
    release: string;
}

/** What Helm keeps of one revision of a release: a Secret of its own form. */
export interface HelmRecord {
    /** Name of the Secret. */
    name: string;
    /** `deployed`, `failed`, `pending-install` and others of Helm. */
    status: string;
    /** When the revision was begun, in milliseconds; by the clock of the API server. */
    begun: number;
    /** True when this library gave the values: they name its rollout. */
    ours: boolean;
    /** Version of the object, so that a change meanwhile is noticed. */
    resourceVersion: string | undefined;
    content: ReleaseContent;
}

interface ReleaseContent {
    info: { status: string; description?: string };
    config?: Record<string, unknown>;
    chart?: { metadata: { version: string } };
    /** The objects that Helm made, as YAML documents; without those of hooks. */
    manifest?: string;
}

/** The newest revision of a release; undefined when Helm knows none. */
export async function newestRecord(
    cluster: Cluster,
    { namespace, release }: ReleasePlace,
): Promise<HelmRecord | undefined> {
    const labelSelector = `owner=helm,name=${release}`;
    const found = await orUndefined(
        `list Helm's records of ${release} in ${namespace}`,
        cluster.core.listNamespacedSecret({ namespace, labelSelector }),
    );
    const newest = (found?.items ?? [])
        .sort((a, b) => versionOf(a.metadata) - versionOf(b.metadata))
        .findLast(({ data }) => data?.["release"]);
    if (!newest) return undefined;
    const content = decoded(newest.data!["release"]!);
    return {
        name: newest.metadata?.name ?? "",
        status: content.info.status,
        begun: newest.metadata?.creationTimestamp?.getTime() ?? 0,
        ours: namesRollout(content.config),
        resourceVersion: newest.metadata?.resourceVersion,
        content,
    };
}

/** True while Helm refuses every other operation on the release. */
export function isPending({ status }: HelmRecord): boolean {
    return status.startsWith("pending-");
}

/**
 * Says of a revision that it failed, which is what became of it when its run was killed. Helm goes on from a failed
 * revision, both with an upgrade and, told to replace, with an installation; the objects stay.
 */
export async function markFailed(
    cluster: Cluster,
    namespace: string,
    { name, content, resourceVersion }: HelmRecord,
): Promise<void> {
    const { PatchStrategy, setHeaderOptions } = await import("@kubernetes/client-node");
    const info = { ...content.info, status: "failed", description: "The run that began it was cut off" };
    const body = {
        metadata: { resourceVersion, labels: { status: "failed" } },
        data: { release: encoded({ ...content, info }) },
    };
    try {
        await cluster.core.patchNamespacedSecret(
            { name, namespace, body },
            setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
        );
    } catch (error) {
        throw kubernetesError(`mark Helm's record ${name} in ${namespace} as failed`, error);
    }
}

function versionOf(metadata: { labels?: Record<string, string> } | undefined): number {
    return Number(metadata?.labels?.["version"] ?? 0);
}

/** Helm's own form: JSON, compressed, as base64; and once more base64, as every Secret. */
function decoded(data: string): ReleaseContent {
    const inner = Buffer.from(data, "base64").toString("latin1");
    return JSON.parse(gunzipSync(Buffer.from(inner, "base64")).toString("utf8")) as ReleaseContent;
}

function encoded(content: ReleaseContent): string {
    const inner = gzipSync(Buffer.from(JSON.stringify(content))).toString("base64");
    return Buffer.from(inner).toString("base64");
}

/** The annotation that `withRollout` of the model puts into all values of this library. */
function namesRollout(config: Record<string, unknown> | undefined): boolean {
    return JSON.stringify(config ?? {}).includes('"pulumi-fluss/rollout"');
}
