import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

const { vvpDeploymentTarget, vvpSessionCluster, vvpSecretValue, vvpDeployment } = vvpProviders;
const engineVersion = "vera-4.5-jdk11-flink-1.20";
const mark = "organization-shop-prod-job-0123456789ab";
const target = { name: "t", kubernetesNamespace: "jobs", mark };
let p: SimulatedPlatform;

beforeEach(async () => {
    p = await simulatedPlatform();
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
});
afterEach(async () => {
    vi.restoreAllMocks();
    await p.close();
});

const cases = [
    ["deployment target", vvpDeploymentTarget, target, "createDeploymentTarget"],
    [
        "session cluster",
        vvpSessionCluster,
        { name: "s", deploymentTarget: "t", engineVersion, mark },
        "createSessionCluster",
    ],
    ["secret value", vvpSecretValue, { name: "pw", value: "hush-hush-1", mark }, "createSecretValue"],
    [
        "deployment",
        vvpDeployment,
        {
            name: "job",
            deploymentTarget: "t",
            engineVersion,
            sqlScript: "INSERT INTO a SELECT * FROM b",
            healthySeconds: 0,
            labels: { team: "lake" },
            mark,
        },
        "createDeployment",
    ],
] as const;

describe.each(cases)("a %s", (what, provider, wish, operation) => {
    beforeEach(async () => {
        if (what !== "deployment target") await p.up(vvpDeploymentTarget, target);
    });

    test("that a cut-off run of this very resource made is gone on with, and that is told", async () => {
        // The run is killed after the platform made it: nothing is in the state.
        await p.up(provider, wish);
        const calls = p.calls(operation);
        const held = await p.up(provider, wish);
        expect(p.calls(operation)).toBe(calls);
        expect(JSON.stringify(vi.mocked(console.warn).mock.calls)).toContain("was cut off");
        const refreshed = await p.refresh(provider, held);
        expect(await p.up(provider, wish, refreshed)).toEqual(refreshed);
    });

    test("of another stack is refused, and so is one without a mark", async () => {
        await p.up(provider, wish);
        for (const other of ["organization-shop-test-job-ba9876543210", undefined]) {
            await expect(p.up(provider, { ...wish, mark: other })).rejects.toThrow(
                /exists already, and this stack did not make it.*adopt: true/s,
            );
        }
    });
});

describe("the mark of a deployment", () => {
    test("is no label that one can give", async () => {
        const labels = { "pulumi-fluss-owner": "me", team: "lake" };
        const { failures } = await vvpDeployment.check(undefined, {
            connection: p.connection,
            ...cases[3][2],
            labels,
        });
        expect(failures[0]?.reason).toMatch(/labels: may not hold 'pulumi-fluss-owner'/);
    });

    const deployment = cases[3][2];
    const labels = async () => {
        const all = (await p.outside("GET", "/api/v2/namespaces/default/deployments")) as {
            labels: object;
        }[];
        return all[0]?.labels;
    };

    test("stays beside its labels, whatever becomes of them, and is no drift", async () => {
        await p.up(vvpDeploymentTarget, target);
        const held = await p.up(vvpDeployment, deployment);
        expect(await labels()).toEqual({ team: "lake", "pulumi-fluss-owner": mark });
        const changed = await p.up(vvpDeployment, { ...deployment, labels: {} }, held);
        expect(await labels()).toEqual({ "pulumi-fluss-owner": mark });
        expect((await p.refresh(vvpDeployment, changed))?.state["labels"]).toEqual({});
    });
});
