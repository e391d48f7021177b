import fs from "node:fs";
import path from "node:path";
import { LocalWorkspace, type PulumiFn, type Stack } from "@pulumi/pulumi/automation/index.js";
import { engineEnvironment } from "./automation.ts";
import { pulumiFolders } from "./lakehouse.ts";
import { rootVariable } from "./resources/environment.ts";
import type { Tools } from "./toolchain/types.ts";

/** Name of the project and of the stack in the local lakehouse. */
export const projectName = "fluss-quickstart";
export const stackName = "local";

/** The stack `local` with its program, on a file backend below the lakehouse's folder. */
export async function openStack(settings: {
    root: string;
    tools: Tools;
    passphrase: string;
    program: PulumiFn;
    env: Record<string, string>;
}): Promise<Stack> {
    const folders = pulumiFolders(settings.root);
    fs.mkdirSync(folders.program, { recursive: true });
    const env: Record<string, string> = {
        ...engineEnvironment(settings.tools, {
            backendFolder: folders.backend,
            passphrase: settings.passphrase,
        }),
        [rootVariable]: settings.root,
        ...settings.env,
    };
    // The Automation API looks for the CLI before it reads `envVars`.
    process.env.PATH = env.PATH ?? "";
    const stack = await LocalWorkspace.createOrSelectStack(
        { stackName, projectName, program: settings.program },
        {
            workDir: folders.program,
            envVars: env,
            projectSettings: {
                name: projectName,
                runtime: "nodejs",
                backend: { url: env.PULUMI_BACKEND_URL ?? "" },
            },
        },
    );
    await clearInterruption(stack, folders.backend);
    return stack;
}

/**
 * A run that was killed leaves a lock, and operations whose end nobody saw. This lakehouse's only user is alone here
 * (see `alone`), so the lock is stale; what the operations made is found again, since every create looks first.
 */
async function clearInterruption(stack: Stack, backendFolder: string): Promise<void> {
    const locks = path.join(backendFolder, ".pulumi", "locks");
    const isLocked =
        fs.existsSync(locks) &&
        fs.readdirSync(locks, { recursive: true }).some((file) => String(file).endsWith(".json"));
    if (!isLocked) return;
    await stack.cancel();
    const state = await stack.exportStack();
    const deployment = state.deployment as { pending_operations?: unknown[] } | undefined;
    if (!deployment?.pending_operations?.length) return;
    deployment.pending_operations = [];
    await stack.importStack(state);
}
