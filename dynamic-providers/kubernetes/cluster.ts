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
import { apiClient, lateText, statusOf } from "./api-client.ts";

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

/** The way to a server that is known by its address inside of a cluster only: through the API server. */
export const portForward = z.strictObject({
    access: kubernetesAccess,
    namespace: z.string().min(1),
    service: z.string().min(1),
    port: z.int().min(1).max(65535),
});

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
    try {
        if (file) config.loadFromFile(file);
        else if (access.kubeconfig) config.loadFromString(access.kubeconfig);
        else config.loadFromDefault();
    } catch (error) {
        throw unreadable(file ?? (access.kubeconfig ? undefined : process.env["KUBECONFIG"]), error);
    }
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

/** The parser's own words are left out: they quote the text, and so the credentials in it. */
function unreadable(file: string | undefined, error: unknown): Error {
    const { code } = error as { code?: unknown };
    const where = file ? `the kubeconfig ${file}` : "the text of the kubeconfig";
    return new Error(
        `Kubernetes: ${where} cannot be read: ${typeof code === "string" ? code : "it is no YAML or JSON of a kubeconfig"}.\n` +
            "What to do: give what `kubectl config view --raw` prints, or the name of a file that is there",
    );
}

/** Clients for the API of the cluster. */
export async function openCluster(access: KubernetesAccess): Promise<Cluster> {
    const client = await import("@kubernetes/client-node");
    const config = await loadKubeConfig(access);
    return {
        core: await apiClient(config, client.CoreV1Api),
        apps: await apiClient(config, client.AppsV1Api),
        authorization: await apiClient(config, client.AuthorizationV1Api),
        networking: await apiClient(config, client.NetworkingV1Api),
        leases: await apiClient(config, client.CoordinationV1Api),
    };
}

/** The answer, or undefined when there is no such object. @throws everything else, with what was tried */
export async function orUndefined<T>(what: string, call: Promise<T>): Promise<T | undefined> {
    try {
        return await call;
    } catch (error) {
        if (statusOf(error) === 404) return undefined;
        throw kubernetesError(what, error);
    }
}

/** What was tried, what came back, and where it is known what to do. */
export function kubernetesError(what: string, error: unknown): Error {
    const status = statusOf(error);
    const said = saidByKubernetes(error);
    const hint = hintFor(status, said);
    return new Error(
        `Kubernetes: could not ${what}: ${status ? `${status} ` : ""}${said}${hint ? `.\nWhat to do: ${hint}` : ""}`,
    );
}

/** The reason in an error of the client library, whose own message holds all headers, or says no more than "fetch failed". */
export function saidByKubernetes(error: unknown): string {
    const { body, message, cause } = error as { body?: unknown; message?: string; cause?: unknown };
    const own = /^HTTP-Code: \d+\nMessage: (.*)\n/.exec(message ?? "")?.[1];
    const below = cause instanceof Error ? cause.message || (cause as { code?: string }).code : undefined;
    return lateText(error) ?? statusMessage(body) ?? own ?? below ?? message ?? String(error);
}

function hintFor(status: number | undefined, said: string): string | undefined {
    if (status === undefined)
        return "the cluster of the kubeconfig must be reachable from here, and have its certificate";
    if (status === 403 && said.includes("being terminated"))
        return "wait until the namespace is gone, and make it anew";
    return hints[status];
}

const hints: Record<number, string> = {
    401: "the kubeconfig's user is not accepted by the cluster: log in again",
    403: "give the kubeconfig's user this right in the namespace; docs/kubernetes.md lists those that are needed",
    404: "check namespace and name, and that the kubeconfig is that of the right cluster",
    409: "somebody else changed it at the same time: run again",
};

/** The message of a Kubernetes `Status`. */
export function statusMessage(body: unknown): string | undefined {
    try {
        const status = typeof body === "string" ? JSON.parse(body) : body;
        const message = (status as { message?: unknown } | undefined)?.message;
        return typeof message === "string" ? message : undefined;
    } catch {
        return undefined;
    }
}
