import process from "node:process";
import { servePlugin } from "./grpc.ts";
import type { Plugin } from "./resource-type.ts";

/**
 * Runs a plugin as a process of its own, as the engine starts an executable `pulumi-resource-<name>`: it prints its
 * port as the only line and serves until it is ended.
 */
export async function runPlugin<Context>(plugin: Plugin<Context>): Promise<void> {
    const served = await servePlugin(plugin);
    process.stdout.write(`${served.port}\n`);
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
        process.once(signal, () => void served.close().then(() => process.exit(0)));
    }
}
