import path from "node:path";
import type { Tools } from "../toolchain/types.ts";
import { serverYaml } from "./fluss-options.ts";
import { secretValues } from "./fluss-secrets.ts";
import { foldersOf } from "./folders.ts";
import { javaCommand } from "./java.ts";
import { type ServiceName, serviceNames } from "./names.ts";
import type { Ports } from "./ports.ts";
import type { ServiceSpec } from "./spec.ts";

/** The one coordinator server. `serverOptions` are those of the model, with the values themselves, no references. */
export function flussCoordinator(
    tools: Tools,
    ports: Ports,
    root: string,
    serverOptions: Record<string, string>,
): ServiceSpec {
    return flussServer(tools, ports, root, serverOptions, {
        name: serviceNames.flussCoordinator,
        mainClass: "org.apache.fluss.server.coordinator.CoordinatorServer",
        heapMiB: 256,
        internal: ports.flussCoordinatorInternal,
        client: ports.flussCoordinator,
        options: {},
    });
}

/** The one tablet server. `serverOptions` as for the coordinator. */
export function flussTablet(
    tools: Tools,
    ports: Ports,
    root: string,
    serverOptions: Record<string, string>,
): ServiceSpec {
    return flussServer(tools, ports, root, serverOptions, {
        name: serviceNames.flussTablet,
        mainClass: "org.apache.fluss.server.tablet.TabletServer",
        heapMiB: 512,
        internal: ports.flussTabletInternal,
        client: ports.flussTablet,
        options: { "tablet-server.id": "0" },
    });
}

/** Where clients reach the cluster, as `bootstrap.servers`. */
export function flussBootstrap(ports: Ports): string {
    return `127.0.0.1:${ports.flussCoordinator}`;
}

interface FlussServer {
    name: ServiceName;
    mainClass: string;
    heapMiB: number;
    internal: number;
    client: number;
    options: Record<string, string>;
}

function flussServer(
    tools: Tools,
    ports: Ports,
    root: string,
    serverOptions: Record<string, string>,
    server: FlussServer,
): ServiceSpec {
    const data = path.join(foldersOf(root).data, server.name);
    const local = {
        "zookeeper.address": `127.0.0.1:${ports.zookeeper}`,
        "data.dir": data,
        "bind.listeners": `FLUSS://127.0.0.1:${server.internal}, CLIENT://127.0.0.1:${server.client}`,
        "internal.listener.name": "FLUSS",
        // There is one tablet server.
        "default.replication.factor": "1",
        // Beyond a share of it for each worker, as when a database of many tables is dropped, a server stops to read from its
        // connections, and by a race in 0.9.1 (apache/fluss issue 4016) never begins again: writes to new tables hang.
        "netty.server.max-queued-requests": "100000",
        ...server.options,
    };
    return {
        name: server.name,
        ...javaCommand(tools, {
            root,
            name: server.name,
            classPath: tools.classPaths.server,
            mainClass: server.mainClass,
            args: ["--configDir", "conf"],
            heapMiB: server.heapMiB,
        }),
        env: { FLUSS_PLUGINS_DIR: path.join(foldersOf(root).run, server.name, "plugins") },
        files: { "conf/server.yaml": serverYaml({ ...serverOptions, ...local }) },
        links: pluginLinks(tools.classPaths.plugins),
        folders: [data],
        ports: [server.internal, server.client],
        secrets: secretValues(serverOptions),
        ready: { tcp: server.client },
        deadlineSeconds: 90,
    };
}

/** Fluss loads each folder of its plugins with a class loader of its own, so their Hadoops do not meet. */
function pluginLinks(plugins: Record<string, string[]>): Record<string, string> {
    const links = Object.entries(plugins).flatMap(([plugin, jars]) =>
        jars.map((jar): [string, string] => [`plugins/${plugin}/${path.basename(jar)}`, jar]),
    );
    return Object.fromEntries(links);
}
