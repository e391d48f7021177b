import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { Hosted } from "../../../dynamic-providers/resource.ts";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import {
    type SimulatedFlink,
    simulatedFlink,
    startVvpSimulator,
    type VvpSimulator,
    type VvpSimulatorOptions,
} from "../../../local/simulators/vvp/index.ts";
import { stackConfig, token } from "./fake-platform.ts";

type Bag = Record<string, unknown>;

/** What a state holds of a resource. */
export interface Held {
    id: string;
    state: Bag;
}

/** A simulated platform, and what the engine does with a provider, without the engine. */
export interface SimulatedPlatform {
    simulator: VvpSimulator;
    flink: SimulatedFlink;
    connection: { url: string };
    /** Checks, and creates or updates when there is a difference. Fails for a replacement. */
    up(provider: Hosted, inputs: Bag, held?: Held): Promise<Held>;
    /** Which inputs would make a new object. */
    replaces(provider: Hosted, inputs: Bag, held: Held): Promise<string[]>;
    /** Undefined when it is gone. */
    refresh(provider: Hosted, held: Held): Promise<Held | undefined>;
    /** A call past the providers; its answer out of the envelope. */
    outside(method: string, path: string, body?: unknown): Promise<unknown>;
    calls(operationId: string): number;
    /** A deployment's jobs, the newest first. */
    jobs(deploymentId: string): Promise<{ status: string; restore: string }[]>;
    close(): Promise<void>;
}

export async function simulatedPlatform(
    options: Partial<VvpSimulatorOptions> = {},
): Promise<SimulatedPlatform> {
    const flink = simulatedFlink();
    const simulator = await startVvpSimulator({
        port: 0,
        token,
        flink,
        kubernetesNamespaces: ["jobs"],
        ...options,
    });
    const connection = { url: simulator.url };
    /** What is remembered for a run ends here. */
    const newRun = (provider: Hosted) => provider.configure(stackConfig);
    const prepared = async (provider: Hosted, inputs: Bag, held: Held | undefined) => {
        await newRun(provider);
        const checked = await provider.check(held?.state, { connection, ...inputs });
        expect(checked.failures).toEqual([]);
        return checked.inputs;
    };
    const outside = async (method: string, path: string, body?: unknown) => {
        const answer = await fetch(simulator.url + path, {
            method,
            headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
            body: body === undefined ? null : JSON.stringify(body),
        });
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        const json = text === "" ? undefined : (JSON.parse(text) as Bag);
        return json && "data" in json ? json["data"] : json;
    };
    return {
        simulator,
        flink,
        connection,
        outside,
        up: async (provider, given, held) => {
            const inputs = await prepared(provider, given, held);
            if (!held) {
                const { id, outs } = await provider.create(inputs);
                return { id, state: outs };
            }
            const diff = await provider.diff(held.id, held.state, inputs);
            expect(diff.replaces).toEqual([]);
            if (!diff.changes) return held;
            return { id: held.id, state: (await provider.update(held.id, held.state, inputs)).outs };
        },
        replaces: async (provider, given, held) => {
            const inputs = await prepared(provider, given, held);
            return (await provider.diff(held.id, held.state, inputs)).replaces;
        },
        refresh: async (provider, held) => {
            await newRun(provider);
            const { id, props } = await provider.read(held.id, held.state);
            return id === undefined ? undefined : { id, state: props ?? {} };
        },
        calls: (operationId) =>
            simulator.requests.filter((request) => request.operationId === operationId).length,
        jobs: async (deploymentId) => {
            const path = `/api/v2/namespaces/default/jobs?deploymentId=${deploymentId}`;
            const found = (await outside("GET", path)) as {
                status: { currentJobStatus: string };
                restoreStrategy: { kind: string };
            }[];
            return found.map(({ status, restoreStrategy }) => ({
                status: status.currentJobStatus,
                restore: restoreStrategy.kind,
            }));
        },
        close: async () => {
            const { violations } = simulator;
            await simulator.close();
            if (!isDeepStrictEqual(violations, [])) throw new Error(violations.join("\n"));
        },
    };
}

/** One with the deployment target `t`, on which session clusters change at once. */
export async function platformWithTarget(): Promise<SimulatedPlatform> {
    const platform = await simulatedPlatform({ transitionReads: 0 });
    await platform.up(vvpProviders.vvpDeploymentTarget, { name: "t", kubernetesNamespace: "jobs" });
    return platform;
}
