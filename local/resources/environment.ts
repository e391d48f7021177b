import fs from "node:fs";
import path from "node:path";
import { z } from "zod";
import { writePrivate } from "../services/folders.ts";
import type { Ports } from "../services/ports.ts";
import { Supervisor } from "../services/supervisor.ts";
import type { Tools } from "../toolchain/types.ts";

/** Name of the variable with the local lakehouse's folder; the engine hands it on to the provider process. */
export const rootVariable = "PULUMI_FLUSS_LOCAL";

/** What the resources of the local stack need to start a server. */
export interface LocalEnvironment {
    root: string;
    tools: Tools;
    ports: Ports;
}

const file = (root: string) => path.join(root, "run", "environment.json");

/** Leaves tools and ports for the provider process, which runs the local resources. */
export function writeEnvironment(environment: LocalEnvironment): void {
    writePrivate(file(environment.root), JSON.stringify(environment));
}

/**
 * The environment and its supervisor, as the provider process sees them.
 * @throws when the process was not started by the local lakehouse's own programs
 */
export function readEnvironment(): LocalEnvironment & { supervisor: Supervisor } {
    const root = process.env[rootVariable];
    if (!root || !fs.existsSync(file(root))) {
        throw new Error("the servers of the local lakehouse are started by `npm start` only");
    }
    const environment = z
        .looseObject({ root: z.string() })
        .parse(JSON.parse(fs.readFileSync(file(root), "utf8"))) as unknown as LocalEnvironment;
    return { ...environment, supervisor: new Supervisor(root) };
}
