import net from "node:net";
import { PassThrough } from "node:stream";
import { type KubernetesAccess, kubernetesError, loadKubeConfig } from "./cluster.ts";

/** A port of a Service. */
export interface ServicePort {
    namespace: string;
    service: string;
    /** Port of the pods behind it. */
    port: number;
}

/**
 * Opens a way to a Service of the cluster, as `kubectl port-forward` does: a port on loopback, each connection to it
 * led through the API server to a ready pod. Opened once for each Service in a process, which it does not keep alive.
 * @returns `http://127.0.0.1:<port>`
 * @throws when there is no such Service, or none of its pods is ready
 */
export function forwardedUrl(access: KubernetesAccess, target: ServicePort): Promise<string> {
    const key = JSON.stringify([access, target]);
    const opened = forwards.get(key) ?? open(access, target);
    forwards.set(key, opened);
    // A failure is not kept: the next call may find a pod that is ready by then.
    opened.catch(() => forwards.delete(key));
    return opened;
}

const forwards = new Map<string, Promise<string>>();

async function open(access: KubernetesAccess, { namespace, service, port }: ServicePort): Promise<string> {
    const { CoreV1Api, PortForward } = await import("@kubernetes/client-node");
    const config = await loadKubeConfig(access);
    const core = config.makeApiClient(CoreV1Api);
    const podOf = async () => {
        const { spec } = await core.readNamespacedService({ name: service, namespace });
        const labels = Object.entries(spec?.selector ?? {}).map(([name, value]) => `${name}=${value}`);
        const { items } = await core.listNamespacedPod({ namespace, labelSelector: labels.join(",") });
        const ready = items.find(({ status }) =>
            status?.conditions?.some(
                (condition) => condition.type === "Ready" && condition.status === "True",
            ),
        );
        if (ready?.metadata?.name) return ready.metadata.name;
        throw new Error(
            `no pod of Service ${service} is ready (${items.length} found).\n` +
                `What to do: look at them with kubectl get pods -n ${namespace}, then run again`,
        );
    };
    try {
        await podOf();
    } catch (error) {
        throw kubernetesError(`open a way to Service ${service} in ${namespace}`, error);
    }
    const forward = new PortForward(config);
    const server = net.createServer((socket) => {
        socket.on("error", () => socket.destroy());
        const faults = new PassThrough().on("data", () => socket.destroy());
        podOf()
            .then((pod) => forward.portForward(namespace, pod, [port], socket, faults, socket))
            .catch(() => socket.destroy());
    });
    server.unref();
    await new Promise<void>((done, failed) => {
        server.once("error", failed);
        server.listen(0, "127.0.0.1", done);
    });
    return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}
