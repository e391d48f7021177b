import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { type Held, type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

const { vvpDeploymentTarget, vvpSecretValue, vvpDeployment } = vvpProviders;
const secret = { name: "pw", value: "first-hush-1" };
let p: SimulatedPlatform;
let held: Held;
let user: string;
let other: string;

beforeEach(async () => {
    p = await simulatedPlatform();
    await p.up(vvpDeploymentTarget, { name: "t", kubernetesNamespace: "jobs" });
    held = await p.up(vvpSecretValue, secret);
    const deploy = async (name: string, options: string) => {
        const job = {
            name,
            deploymentTarget: "t",
            engineVersion: "vera-4.5-jdk11-flink-1.20",
            sqlScript: `INSERT INTO a /*+ OPTIONS('x'='${options}') */ SELECT * FROM b`,
            healthySeconds: 0,
        };
        return (await p.up(vvpDeployment, job)).id;
    };
    user = await deploy("user", "${secret_values.pw}");
    other = await deploy("other", "plain");
});
afterEach(() => p.close());

const jobs = async (id: string) =>
    (
        (await p.outside("GET", `/api/v2/namespaces/default/jobs?deploymentId=${id}`)) as {
            status: { currentJobStatus: string };
            restoreStrategy: { kind: string };
        }[]
    ).map(({ status, restoreStrategy }) => `${status.currentJobStatus} ${restoreStrategy.kind}`);

describe("a new value", () => {
    test("restarts nothing unless that is asked for", async () => {
        await p.up(vvpSecretValue, { ...secret, value: "second-hush-1" }, held);
        expect(await jobs(user)).toEqual(["RUNNING NONE"]);
    });

    test("restarts the jobs that use it with their state, and no other", async () => {
        const wish = { ...secret, value: "second-hush-1", restartJobs: "WITH_STATE" };
        const rotated = await p.up(vvpSecretValue, wish, held);
        expect(await jobs(user)).toEqual(["RUNNING LATEST_STATE", "CANCELLED NONE"]);
        expect(await jobs(other)).toEqual(["RUNNING NONE"]);
        expect(p.flink.statements.at(-1)).toContain("second-hush-1");
        expect(await p.up(vvpSecretValue, wish, rotated)).toBe(rotated);
    });

    test("whose restart fails says so, and the next run starts the job", async () => {
        p.flink.refuseNextStart("no slots");
        const wish = { ...secret, value: "second-hush-1", restartJobs: "WITHOUT_STATE" };
        const error = await p.up(vvpSecretValue, wish, held).catch((caught) => caught);
        expect(error.message).toMatch(/'pw' is written, but jobs .*deployment 'user'.*no slots/s);
        expect(error.message).not.toContain("hush");
        const failed = { id: held.id, state: error.properties };
        expect(failed.state).toMatchObject({ restartPending: [user] });
        const again = await p.up(vvpSecretValue, wish, failed);
        expect(again.state["restartPending"]).toEqual([]);
        expect((await jobs(user))[0]).toBe("RUNNING NONE");
        expect(p.calls("patchSecretValue")).toBe(1);
    });
});
