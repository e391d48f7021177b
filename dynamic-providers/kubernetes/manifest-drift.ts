import type { KubernetesObject } from "@kubernetes/client-node";
import { bytesOf } from "../../model/quantity.ts";
import { apiClient, statusOf } from "./api-client.ts";
import { type KubernetesAccess, kubernetesError, loadKubeConfig } from "./cluster.ts";

/**
 * What differs between the objects that Helm made and those in the cluster, one line each. Neither Helm nor Pulumi's
 * Release looks at the objects inside of a release: a patched one stays as it is, unseen. Values are told only where
 * they cannot be a secret.
 */
export async function manifestDrift(
    access: KubernetesAccess,
    namespace: string,
    manifest: string,
): Promise<string[]> {
    const { KubernetesObjectApi } = await import("@kubernetes/client-node");
    const { parseAllDocuments } = await import("yaml");
    // Each object is asked for in a namespace, so that the client needs none of its own.
    const api = await apiClient(await loadKubeConfig(access), KubernetesObjectApi);
    const objects = parseAllDocuments(manifest)
        .map((document) => document.toJSON() as Manifest | null)
        .filter((object): object is Manifest => object?.kind !== undefined)
        // A Job is done once: Kubernetes may have removed it since, and nothing in it can be changed.
        .filter(({ kind }) => kind !== "Job");
    const scaled = scaledByOthers(objects);
    const lines = await Promise.all(
        objects.map(async (wanted) => {
            const name = wanted.metadata.name ?? "";
            const at = { name, namespace: wanted.metadata.namespace ?? namespace };
            const what = `${wanted.kind} ${name}`;
            try {
                const live = await api.read({ ...wanted, metadata: at });
                return compareObject(wanted, live, scaled.has(what)).map((line) => `${what}${line}`);
            } catch (error) {
                if (statusOf(error) === 404) return [`${what} is missing`];
                throw kubernetesError(`read ${what} in ${at.namespace}`, error);
            }
        }),
    );
    return lines.flat();
}

/** An object of the manifest. */
export type Manifest = KubernetesObject & {
    kind: string;
    metadata: { name?: string; namespace?: string };
    [field: string]: unknown;
};

/** How a live object differs from what Helm made: ` has another spec.replicas: 2, not 1`. */
export function compareObject(wanted: Manifest, live: object, scaledByOthers = false): string[] {
    const { status: _, stringData, ...rest } = wanted as Manifest & { stringData?: Record<string, string> };
    const asked: Record<string, unknown> = { ...rest };
    if (stringData) {
        const data = Object.entries(stringData).map(([key, value]) => [
            key,
            Buffer.from(String(value)).toString("base64"),
        ]);
        asked["data"] = { ...(rest["data"] as object | undefined), ...Object.fromEntries(data) };
    }
    return differences(asked, live, [])
        .filter(({ path }) => !(scaledByOthers && path.join(".") === "spec.replicas"))
        .map(({ path, wanted: before, live: now }) => {
            const place = path.join(".");
            const open = wanted.kind !== "Secret" && !/password|secret|token|key|credential/i.test(place);
            if (now === undefined) return ` has no ${place}`;
            return ` has another ${place}${open ? `: ${short(now)}, not ${short(before)}` : ""}`;
        });
}

interface Difference {
    path: string[];
    wanted: unknown;
    live: unknown;
}

/** What is asked for and not so; what the cluster adds by itself is no difference. */
function differences(wanted: unknown, live: unknown, path: string[]): Difference[] {
    if (isNothing(wanted) && isNothing(live)) return [];
    if (Array.isArray(wanted)) {
        if (!Array.isArray(live) || live.length !== wanted.length) return [{ path, wanted, live }];
        return wanted.flatMap((item, index) =>
            differences(item, live[index], [...path, nameOf(item) ?? String(index)]),
        );
    }
    if (typeof wanted === "object" && wanted !== null) {
        if (typeof live !== "object" || live === null) return [{ path, wanted, live }];
        return Object.entries(wanted).flatMap(([key, value]) =>
            differences(value, (live as Record<string, unknown>)[key], [...path, key]),
        );
    }
    return isSame(wanted, live, path) ? [] : [{ path, wanted, live }];
}

/** Kubernetes leaves out what says nothing, and Helm's templates write it. */
function isNothing(value: unknown): boolean {
    if (value === undefined || value === null || value === "" || value === false || value === 0) return true;
    return typeof value === "object" && Object.keys(value).length === 0;
}

function isSame(wanted: unknown, live: unknown, path: string[]): boolean {
    if (String(wanted) === String(live)) return true;
    // Kubernetes writes a quantity in its shortest form: 1000m becomes 1.
    const isQuantity = path.some((key) => /^(requests|limits|sizeLimit|hard)$/.test(key));
    return isQuantity && bytesOf(String(wanted)) === bytesOf(String(live));
}

function nameOf(item: unknown): string | undefined {
    const { name } = (item ?? {}) as { name?: unknown };
    return typeof name === "string" ? name : undefined;
}

/** Deployments and the like whose number of pods an autoscaler sets. */
function scaledByOthers(objects: Manifest[]): Set<string> {
    return new Set(
        objects
            .filter(({ kind }) => kind === "HorizontalPodAutoscaler")
            .map(({ spec }) => {
                const target = (spec as { scaleTargetRef?: { kind?: string; name?: string } } | undefined)
                    ?.scaleTargetRef;
                return `${target?.kind} ${target?.name}`;
            }),
    );
}

function short(value: unknown): string {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
