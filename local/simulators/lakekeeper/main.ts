import { readFileSync } from "node:fs";
import { z } from "zod";
import { startLakekeeperSimulator } from "./index.ts";
import { versions } from "./version.ts";

const schema = z.strictObject({
    port: z.int().min(0).max(65535),
    stateFile: z.string().optional(),
    token: z.string().min(1),
    backendUrl: z.url().optional(),
    s3: z.strictObject({ endpoint: z.url() }).optional(),
    version: z.enum(versions).optional(),
    authzBackend: z.enum(["allow-all", "openfga"]).optional(),
    systemIdentities: z.boolean().optional(),
    instanceAdmin: z.boolean().optional(),
    defaultProject: z.boolean().optional(),
    baseUri: z.url().optional(),
    requestSeconds: z.number().positive().optional(),
});

const file = process.argv[2];
if (file === undefined) {
    console.error("Usage: node local/simulators/lakekeeper/main.ts SETTINGS.json (see LakekeeperSettings)");
    process.exit(2);
}
const settings = schema.safeParse(JSON.parse(readFileSync(file, "utf8")));
if (!settings.success) {
    // Only paths and reasons: the file holds the token.
    console.error(
        `${file}: ${settings.error.issues.map((i) => `${i.path.join(".")}: ${i.message}`).join("; ")}`,
    );
    process.exit(2);
}

const simulator = await startLakekeeperSimulator(settings.data);
console.log(`The simulated Lakekeeper listens on ${simulator.url}`);

for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => void simulator.close().then(() => process.exit(0)));
}
