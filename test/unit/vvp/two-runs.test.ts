import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Hosted } from "../../../dynamic-providers/resource.ts";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { stackConfig } from "./fake-platform.ts";
import { platformWithTarget, type SimulatedPlatform } from "./simulated-platform.ts";

/** Two runs that make the same thing in the same moment: each has looked, and found nothing, before the other made it. */

const { vvpDeployment, vvpDeploymentTarget, vvpSecretValue, vvpSessionCluster } = vvpProviders;
const engineVersion = "vera-4.5-jdk11-flink-1.20";
let p: SimulatedPlatform;

beforeEach(async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    p = await platformWithTarget();
});
afterEach(async () => {
    vi.restoreAllMocks();
    await p.close();
});

const kinds: [what: string, provider: Hosted, wish: object, list: string][] = [
    [
        "deployment target",
        vvpDeploymentTarget,
        { name: "both", kubernetesNamespace: "jobs" },
        "deployment-targets",
    ],
    [
        "session cluster",
        vvpSessionCluster,
        { name: "both", deploymentTarget: "t", engineVersion, state: "STOPPED" },
        "sessionclusters",
    ],
    ["secret value", vvpSecretValue, { name: "both", value: "hush-1234" }, "secret-values"],
];

describe.each(kinds)("a %s", (_, provider, wish, list) => {
    const making = async (mark: string) => {
        await provider.configure(stackConfig);
        const given = { connection: p.connection, ...wish, mark };
        return provider.create((await provider.check(undefined, given)).inputs);
    };
    const count = async () => {
        const { items } = (await p.outside("GET", `/api/v1/namespaces/default/${list}`)) as {
            items: { metadata: { name: string } }[];
        };
        return items.filter(({ metadata }) => metadata.name === "both").length;
    };

    test("of two stacks: one has it, the other is told how to take it over", async () => {
        const runs = await Promise.allSettled([making("stack-a-1"), making("stack-b-1")]);
        const failed = runs.flatMap((run) =>
            run.status === "rejected" ? [String((run.reason as Error).message)] : [],
        );
        expect(failed).toHaveLength(1);
        expect(failed[0]).toMatch(
            /'both' in namespace 'default' exists already, and this stack did not make it.*adopt: true/s,
        );
        expect(await count()).toBe(1);
    });

    test("of one stack, as when a gateway sends one request twice: it is one", async () => {
        const [first, second] = await Promise.all([making("stack-a-1"), making("stack-a-1")]);
        expect(second.id).toBe(first.id);
        expect(await count()).toBe(1);
    });
});

describe("a deployment, whose name the platform gives more than once", () => {
    const making = async (mark: string, more: object = {}) => {
        await vvpDeployment.configure(stackConfig);
        const job = {
            name: "both",
            deploymentTarget: "t",
            engineVersion,
            sqlScript: "INSERT INTO a SELECT * FROM b",
            healthySeconds: 0,
        };
        const given = { connection: p.connection, ...job, mark, ...more };
        return vvpDeployment.create((await vvpDeployment.check(undefined, given)).inputs);
    };
    const list = async () =>
        (await p.outside("GET", "/api/v2/namespaces/default/deployments")) as { deploymentId: string }[];

    /** Runs that have both looked before either makes it. */
    const both = async (...runs: (() => Promise<{ id: string }>)[]) => {
        for (const _ of runs) p.simulator.faults.delayNext("createDeployment", 200);
        const done = await Promise.allSettled(runs.map((run) => run()));
        expect(p.calls("createDeployment")).toBe(2);
        return done;
    };

    test("of two stacks: one has it with one job, the other is told how to take it over", async () => {
        const runs = await both(
            () => making("stack-a-1"),
            () => making("stack-b-1"),
        );
        const failed = runs.flatMap((run) =>
            run.status === "rejected" ? [String((run.reason as Error).message)] : [],
        );
        expect(failed).toHaveLength(1);
        expect(failed[0]).toMatch(/deployment 'both' .* exists already, and this stack did not make it/);
        const [left, ...more] = await list();
        expect(more).toEqual([]);
        expect((await p.jobs(left?.deploymentId ?? "")).map(({ status }) => status)).toEqual(["RUNNING"]);
    });

    test("of two stacks that take over what there is: both have the same one", async () => {
        const runs = await both(
            () => making("stack-a-1", { adopt: true }),
            () => making("stack-b-1", { adopt: true }),
        );
        const ids = runs.flatMap((run) => (run.status === "fulfilled" ? [run.value.id] : []));
        const all = await list();
        expect(all).toHaveLength(1);
        expect(new Set(ids)).toEqual(new Set([all[0]?.deploymentId]));
    });
});
