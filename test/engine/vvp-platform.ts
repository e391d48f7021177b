import fs from "node:fs";
import type { ConfigMap } from "@pulumi/pulumi/automation/index.js";
import {
    type SimulatedFlink,
    simulatedFlink,
    startVvpSimulator,
    type VvpSimulator,
    type VvpSimulatorOptions,
} from "../../local/simulators/vvp/index.ts";
import { calledPlatform } from "../platform-call.ts";
import { type TestStack, testStack } from "./engine.ts";

/** API token of the simulated platform. */
export const token = "3f0c6a52-7d1e-4c1b-9a55-token";

/** The engine of the quickstart. */
export const engineVersion = "vera-4.5-jdk11-flink-1.20";

/** A stack on a simulated platform of its own, with a Flink in memory behind it. */
export interface Workspace {
    stack: TestStack;
    platform: VvpSimulator;
    flink: SimulatedFlink;
    /** A call that somebody else makes, past the stack. Returns what it answers, out of its envelope. */
    outside(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
    /** How often the platform has served an operation so far. */
    calls(operationId: string): number;
    dispose(): Promise<void>;
}

/** Starts the platform and makes the stack; `program` gets the connection that its resources need. */
export async function vvpWorkspace(
    program: (connection: { url: string }) => object,
    config: ConfigMap = { "pulumi-fluss:vvpToken": { value: token, secret: true } },
    options: Partial<VvpSimulatorOptions> & { env?: Record<string, string> } = {},
): Promise<Workspace> {
    const { env, ...simulator } = options;
    const flink = simulatedFlink();
    const platform = await startVvpSimulator({
        port: 0,
        token,
        flink,
        kubernetesNamespaces: ["jobs"],
        ...simulator,
    });
    const stack = await testStack({
        program: async () => ({ ...program({ url: platform.url }) }),
        config,
        env: { VV_API_TOKEN: "", ...env },
    });
    return {
        stack,
        platform,
        flink,
        outside: async (method, path, body) => {
            const json = await calledPlatform(platform.url, token, method, path, body);
            return (json["data"] ?? json) as Record<string, unknown>;
        },
        calls: (operationId) =>
            platform.requests.filter((request) => request.operationId === operationId).length,
        dispose: async () => {
            await platform.close();
            await stack.dispose();
        },
    };
}

/** Writes vvctl's configuration with this token for the platform; `VV_CONFIG` names the file. */
export function writeTokenFile(file: string, url: string, value: string): void {
    const config = `
current-context: test
contexts: [{ name: test, context: { user: tester, server: simulated } }]
users: [{ name: tester, user: { token: ${value}, namespace: default } }]
servers: [{ name: simulated, server: { host: "${url}" } }]
`;
    // In one step: a run may be reading it.
    fs.writeFileSync(`${file}.new`, config);
    fs.renameSync(`${file}.new`, file);
}
