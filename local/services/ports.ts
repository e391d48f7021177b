import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { z } from "zod";
import { makeFolders, readIfThere, writePrivate } from "./folders.ts";
import { type ServiceName, serviceNames } from "./names.ts";
import { withClaimedPorts } from "./port-claims.ts";

/** One loopback port for each listener of the local lakehouse. */
export type Ports = Record<keyof typeof listeners, number>;

/**
 * Chooses the ports and remembers them in `run/ports.json`, so that a run that changes nothing keeps them.
 * A port moves to another number only while the service that listens on it is not running and somebody else
 * holds the number, or another lakehouse that starts just now has chosen it. Numbers stay below 32768, where systems
 * take the ports of outgoing connections from.
 *
 * @param isRunning says whether the service of that name runs, as started by us (`Supervisor.isRunning`)
 */
export async function choosePorts(
    root: string,
    isRunning: (service: ServiceName) => boolean,
): Promise<Ports> {
    const file = path.join(makeFolders(root).run, "ports.json");
    const remembered = readRemembered(file);
    const ports = await withClaimedPorts(root, async (claimed) => {
        const chosen = new Map<string, number>();
        for (const [name, { service, preferred }] of entries()) {
            const before = remembered[name];
            const keep = before !== undefined && isRunning(service);
            const taken = [...claimed, ...chosen.values()];
            chosen.set(name, keep ? before : await firstFree([before, ...candidates(preferred)], taken));
        }
        return portsSchema.parse(Object.fromEntries(chosen));
    });
    if (JSON.stringify(ports) !== JSON.stringify(remembered)) writePrivate(file, JSON.stringify(ports));
    return ports;
}

/** True when nobody listens on the port, neither on loopback nor on all addresses. */
export async function isPortFree(port: number): Promise<boolean> {
    return !(await accepts(port)) && (await canListen(port));
}

/** True when somebody accepts a connection on 127.0.0.1 at that port, within a second. */
export function accepts(port: number): Promise<boolean> {
    return new Promise((resolve) => {
        const socket = net.connect({ port, host: "127.0.0.1", timeout: 1000 });
        const settle = (answer: boolean) => {
            socket.destroy();
            resolve(answer);
        };
        socket.once("connect", () => settle(true));
        socket.once("error", () => settle(false));
        socket.once("timeout", () => settle(false));
    });
}

const listeners = {
    s3: { service: serviceNames.s3, preferred: 27000 },
    zookeeper: { service: serviceNames.zookeeper, preferred: 27021 },
    flussCoordinatorInternal: { service: serviceNames.flussCoordinator, preferred: 27023 },
    flussCoordinator: { service: serviceNames.flussCoordinator, preferred: 27033 },
    flussTabletInternal: { service: serviceNames.flussTablet, preferred: 27024 },
    flussTablet: { service: serviceNames.flussTablet, preferred: 27034 },
    catalog: { service: serviceNames.catalog, preferred: 27080 },
    lakekeeper: { service: serviceNames.lakekeeper, preferred: 27081 },
    flinkRest: { service: serviceNames.flinkJobManager, preferred: 27082 },
    flinkRpc: { service: serviceNames.flinkJobManager, preferred: 27083 },
    flinkBlobs: { service: serviceNames.flinkJobManager, preferred: 27084 },
    sqlGateway: { service: serviceNames.sqlGateway, preferred: 27085 },
    vvp: { service: serviceNames.vvp, preferred: 27086 },
    postgresql: { service: serviceNames.postgresql, preferred: 27087 },
    azurite: { service: serviceNames.azurite, preferred: 27088 },
} as const satisfies Record<string, { service: ServiceName; preferred: number }>;

const portsSchema = z.object(
    Object.fromEntries(Object.keys(listeners).map((name) => [name, z.int().min(1).max(65535)])) as Record<
        keyof typeof listeners,
        z.ZodInt
    >,
);

function entries(): [keyof Ports, { service: ServiceName; preferred: number }][] {
    return Object.entries(listeners) as [keyof Ports, { service: ServiceName; preferred: number }][];
}

/** A file of an older version or half a file is no reason to fail: its ports are chosen again. */
function readRemembered(file: string): Partial<Ports> {
    try {
        return portsSchema.partial().parse(JSON.parse(readIfThere(file) ?? "{}"));
    } catch {
        fs.rmSync(file, { force: true });
        return {};
    }
}

/** The preferred number, then the same number in each following hundred: a second lakehouse moves as a whole. */
function candidates(preferred: number): number[] {
    return Array.from({ length: 50 }, (_, index) => preferred + 100 * index);
}

async function firstFree(numbers: (number | undefined)[], taken: number[]): Promise<number> {
    for (const number of numbers) {
        if (number !== undefined && !taken.includes(number) && (await isPortFree(number))) return number;
    }
    throw new Error(
        `No free port on 127.0.0.1: tried ${numbers.join(", ")}. End the programs that listen there, then try again.`,
    );
}

function canListen(port: number): Promise<boolean> {
    return new Promise((resolve) => {
        const server = net.createServer();
        server.once("error", () => resolve(false));
        server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
    });
}
