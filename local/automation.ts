import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Tools } from "./toolchain/types.ts";

/** The checkout. */
export const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/**
 * The environment in which Pulumi's engine runs for this repository: a file backend, secrets encrypted with a
 * passphrase, and no download that nobody asked for. The engine finds `node` and the host of the dynamic
 * providers on its PATH, which here comes before everything else.
 */
export function engineEnvironment(
    tools: Pick<Tools, "pulumi">,
    settings: { backendFolder: string; passphrase: string },
): Record<string, string> {
    fs.mkdirSync(settings.backendFolder, { recursive: true, mode: 0o700 });
    const first = [
        path.dirname(process.execPath),
        tools.pulumi.binDir,
        path.join(repository, "node_modules/@pulumi/pulumi"),
    ];
    return {
        PATH: [...first, process.env.PATH ?? ""].join(path.delimiter),
        PULUMI_HOME: tools.pulumi.home,
        PULUMI_BACKEND_URL: `file://${settings.backendFolder}`,
        PULUMI_CONFIG_PASSPHRASE: settings.passphrase,
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
        NO_COLOR: "1",
    };
}
