import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { stackConfig } from "./fake-platform.ts";
import { type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

/** What one run of the engine remembers of the deployments' list: each kind of resource is configured once a run. */

const { vvpDeployment, vvpDeploymentTarget, vvpDraft, vvpSecretValue } = vvpProviders;
const engineVersion = "vera-4.5-jdk11-flink-1.20";
let p: SimulatedPlatform;
let deploymentTargetId: unknown;

beforeEach(async () => {
    p = await simulatedPlatform();
    const target = await p.up(vvpDeploymentTarget, { name: "t", kubernetesNamespace: "jobs" });
    deploymentTargetId = target.state["targetId"];
    await beginRun();
});
afterEach(() => p.close());

async function beginRun(): Promise<void> {
    for (const provider of Object.values(vvpProviders)) await provider.configure(stackConfig);
}

type Provider = typeof vvpDeployment;
const make = async (provider: Provider, wish: object) => {
    const { inputs } = await provider.check(undefined, { connection: p.connection, ...wish });
    return provider.create(inputs);
};
const sqlScript = "INSERT INTO a SELECT * FROM b";
const deploy = (name: string) =>
    make(vvpDeployment, { name, deploymentTarget: "t", engineVersion, sqlScript, state: "CANCELLED" });
const draft = (name: string) =>
    make(vvpDraft, { name, deploymentTargetId, engineVersion, sqlScript, deploy: true });

describe("in one run", () => {
    test("deployments and drafts read the list once for each kind, however many they are", async () => {
        for (let n = 0; n < 5; n++) await deploy(`d-${n}`);
        for (let n = 0; n < 5; n++) await draft(`s-${n}`);
        expect(p.calls("listDeployments")).toBe(2);
    });

    test("a deployment that a draft made is known to deployments, and the other way round", async () => {
        await deploy("first");
        await draft("report");
        await expect(deploy("report")).rejects.toThrow(/deployment 'report' .* exists already/);
        await deploy("second");
        await expect(draft("second")).rejects.toThrow(/there is a deployment 'second' .* already/);
    });

    test("a name that a draft gave up is free for a deployment", async () => {
        const { id, outs } = await draft("report");
        await expect(deploy("report")).rejects.toThrow("exists already");
        await vvpDraft.delete(id, outs);
        await deploy("report");
    });

    test("several rotated secrets read the list once", async () => {
        const wish = (n: number, value: string) => ({
            connection: p.connection,
            name: `pw-${n}`,
            value,
            restartJobs: "WITH_STATE",
        });
        const held: Awaited<ReturnType<typeof make>>[] = [];
        for (let n = 0; n < 3; n++) held.push(await make(vvpSecretValue, wish(n, "first-hush")));
        for (const [n, { id, outs }] of held.entries()) {
            const { inputs } = await vvpSecretValue.check(outs, wish(n, "second-hush"));
            await vvpSecretValue.update(id, outs, inputs);
        }
        expect(p.calls("listDeployments")).toBe(1);
    });
});
