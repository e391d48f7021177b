import type {
    AppsV1Api,
    AuthorizationV1Api,
    CoordinationV1Api,
    CoreV1Api,
    KubeConfig,
    NetworkingV1Api,
} from "@kubernetes/client-node";
import * as z from "zod";
import type { Change, Effect } from "../resource.ts";
import { hasUnknown } from "../unknown.ts";

/** How a Kubernetes cluster is reached. */
export const kubernetesAccess = z.strictObject({
    /**
     * The text of a kubeconfig. Default: the file that `KUBECONFIG` names, or `~/.kube/config`. The file that
     * `PULUMI_FLUSS_KUBECONFIG` names wins over it.
     */
    kubeconfig: z.string().min(1).optional(),
    /** A context in it. Default: its current one. */
    context: z.string().min(1).optional(),
});

/** See {@link kubernetesAccess}. */
export type KubernetesAccess = z.output<typeof kubernetesAccess>;

/** The parts of the Kubernetes API that are called here. */
export interface Cluster {
    core: CoreV1Api;
    apps: AppsV1Api;
    authorization: AuthorizationV1Api;
    networking: NetworkingV1Api;
    leases: CoordinationV1Api;
}

/**
 * Other credentials are an update: refresh and destroy call with those of the state, which would be the old ones for
 * ever. Credentials that are not known yet are none.
 */
export function accessEffect({ new: wanted }: Change<KubernetesAccess>): Effect {
    return hasUnknown(wanted) ? "ignore" : "update";
}

/**
 * Reads the kubeconfig. The client library is loaded here, not at the start: it takes half a second.
 * @throws when there is no such context
 */
export async function loadKubeConfig(access: KubernetesAccess): Promise<KubeConfig> {
    const { KubeConfig } = await import("@kubernetes/client-node");
    const config = new KubeConfig();
    // The credentials of the state may have been replaced since the last `up`; a refresh knows no others.
    const file = process.env["PULUMI_FLUSS_KUBECONFIG"];
    if (file) config.loadFromFile(file);
    else if (access.kubeconfig) config.loadFromString(access.kubeconfig);
    else config.loadFromDefault();
    if (access.context) config.setCurrentContext(access.context);
    if (!config.getCurrentCluster()) {
        const contexts = config.getContexts().map(({ name }) => name);
        throw new Error(
            `Kubernetes: the kubeconfig has no usable context "${config.getCurrentContext()}"; it has ${contexts.join(", ") || "none"}.\n` +
                "What to do: give kubeconfig and context, or set KUBECONFIG, or PULUMI_FLUSS_KUBECONFIG for one run",
        );
    }
    return config;
}

/** Clients for the API of the cluster. */
export async function openCluster(access: KubernetesAccess): Promise<Cluster> {
    const client = await import("@kubernetes/client-node");
    const config = await loadKubeConfig(access);
    return {
        core: config.makeApiClient(client.CoreV1Api),
        apps: config.makeApiClient(client.AppsV1Api),
        authorization: config.makeApiClient(client.AuthorizationV1Api),
        networking: config.makeApiClient(client.NetworkingV1Api),
        leases: config.makeApiClient(client.CoordinationV1Api),
    };
}

/** The answer, or undefined when there is no such object. @throws everything else, with what was tried */
export async function orUndefined<T>(what: string, call: Promise<T>): Promise<T | undefined> {
    try {
        return await call;
    } catch (error) {
        if ((error as { code?: unknown }).code === 404) return undefined;
        throw kubernetesError(what, error);
    }
}

/** What was tried and what came back, in a few words. */
export function kubernetesError(what: string, error: unknown): Error {
    const { code } = error as { code?: unknown };
    return new Error(`Kubernetes: could not ${what}: ${code ? `${code} ` : ""}${saidByKubernetes(error)}`);
}

/** The reason in an error of the client library, whose own message holds all headers. */
export function saidByKubernetes(error: unknown): string {
    const { body, message } = error as { body?: unknown; message?: string };
    const own = /^HTTP-Code: \d+\nMessage: (.*)\n/.exec(message ?? "")?.[1];
    return statusMessage(body) ?? own ?? message ?? String(error);
}

/** The message of a Kubernetes `Status`. */
function statusMessage(body: unknown): string | undefined {
    try {
        const status = typeof body === "string" ? JSON.parse(body) : body;
        const message = (status as { message?: unknown } | undefined)?.message;
        return typeof message === "string" ? message : undefined;
    } catch {
        return undefined;
    }
}
