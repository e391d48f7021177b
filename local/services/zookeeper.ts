import path from "node:path";
import type { Tools } from "../toolchain/types.ts";
import { foldersOf } from "./folders.ts";
import { javaCommand } from "./java.ts";
import { serviceNames } from "./names.ts";
import type { Ports } from "./ports.ts";
import type { ServiceSpec } from "./spec.ts";

/** ZooKeeper 3.8.3 as it comes, relocated, in the Fluss server jar; open to every program on this machine. */
export function zookeeper(tools: Tools, ports: Ports, root: string): ServiceSpec {
    const data = path.join(foldersOf(root).data, serviceNames.zookeeper);
    const settings = [
        `dataDir=${data}`,
        `clientPort=${ports.zookeeper}`,
        "clientPortAddress=127.0.0.1",
        "maxClientCnxns=0",
        "admin.enableServer=false",
        // A write soon after another one is held back for a third of this, in ms. Fluss 0.9.1 writes a new table in three steps, and
        // its coordinator never gives the table a leader when it reads the first only after the last (apache/fluss issue 1018),
        // which on a busy machine happened to 1 table of 145 that had 3 ms between them.
        "flushDelay=90",
    ];
    return {
        name: serviceNames.zookeeper,
        ...javaCommand(tools, {
            root,
            name: serviceNames.zookeeper,
            classPath: tools.classPaths.server,
            mainClass: "org.apache.fluss.shaded.zookeeper3.org.apache.zookeeper.server.ZooKeeperServerMain",
            args: ["zookeeper.properties"],
            heapMiB: 128,
        }),
        env: {},
        files: { "zookeeper.properties": `${settings.join("\n")}\n` },
        folders: [data],
        ready: { tcp: ports.zookeeper },
        deadlineSeconds: 60,
    };
}
