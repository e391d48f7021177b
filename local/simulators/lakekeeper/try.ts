import { randomUUID } from "node:crypto";
import { z } from "zod";
import { startLakekeeperSimulator } from "./index.ts";
import { startMemoryCatalog } from "./memory-catalog.ts";
import { versions } from "./version.ts";

/*
 * `npm run simulator:lakekeeper`: the simulated Lakekeeper alone, with an Iceberg catalog in memory behind it, to try the
 * library without a server. Prints its address and how to use it; ends on Ctrl-C, and everything is gone then.
 */

const settings = z
    .object({
        /** Default: a free one. */
        LAKEKEEPER_SIMULATOR_PORT: z.coerce.number().int().min(0).max(65535).default(0),
        LAKEKEEPER_SIMULATOR_VERSION: z.enum(versions).default("0.13.3"),
        /** `openfga` keeps grants and checks nothing; with `allow-all` there are none. */
        LAKEKEEPER_SIMULATOR_AUTHZ: z.enum(["openfga", "allow-all"]).default("openfga"),
    })
    .safeParse(process.env);
if (!settings.success) {
    for (const { path, message } of settings.error.issues) console.error(`${path.join(".")}: ${message}`);
    process.exit(2);
}

const token = randomUUID();
const catalog = await startMemoryCatalog();
const simulator = await startLakekeeperSimulator({
    port: settings.data.LAKEKEEPER_SIMULATOR_PORT,
    token,
    backendUrl: catalog.url,
    version: settings.data.LAKEKEEPER_SIMULATOR_VERSION,
    authzBackend: settings.data.LAKEKEEPER_SIMULATOR_AUTHZ,
    systemIdentities: true,
    onRequest: ({ method, path, status }) => console.log(`${method} ${path} ${status}`),
});
console.log(`simulated Lakekeeper ${settings.data.LAKEKEEPER_SIMULATOR_VERSION} at ${simulator.url}; nothing outlives it, and no storage is tried

To use it from another terminal (the token is this run's own, and good for nothing else):

    export LAKEKEEPER_URL=${simulator.url} LAKEKEEPER_TOKEN=${token}
    curl -H "Authorization: Bearer $LAKEKEEPER_TOKEN" $LAKEKEEPER_URL/management/v1/info

A program with the resources of pulumi-fluss/dynamic-providers needs no more than
connection: { url: process.env.LAKEKEEPER_URL }, and LakekeeperServer, which bootstraps it; then pulumi up.
The library's own tests, pointed at it:  npm run test:lakekeeper
Ctrl-C ends it.
`);
for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, async () => {
        await simulator.close();
        await catalog.close();
        process.exit(0);
    });
}
