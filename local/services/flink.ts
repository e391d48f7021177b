import path from "node:path";
import { pathToFileURL } from "node:url";
import { stringify } from "yaml";
import type { Tools } from "../toolchain/types.ts";
import { foldersOf } from "./folders.ts";
import { javaCommand } from "./java.ts";
import { type ServiceName, serviceNames } from "./names.ts";
import type { Ports } from "./ports.ts";
import type { ServiceSpec } from "./spec.ts";

/** As in the quickstart's session cluster: a read of the lake runs one task for each split of the table. */
export const taskSlots = 16;

/** JobManager of the session cluster, with the REST API and the upload of JARs. */
export function flinkJobManager(tools: Tools, ports: Ports, root: string): ServiceSpec {
    return flinkService(tools, ports, root, {
        name: serviceNames.flinkJobManager,
        mainClass: "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint",
        args: ["--configDir", "conf"],
        heapMiB: 640,
        ports: [ports.flinkRest, ports.flinkRpc, ports.flinkBlobs],
        ready: { http: `${flinkUrl(ports)}/overview` },
    });
}

/** The one TaskManager; ready once the JobManager counts its slots, so it may start at the same time. */
export function flinkTaskManager(tools: Tools, ports: Ports, root: string): ServiceSpec {
    return flinkService(tools, ports, root, {
        name: serviceNames.flinkTaskManager,
        mainClass: "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
        args: ["--configDir", "conf"],
        heapMiB: 768,
        options: ["-XX:MaxDirectMemorySize=384m", "-XX:MaxMetaspaceSize=512m"],
        ports: [],
        ready: { http: `${flinkUrl(ports)}/overview`, contains: `"slots-total":${taskSlots}` },
    });
}

/** SQL gateway (REST) that submits to the session cluster. */
export function sqlGateway(tools: Tools, ports: Ports, root: string): ServiceSpec {
    return flinkService(tools, ports, root, {
        name: serviceNames.sqlGateway,
        mainClass: "org.apache.flink.table.gateway.SqlGateway",
        args: [],
        heapMiB: 768,
        ports: [ports.sqlGateway],
        ready: { http: `${sqlGatewayUrl(ports)}/v1/info` },
    });
}

/** Flink's REST API. */
export function flinkUrl(ports: Ports): string {
    return `http://127.0.0.1:${ports.flinkRest}`;
}

/** The SQL gateway's REST API, without the version. */
export function sqlGatewayUrl(ports: Ports): string {
    return `http://127.0.0.1:${ports.sqlGateway}`;
}

interface FlinkService {
    name: ServiceName;
    mainClass: string;
    args: string[];
    heapMiB: number;
    options?: string[];
    ports: number[];
    ready: ServiceSpec["ready"];
}

function flinkService(tools: Tools, ports: Ports, root: string, service: FlinkService): ServiceSpec {
    const folders = foldersOf(root);
    const data = path.join(folders.data, "flink");
    return {
        name: service.name,
        ...javaCommand(tools, {
            root,
            name: service.name,
            classPath: tools.classPaths.flink,
            mainClass: service.mainClass,
            args: service.args,
            heapMiB: service.heapMiB,
            options: service.options ?? [],
        }),
        env: {
            FLINK_CONF_DIR: path.join(folders.run, service.name, "conf"),
            FLINK_LIB_DIR: tools.classPaths.flinkLib,
            // Flink demands the folder; everything is on the class path.
            FLINK_PLUGINS_DIR: path.join(folders.run, service.name, "plugins"),
        },
        files: {
            "conf/config.yaml": stringify(
                flinkOptions(ports, data, path.join(folders.run, service.name, "tmp")),
            ),
            "plugins/.keep": "",
        },
        folders: [path.join(data, "savepoints"), path.join(data, "uploads")],
        ports: service.ports,
        ready: service.ready,
        deadlineSeconds: 90,
    };
}

/** One configuration for all three. Every memory size is fixed: started without Flink's scripts, nothing derives them. */
function flinkOptions(ports: Ports, data: string, temporary: string): Record<string, string | number> {
    return {
        "execution.target": "remote",
        "parallelism.default": 1,
        "rest.address": "127.0.0.1",
        "rest.bind-address": "127.0.0.1",
        "rest.port": ports.flinkRest,
        "jobmanager.bind-host": "127.0.0.1",
        "jobmanager.rpc.address": "127.0.0.1",
        "jobmanager.rpc.port": ports.flinkRpc,
        "blob.server.port": ports.flinkBlobs,
        "jobmanager.memory.process.size": "1024m",
        "taskmanager.host": "127.0.0.1",
        "taskmanager.bind-host": "127.0.0.1",
        "taskmanager.numberOfTaskSlots": taskSlots,
        "taskmanager.cpu.cores": 2,
        "taskmanager.memory.jvm-metaspace.size": "512m",
        "taskmanager.memory.jvm-overhead.min": "128m",
        "taskmanager.memory.jvm-overhead.max": "128m",
        "taskmanager.memory.framework.heap.size": "128m",
        "taskmanager.memory.framework.off-heap.size": "128m",
        "taskmanager.memory.task.heap.size": "640m",
        "taskmanager.memory.task.off-heap.size": "64m",
        "taskmanager.memory.managed.size": "128m",
        // A batch query takes 16 MiB for each task that exchanges rows, beside the streaming jobs; and Iceberg gives the reader of a lake
        // a task for every 32 small files, as they come with each round of tiering.
        "taskmanager.memory.network.min": "160m",
        "taskmanager.memory.network.max": "160m",
        "table.exec.iceberg.infer-source-parallelism.max": 4,
        "sql-gateway.endpoint.rest.address": "127.0.0.1",
        "sql-gateway.endpoint.rest.bind-address": "127.0.0.1",
        "sql-gateway.endpoint.rest.port": ports.sqlGateway,
        // A task that writes to a Fluss that does not answer cannot be cancelled. After three minutes Flink would end the whole
        // TaskManager for it, with everybody's jobs, and nobody starts it again here, as Kubernetes does.
        "task.cancellation.timeout": 0,
        "io.tmp.dirs": temporary,
        "web.upload.dir": path.join(data, "uploads"),
        "execution.checkpointing.savepoint-dir": pathToFileURL(path.join(data, "savepoints")).href,
        // A statement that cannot succeed ends with its error. Jobs that must outlive an outage bring their own strategy.
        "restart-strategy.type": "fixed-delay",
        "restart-strategy.fixed-delay.attempts": 3,
        "restart-strategy.fixed-delay.delay": "1s",
    };
}
