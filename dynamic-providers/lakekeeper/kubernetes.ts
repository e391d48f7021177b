import { setTimeout as sleep } from "node:timers/promises";
import type { CoreV1Api } from "@kubernetes/client-node";
import * as z from "zod";
import { ApiError } from "../http/api-error.ts";
import { brokenOff, neverReached } from "../http/client.ts";
import { redact } from "../http/redact.ts";
import { apiClient, statusOf } from "../kubernetes/api-client.ts";
import { saidByKubernetes } from "../kubernetes/cluster.ts";
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
 * A token from the cluster; the last one while it is good. A failure that can pass is waited for, some seconds.
 * @param refused a token that the server refused, so that the cluster is asked again
 * @throws {ApiError} when the cluster gives none. It tells the cluster's status in its text alone: whoever looks for a status of
 * Lakekeeper must not take this for one
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

/** Milliseconds before each further attempt. To ask for a token twice does no harm. */
const pauses = [250, 500, 1000, 2000];

/** A cluster that says when to come back is not waited for longer. */
const longestPause = 30_000;

async function ask<T>(
    from: KubernetesToken,
    action: string,
    call: (api: CoreV1Api) => Promise<T>,
): Promise<T> {
    // A large library: only those who need it load it.
    const { CoreV1Api: Core, KubeConfig } = await import("@kubernetes/client-node");
    const config = new KubeConfig();
    let server = "";
    const told = (error: unknown) => {
        const status = statusOf(error);
        const said = redact(saidByKubernetes(error), [from.kubeconfig]);
        return failure(action, {
            target: server,
            serverMessage: status === undefined ? said : `${status}: ${said}`,
            hint: hintFor(status),
        });
    };
    let api: CoreV1Api;
    try {
        if (from.kubeconfig === undefined) config.loadFromDefault();
        else config.loadFromString(from.kubeconfig);
        if (from.context !== undefined) config.setCurrentContext(from.context);
        server = config.getCurrentCluster()?.server ?? "";
        if (server === "") throw new Error(`context '${config.getCurrentContext()}' names no cluster`);
        api = await apiClient(config, Core);
    } catch (error) {
        throw told(error);
    }
    for (const pause of pauses) {
        try {
            return await call(api);
        } catch (error) {
            if (!canPass(error)) throw told(error);
            await sleep(Math.max(pause, askedPause(error)));
        }
    }
    return call(api).catch((error: unknown) => {
        throw told(error);
    });
}

/** True for a cluster that is busy, restarts or did not answer to the end. One that hangs has had its time. */
function canPass(error: unknown): boolean {
    const status = statusOf(error);
    if (status !== undefined) return [408, 429, 500, 502, 503, 504].includes(status);
    // What fetch throws says no more than that it failed, and has the reason as its cause.
    const { cause } = error as { cause?: { code?: unknown } };
    return [...neverReached, ...brokenOff].includes(String(cause?.code));
}

/** Milliseconds that the cluster asks to wait (`Retry-After` in seconds); 0 when it does not say. */
function askedPause(error: unknown): number {
    const { headers } = error as { headers?: Record<string, string> };
    const seconds = Number(headers?.["retry-after"]);
    return Number.isFinite(seconds) ? Math.min(seconds * 1000, longestPause) : 0;
}

function hintFor(status: number | undefined): string | undefined {
    if (status !== undefined && status >= 500)
        return "the cluster's API is out of order, or what is between here and it: run again when kubectl works";
    return hints[status ?? 0];
}

const hints: Record<number, string> = {
    0: "check connection.kubernetes: the cluster of the kubeconfig must be reachable from here",
    401: "the kubeconfig's user is not accepted by the cluster: log in again",
    403: "the kubeconfig's user needs `get` on the Secret, or `create` on serviceaccounts/token, in this namespace",
    404: "check namespace and name in connection.kubernetes",
    429: "the cluster's API is too busy: run again later",
};

function failure(
    action: string,
    facts: { target?: string; serverMessage: string; hint?: string | undefined },
): ApiError {
    return new ApiError({ system: "Kubernetes", action, target: "its API", ambiguous: false, ...facts });
}
