import { afterEach, expect, test } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { platformWithTarget, type SimulatedPlatform } from "./simulated-platform.ts";

const { vvpApiToken, vvpDeployment } = vvpProviders;
const job = {
    name: "writer",
    deploymentTarget: "t",
    engineVersion: "vera-4.5-jdk11-flink-1.20",
    sqlScript: "INSERT INTO a SELECT * FROM b",
    healthySeconds: 0,
    mark: "desk-writer",
};
let p: SimulatedPlatform;

afterEach(() => p.close());

test("the token with which the stack works is replaced: no state holds it, and the running job is left alone", async () => {
    p = await platformWithTarget();
    const wish = { name: "stack", role: "editor", mark: "desk-token" };
    const first = await p.up(vvpApiToken, { ...wish, rotation: "1" });
    const second = await p.up(vvpApiToken, { ...wish, rotation: "2" });
    const [old, next] = [first, second].map(({ state }) => String(state["secret"])) as [string, string];
    const as = (token: string) =>
        vvpDeployment.configure({
            config: { get: (key) => (key === "pulumi-fluss:vvpToken" ? token : undefined) },
        });

    const inputs = async () => {
        const { inputs: checked, failures } = await vvpDeployment.check(undefined, {
            connection: p.connection,
            ...job,
        });
        expect(failures).toEqual([]);
        return checked;
    };
    await as(old);
    const { id, outs } = await vvpDeployment.create(await inputs());
    expect(JSON.stringify(outs)).not.toContain(old);

    await as(next);
    const { changes } = await vvpDeployment.diff(id, outs, await inputs());
    expect(changes).toBe(false);
    await vvpApiToken.delete(first.id, first.state);
    const { props } = await vvpDeployment.read(id, outs);
    expect(props).toEqual(outs);
    expect(await p.jobs(id)).toMatchObject([{ status: "RUNNING" }]);
    await as(old);
    await expect(vvpDeployment.read(id, outs)).rejects.toThrow(/401.*\n.*What to do/s);
    await as(next);
    await vvpDeployment.delete(id, outs);
});
