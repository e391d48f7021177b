import { setTimeout as sleep } from "node:timers/promises";
import type { CoreV1Api } from "@kubernetes/client-node";
import * as z from "zod";
import { ApiError } from "../http/api-error.ts";
import { redact } from "../http/redact.ts";
import { apiClient, lateText, statusOf } from "../kubernetes/api-client.ts";
import { statusMessage } from "../kubernetes/cluster.ts";
import { cachedToken, type GivenToken } from "./token-cache.ts";

const text = z.string().min(1);

/** A token that a Kubernetes cluster has, or gives. */
export const kubernetesSchema = z
    .strictObject({
        /** Text of a kubeconfig. Default: what kubectl would take, and in a pod the pod's own service account. */
        kubeconfig: text.optional(),
        /** Default: the kubeconfig's current one. */
        context: text.optional(),
        namespace: text,
        /** Name of a Secret that holds the token, for example of type `kubernetes.io/service-account-token`. */
        secret: text.optional(),
        /** Key in the Secret. Default `token`. */
        key: text.optional(),
        /** Instead of a Secret: name of a ServiceAccount, for which a token is asked for. */
        serviceAccount: text.optional(),
        /** Audience of that token. Default: the cluster's own, which Lakekeeper accepts when it has none configured. */
        audience: text.optional(),
        /** Lifetime of that token; Kubernetes takes 600 and more. Default 3600. */
        expirationSeconds: z.int().min(600).optional(),
    })
    .refine(({ secret, serviceAccount }) => (secret === undefined) !== (serviceAccount === undefined), {
        error: "must have either secret or serviceAccount",
    })
    .refine(({ secret, key }) => key === undefined || secret !== undefined, {
        error: "key belongs to secret",
    })
    .refine(
        ({ secret, audience, expirationSeconds }) =>
            secret === undefined || (audience === undefined && expirationSeconds === undefined),
        { error: "audience and expirationSeconds belong to serviceAccount: a Secret's token is as it is" },
    );

export type KubernetesToken = z.output<typeof kubernetesSchema>;

/**
 * A token from the cluster; the last one while it is good.
 * @param refused a token that the server refused, so that the cluster is asked again
 * @throws {ApiError} when the cluster gives none
 */
export function kubernetesToken(from: KubernetesToken, refused?: string): Promise<string> {
    return cachedToken(`kubernetes ${JSON.stringify(from)}`, refused, () =>
        from.secret === undefined ? requestToken(from) : readSecret(from, from.secret),
    );
}

/** A token of a Secret has no end that is known here: it is used until it is refused. */
const secretSeconds = 3600;

/** The token of a new Secret is filled in by the cluster, a little later (Kubernetes' token controller). */
const fillSeconds = 30;

async function readSecret(from: KubernetesToken, name: string): Promise<GivenToken> {
    const { namespace, key = "token" } = from;
    const action = `read the token of Secret '${name}' in namespace '${namespace}'`;
    const until = Date.now() + fillSeconds * 1000;
    for (;;) {
        const { data } = await ask(from, action, (api) => api.readNamespacedSecret({ name, namespace }));
        const token = Buffer.from(data?.[key] ?? "", "base64")
            .toString()
            .trim();
        if (token !== "") return { token, seconds: secretSeconds };
        const others = Object.keys(data ?? {});
        if (Date.now() >= until || (others.length > 0 && key !== "token")) {
            throw failure(action, {
                serverMessage: `the Secret has no key '${key}'${others.length > 0 ? `, only ${others.join(", ")}` : ""}`,
                hint: "give connection.kubernetes.key, or check that the Secret has the annotation kubernetes.io/service-account.name of a ServiceAccount that exists",
            });
        }
        await sleep(1000);
    }
}

async function requestToken(from: KubernetesToken): Promise<GivenToken> {
    const { namespace, serviceAccount: name = "", audience, expirationSeconds = 3600 } = from;
    const action = `ask for a token of ServiceAccount '${name}' in namespace '${namespace}'`;
    const { status } = await ask(from, action, (api) =>
        api.createNamespacedServiceAccountToken({
            name,
            namespace,
            body: {
                apiVersion: "authentication.k8s.io/v1",
                kind: "TokenRequest",
                spec: { audiences: audience === undefined ? [] : [audience], expirationSeconds },
            },
        }),
    );
    const { token, expirationTimestamp: end } = status ?? {};
    if (!token) throw failure(action, { serverMessage: "the answer holds no token" });
    return { token, seconds: end && (new Date(end).getTime() - Date.now()) / 1000 };
}

async function ask<T>(
    from: KubernetesToken,
    action: string,
    call: (api: CoreV1Api) => Promise<T>,
): Promise<T> {
    // A large library: only those who need it load it.
    const { CoreV1Api: Core, KubeConfig } = await import("@kubernetes/client-node");
    const config = new KubeConfig();
    let server = "";
    try {
        if (from.kubeconfig === undefined) config.loadFromDefault();
        else config.loadFromString(from.kubeconfig);
        if (from.context !== undefined) config.setCurrentContext(from.context);
        server = config.getCurrentCluster()?.server ?? "";
        if (server === "") throw new Error(`context '${config.getCurrentContext()}' names no cluster`);
        return await call(await apiClient(config, Core));
    } catch (error) {
        const { body, message } = error as { body?: unknown; message?: string };
        const status = statusOf(error);
        throw failure(action, {
            target: server,
            status,
            serverMessage: redact(lateText(error) ?? statusMessage(body) ?? message ?? String(error), [
                from.kubeconfig,
            ]),
            hint: hints[status ?? 0],
        });
    }
}

const hints: Record<number, string> = {
    0: "check connection.kubernetes: the cluster of the kubeconfig must be reachable from here",
    401: "the kubeconfig's user is not accepted by the cluster: log in again",
    403: "the kubeconfig's user needs `get` on the Secret, or `create` on serviceaccounts/token, in this namespace",
    404: "check namespace and name in connection.kubernetes",
};

function failure(
    action: string,
    facts: { target?: string; status?: number; serverMessage: string; hint?: string | undefined },
): ApiError {
    return new ApiError({ system: "Kubernetes", action, target: "its API", ambiguous: false, ...facts });
}
