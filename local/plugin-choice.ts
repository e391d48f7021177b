import { execFile } from "node:child_process";
import dns from "node:dns/promises";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { startStandIns } from "./plugins/index.ts";
import type { Report, Tools } from "./toolchain/types.ts";

/** How the engine gets its aws and random plugins. */
export interface PluginChoice {
    /** Environment of the engine. */
    env: Record<string, string>;
    close(): Promise<void>;
}

/**
 * The real plugins when they are installed or can be downloaded; else this repository's stand-ins, and says so.
 * One real and one stand-in is never mixed.
 */
export async function choosePlugins(tools: Tools, report: Report): Promise<PluginChoice> {
    const wanted = ["aws", "random"].map((name) => ({ name, version: sdkVersion(name) }));
    const missing = wanted.filter(({ name, version }) => !isInstalled(tools, name, version));
    if (missing.length === 0 || (await install(tools, missing, report)))
        return { env: {}, close: async () => {} };
    const standIns = await startStandIns();
    report(
        "the real aws and random plugins cannot be downloaded here: small stand-ins of this repository do their work",
    );
    return { env: { PULUMI_DEBUG_PROVIDERS: standIns.debugProviders }, close: () => standIns.close() };
}

function isInstalled(tools: Tools, name: string, version: string): boolean {
    return fs.existsSync(
        path.join(tools.pulumi.home, "plugins", `resource-${name}-v${version}`, `pulumi-resource-${name}`),
    );
}

/** False when the vendor's host cannot be found or a download fails; without a network that is known at once. */
async function install(
    tools: Tools,
    missing: { name: string; version: string }[],
    report: Report,
): Promise<boolean> {
    try {
        await dns.lookup("get.pulumi.com");
        for (const { name, version } of missing) {
            report(`downloading Pulumi's ${name} plugin ${version} (once; some minutes)`);
            await promisify(execFile)(
                path.join(tools.pulumi.binDir, "pulumi"),
                ["plugin", "install", "resource", name, version],
                {
                    env: { ...process.env, PULUMI_HOME: tools.pulumi.home, PULUMI_SKIP_UPDATE_CHECK: "true" },
                    timeout: 15 * 60_000,
                },
            );
        }
        return true;
    } catch {
        return false;
    }
}

/** The engine asks for exactly the version of the installed SDK package. */
function sdkVersion(name: string): string {
    const manifest = createRequire(import.meta.url).resolve(`@pulumi/${name}/package.json`);
    return (JSON.parse(fs.readFileSync(manifest, "utf8")) as { version: string }).version;
}
