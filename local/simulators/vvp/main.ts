import fs from "node:fs";
import { z } from "zod";
import { realFlink, startVvpSimulator } from "./index.ts";

/*
 * The simulated VVP as a process: `node main.ts <settings.json>`. The settings hold the token, so the file must be
 * readable by its owner alone. Prints one line a request, without secrets, and ends on SIGTERM or SIGINT.
 */

const settingsSchema = z.strictObject({
    port: z.int().min(0).max(65535),
    stateDir: z.string().min(1),
    token: z.string().min(1),
    flinkUrl: z.url(),
    gatewayUrl: z.url(),
    kubernetesNamespaces: z.array(z.string().min(1)).min(1),
    namespaces: z.array(z.string().min(1)).min(1).optional(),
});

const log = (line: string) => console.log(`${new Date().toISOString()} ${line}`);

try {
    const { flinkUrl, gatewayUrl, ...settings } = readSettings(process.argv[2]);
    const simulator = await startVvpSimulator({
        ...settings,
        flink: realFlink(flinkUrl, gatewayUrl),
        onRequest: ({ method, path, operationId, status, milliseconds }) =>
            // The last part of an upload's path is its permission.
            log(
                `${method} ${path.replace(/^(\/_sim\/blob\/).*/, "$1***")} ${operationId} ${status} ${milliseconds} ms`,
            ),
        report: log,
    });
    log(`simulated VVP at ${simulator.url}`);
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
        process.once(signal, () => {
            log(`${signal}: closing`);
            void simulator.close().then(() => process.exit(0));
        });
    }
} catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
}

function readSettings(file: string | undefined): z.infer<typeof settingsSchema> {
    if (file === undefined) throw new Error("usage: node main.ts <settings.json>");
    if ((fs.statSync(file).mode & 0o077) !== 0) {
        throw new Error(`${file} holds a token but others can read it: run chmod 600 ${file}`);
    }
    const parsed = settingsSchema.safeParse(JSON.parse(fs.readFileSync(file, "utf8")));
    if (parsed.success) return parsed.data;
    throw new Error(`${file} is not valid:\n${z.prettifyError(parsed.error)}`);
}
