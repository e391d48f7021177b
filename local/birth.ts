import path from "node:path";
import { type LocalSecrets, lakehouseRoot } from "./lakehouse.ts";
import type { Phases } from "./phases.ts";
import { writeEnvironment } from "./resources/environment.ts";
import {
    choosePorts,
    flinkJobManager,
    flinkTaskManager,
    foldersOf,
    type Ports,
    readIfThere,
    type S3Admin,
    type ServiceSpec,
    Supervisor,
    serviceNames,
    sqlGateway,
    startS3,
    zookeeper,
} from "./services/index.ts";
import { lakekeeperSimulator, vvpSimulator } from "./simulators/services.ts";
import type { Tools } from "./toolchain/types.ts";

/** What runs before `pulumi up`. */
export interface Born {
    supervisor: Supervisor;
    ports: Ports;
    s3: S3Admin;
    /** Whether something listens on another port than at the last start. */
    moved: boolean;
}

/**
 * Starts what must be there before `pulumi up`: S3 and IAM, ZooKeeper, Flink, and the two simulators. Fluss and the
 * Iceberg catalog start during `up`, from the stack's own outputs; here they are only revived after a crash.
 */
export async function startServices(phases: Phases, tools: Tools, secrets: LocalSecrets): Promise<Born> {
    const root = lakehouseRoot();
    const supervisor = new Supervisor(root);
    const before = readIfThere(portsFile(root));
    const ports = await choosePorts(root, (service) => supervisor.isRunning(service));
    writeEnvironment({ root, tools, ports });

    const s3 = await startS3(supervisor, tools, ports);
    const data = foldersOf(root).data;
    const specs: ServiceSpec[] = [
        zookeeper(tools, ports, root),
        flinkJobManager(tools, ports, root),
        flinkTaskManager(tools, ports, root),
        sqlGateway(tools, ports, root),
        lakekeeperSimulator(ports, {
            token: secrets.lakekeeperToken,
            stateFile: path.join(data, "lakekeeper.json"),
        }),
        vvpSimulator(ports, { token: secrets.vvpToken, stateFolder: path.join(data, "vvp") }),
    ];
    await Promise.all(
        specs.map(async (spec) => {
            const { seconds, kept } = await supervisor.start(spec);
            phases.say(`  ${spec.name} ${kept ? "was running" : `is ready after ${seconds.toFixed(1)} s`}`);
        }),
    );
    const revived = await supervisor.revive([
        serviceNames.catalog,
        serviceNames.flussCoordinator,
        serviceNames.flussTablet,
    ]);
    if (revived.length > 0) phases.say(`  started again after a crash: ${revived.join(", ")}`);
    const moved = before !== undefined && before !== readIfThere(portsFile(root));
    return { supervisor, ports, s3, moved };
}

function portsFile(root: string): string {
    return path.join(foldersOf(root).run, "ports.json");
}
