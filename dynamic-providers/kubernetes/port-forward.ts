import net from "node:net";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { CoreV1Api, KubeConfig, PortForward } from "@kubernetes/client-node";
import { ApiError } from "../http/api-error.ts";
import { type KubernetesAccess, loadKubeConfig, saidByKubernetes } from "./cluster.ts";

/** A port of a Service. */
export interface ServicePort {
    namespace: string;
    service: string;
    /** Port of the pods behind it. */
    port: number;
}

/** A way to a Service that is open. */
export interface Forward {
    /** Port on 127.0.0.1. */
    port: number;
    /** Why the last connection was broken off on the way, told once; undefined when it was not. */
    takeFault(): Error | undefined;
    /** Closes the port and every connection through it. */
    close(): Promise<void>;
}

/**
 * Opens a way to a Service of the cluster, as `kubectl port-forward` does: a port on loopback, each connection to it
 * led through the API server to a ready pod. Opened once for each Service in a process, which it does not keep alive:
 * with the process, which ends with the run, it closes.
 * @throws {ApiError} when there is no such Service, none of its pods is ready, or the cluster does not answer or allow it
 */
export function forwardTo(access: KubernetesAccess, target: ServicePort): Promise<Forward> {
    const key = JSON.stringify([access, target]);
    const opened = forwards.get(key) ?? open(access, target, () => forwards.delete(key));
    forwards.set(key, opened);
    // A failure is not kept: the next call may find a pod that is ready by then.
    opened.catch(() => forwards.delete(key));
    return opened;
}

const forwards = new Map<string, Promise<Forward>>();

async function open(access: KubernetesAccess, target: ServicePort, closed: () => void): Promise<Forward> {
    const { CoreV1Api, PortForward } = await import("@kubernetes/client-node");
    const config = await loadKubeConfig(access);
    const way = new Way(config.makeApiClient(CoreV1Api), new PortForward(config), config, target);
    await way.podOf();
    let fault: Error | undefined;
    const sockets = new Set<net.Socket>();
    const server = net.createServer((socket) => {
        sockets.add(socket.unref());
        socket.on("close", () => sockets.delete(socket));
        socket.on("error", () => socket.destroy());
        way.lead(socket).catch((error: Error) => {
            fault = error;
            socket.destroy();
        });
    });
    server.unref();
    await new Promise<void>((done, failed) => {
        server.once("error", failed);
        server.listen(0, "127.0.0.1", done);
    });
    return {
        port: (server.address() as net.AddressInfo).port,
        takeFault() {
            const taken = fault;
            fault = undefined;
            return taken;
        },
        close: () => {
            closed();
            for (const socket of sockets) socket.destroy();
            return new Promise((done) => server.close(() => done()));
        },
    };
}

/** Leads connections to a pod of the Service. */
class Way {
    readonly #core: CoreV1Api;
    readonly #forward: PortForward;
    readonly #server: string;
    readonly #target: ServicePort;

    constructor(core: CoreV1Api, forward: PortForward, config: KubeConfig, target: ServicePort) {
        this.#core = core;
        this.#forward = forward;
        this.#server = config.getCurrentCluster()?.server ?? "its API";
        this.#target = target;
    }

    /** Name of a pod that is ready; asked for anew for each connection, since pods come and go. */
    async podOf(): Promise<string> {
        const { namespace, service } = this.#target;
        const { spec } = await this.#ask(`read Service ${service} in ${namespace}`, () =>
            this.#core.readNamespacedService({ name: service, namespace }),
        );
        const labels = Object.entries(spec?.selector ?? {}).map(([name, value]) => `${name}=${value}`);
        const { items } = await this.#ask(`list the pods of Service ${service} in ${namespace}`, () =>
            this.#core.listNamespacedPod({ namespace, labelSelector: labels.join(",") }),
        );
        const ready = items.find(({ status }) =>
            status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True"),
        );
        if (ready?.metadata?.name) return ready.metadata.name;
        throw this.#failure(`open a way to Service ${service} in ${namespace}`, {
            type: "NoReadyPod",
            serverMessage: `none of its ${items.length} pods is ready`,
            hint: `look at them with kubectl get pods -n ${namespace}, then run again`,
        });
    }

    /** Leads one connection; settles when it has ended. @throws why it was broken off */
    async lead(socket: net.Socket): Promise<void> {
        const { namespace, port } = this.#target;
        const pod = await this.podOf();
        const action = `forward port ${port} of pod ${pod} in ${namespace}`;
        const told: Buffer[] = [];
        const faults = new PassThrough().on("data", (chunk: Buffer) => {
            told.push(chunk);
            channel.close();
        });
        const channel = (await this.#ask(action, () =>
            this.#forward.portForward(namespace, pod, [port], socket, faults, socket),
        )) as WebSocket & { terminate(): void };
        await new Promise<void>((done) => {
            channel.addEventListener("close", () => done());
            socket.once("close", () => {
                // A polite end would wait for the cluster's answer.
                channel.terminate();
                done();
            });
        });
        const cutOff = !socket.destroyed && socket.bytesWritten === 0;
        if (told.length > 0 || cutOff) {
            const text = Buffer.concat(told).toString("utf8").trim();
            const hint = `nothing in the pod listens on port ${port}, or it has just ended: look at its log`;
            throw this.#failure(action, {
                serverMessage: text || "the connection was closed without an answer",
                hint,
            });
        }
        socket.end();
    }

    async #ask<T>(action: string, call: () => Promise<T>): Promise<T> {
        const timer = new AbortController();
        const late = sleep(answerSeconds * 1000, undefined, { signal: timer.signal }).then(() => {
            throw new Error(`no answer within ${answerSeconds} s`);
        });
        late.catch(() => {});
        try {
            return await Promise.race([call(), late]).finally(() => timer.abort());
        } catch (error) {
            const { code, message } = error as { code?: unknown; message?: string };
            // A refused web socket tells its status in its message only.
            const refused = /Unexpected server response: (\d+)/.exec(message ?? "")?.[1];
            const status = typeof code === "number" ? code : refused && Number(refused);
            throw this.#failure(action, {
                ...(status ? { status, type: types[status] } : {}),
                serverMessage: saidByKubernetes(error),
                hint: hints[status || 0],
            });
        }
    }

    #failure(
        action: string,
        facts: { status?: number; type?: string; serverMessage: string; hint?: string | undefined },
    ): ApiError {
        const { hint, ...rest } = facts;
        return new ApiError({
            system: "Kubernetes",
            action,
            target: this.#server,
            ambiguous: false,
            ...rest,
            ...(hint ? { hint } : {}),
        });
    }
}

/** A cluster that hangs must not hang the run. */
const answerSeconds = 30;

const types: Record<number, string> = { 401: "Unauthorized", 403: "Forbidden", 404: "NotFound" };

const hints: Record<number, string> = {
    0: "the cluster of the kubeconfig must be reachable from here",
    401: "the kubeconfig's user is not accepted by the cluster: log in again",
    403: "the kubeconfig's user needs `get` on services, `list` on pods, and `get` and `create` on pods/portforward in this namespace",
    404: "check namespace and name, and that the kubeconfig is that of the right cluster",
};
