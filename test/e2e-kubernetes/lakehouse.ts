import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { forwardTo } from "../../dynamic-providers/kubernetes/port-forward.ts";
import { parseServerYaml } from "../../dynamic-providers/kubernetes/release-state.ts";
import {
    choosePorts,
    flinkJobManager,
    flinkTaskManager,
    flussCoordinator,
    flussTablet,
    foldersOf,
    icebergCatalog,
    icebergCatalogUrl,
    makeFolders,
    type Ports,
    type S3Admin,
    type ServiceSpec,
    Supervisor,
    s3Endpoint,
    saslOptions,
    sqlGateway,
    startS3,
    startTogether,
    zookeeper,
} from "../../local/services/index.ts";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../local/simulators/lakekeeper/index.ts";
import { vvpSimulator } from "../../local/simulators/services.ts";
import type { Tools } from "../../local/toolchain/types.ts";
import { startTestBed, type TestBed } from "../kubernetes/bed.ts";
import { environmentOf, type Pod, placePods } from "./pod-stand-in.ts";

export const namespace = "fluss";
export const lakeBucket = "acme-fluss-lake";

/** Names of the cluster that the local services and jobs are configured with, as in a real installation. */
const names = {
    fluss: `coordinator-server-0.coordinator-server-hs.${namespace}.svc.cluster.local`,
    lakekeeper: `fluss-lakekeeper.${namespace}.svc.cluster.local`,
};

/** A Kubernetes bed whose pods are stood in for by services on this machine. */
export interface BedLakehouse {
    bed: TestBed;
    ports: Ports;
    s3: S3Admin;
    supervisor: Supervisor;
    lakekeeper: LakekeeperSimulator;
    stop(): Promise<void>;
}

/**
 * Starts the bed, and beside it S3, ZooKeeper, Flink and the two simulators. Fluss is started when Kubernetes asks for
 * its pods, with the options, users and keys that those pods would have.
 *
 * The names of Services lead to an address of loopback of their own; behind it a port-forward through the API server
 * leads to the pod, and kwok from there to the local service. So every address is the one of a real installation.
 */
export async function startBedLakehouse(root: string, tools: Tools, vvpToken: string): Promise<BedLakehouse> {
    const stops: (() => Promise<unknown>)[] = [];
    const stop = async () => {
        const failures: unknown[] = [];
        for (const one of stops.reverse()) await one().catch((error: unknown) => failures.push(error));
        if (failures.length > 0) throw failures[0];
    };
    try {
        const supervisor = new Supervisor(root);
        await supervisor.stopAll();
        fs.rmSync(root, { recursive: true, force: true });
        makeFolders(root);
        stops.push(() => supervisor.stopAll());
        const ports = await choosePorts(root, () => false);
        const bed = await startTestBed({ 8181: ports.lakekeeper, 9124: ports.flussCoordinator });
        stops.push(() => bed.stop());
        await bed.makeNamespace(namespace);
        const lakekeeper = await startLakekeeperSimulator({
            port: ports.lakekeeper,
            token: "nobody-has-this-one",
            accepts: isLakeClient,
            backendUrl: icebergCatalogUrl(ports),
            s3: { endpoint: s3Endpoint(ports) },
        });
        stops.push(() => lakekeeper.close());
        const address = freeAddress();
        const closeForwards = await openForwards(bed, address);
        stops.push(closeForwards);
        const s3 = await startS3(supervisor, tools, ports);
        const inCluster = withHosts(root, address);
        await startTogether(supervisor, [
            zookeeper(tools, ports, root),
            ...[flinkJobManager, flinkTaskManager, sqlGateway].map((make) =>
                inCluster(make(tools, ports, root)),
            ),
            vvpSimulator(ports, { token: vvpToken, stateFolder: path.join(foldersOf(root).data, "vvp") }),
        ]);
        let started = false;
        const pods = await placePods(bed, namespace, async (pod) => {
            if (!pod.metadata.name.startsWith("coordinator-server-") || started) return;
            const { options, environment } = await serversOf(bed, pod);
            await supervisor.start(
                icebergCatalog(tools, ports, root, {
                    bucket: lakeBucket,
                    prefix: "fluss-lake-storage",
                    region: s3.region,
                    endpoint: s3.endpoint,
                    accessKeyId: environment["FLUSS_S3_ACCESS_KEY"] ?? "",
                    secretAccessKey: environment["FLUSS_S3_SECRET_KEY"] ?? "",
                }),
            );
            await supervisor.start(inCluster(flussCoordinator(tools, ports, root, options)));
            await supervisor.start(inCluster(flussTablet(tools, ports, root, options)));
            started = true;
        });
        stops.push(() => pods.stop());
        return { bed, ports, s3, supervisor, lakekeeper, stop };
    } catch (error) {
        await stop();
        throw error;
    }
}

/** True for a token that the cluster made for the ServiceAccount of the lake's clients. */
function isLakeClient(token: string): boolean {
    try {
        const { sub } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
        return sub === `system:serviceaccount:${namespace}:fluss-lake-client`;
    } catch {
        return false;
    }
}

/**
 * What a server in the pod would be configured with: server.yaml of the ConfigMap, its markers replaced from the pod's
 * environment, and the users that the chart hands to JAAS. Fluss 0.9.1 runs here, which knows no providers of secrets.
 */
async function serversOf(bed: TestBed, pod: Pod) {
    const environment = await environmentOf(bed, pod);
    const config = await bed.until(
        `/api/v1/namespaces/${namespace}/configmaps/fluss-conf-file`,
        ({ data }) => data !== undefined,
    );
    const installed = [...parseServerYaml(config.data["server.yaml"] ?? "")]
        .filter(([key]) => !/^(config\.providers|security\.|client\.security\.|datalake\.enabled$)/.test(key))
        .map(([key, value]) => [
            key,
            value.replace(/^\$\{env:(\w+)\}$/, (_, name) => environment[name] ?? ""),
        ]);
    const user = (kind: string, part: string, suffix = "") =>
        environment[`FLUSS_JAAS_${kind}_${part}${suffix}`] ?? "";
    const sasl = saslOptions({
        clients: { [user("CLIENT", "USERNAME", "_0")]: user("CLIENT", "PASSWORD", "_0") },
        internal: { username: user("INTERNAL", "USERNAME"), password: user("INTERNAL", "PASSWORD") },
    });
    return { environment, options: { ...Object.fromEntries(installed), ...sasl } };
}

/** On Linux an address that no other run uses; elsewhere only 127.0.0.1 is there. */
function freeAddress(): string {
    if (process.platform !== "linux") return "127.0.0.1";
    return `127.${1 + ((process.pid >> 8) & 127)}.${process.pid & 255}.1`;
}

/** Java programs look up the cluster's names in a file instead of asking a DNS server. */
function withHosts(root: string, address: string): (spec: ServiceSpec) => ServiceSpec {
    const file = path.join(foldersOf(root).run, "hosts");
    const lines = [`127.0.0.1 localhost ${os.hostname()}`, `${address} ${Object.values(names).join(" ")}`];
    fs.writeFileSync(file, `${lines.join("\n")}\n`);
    return (spec) => ({
        ...spec,
        env: { ...spec.env, JAVA_TOOL_OPTIONS: `-Djdk.net.hosts.file=${file}` },
    });
}

/** Listens where the cluster's names lead to, and hands each connection on to a port-forward. */
async function openForwards(bed: TestBed, address: string): Promise<() => Promise<void>> {
    const targets = [
        { service: "coordinator-server-hs", port: 9124 },
        { service: "fluss-lakekeeper", port: 8181 },
    ];
    const sockets = new Set<net.Socket>();
    const servers = targets.map(({ service, port }) => {
        const server = net.createServer((socket) => {
            sockets.add(socket);
            socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
            forwardTo(bed.access, { namespace, service, port })
                .then((way) => {
                    const forwarded = net.connect(way.port, "127.0.0.1");
                    forwarded.on("error", () => socket.destroy()).on("close", () => socket.destroy());
                    socket.on("close", () => forwarded.destroy());
                    socket.pipe(forwarded).pipe(socket);
                })
                .catch(() => socket.destroy());
        });
        return { server, port };
    });
    await Promise.all(
        servers.map(
            ({ server, port }) =>
                new Promise<void>((done, failed) => {
                    server.once("error", failed);
                    server.listen(port, address, done);
                }),
        ),
    );
    return async () => {
        for (const { server } of servers) server.close();
        for (const socket of sockets) socket.destroy();
        await sleep(0);
    };
}
