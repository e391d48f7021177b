import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endLeftEngines } from "../../local/left-engines.ts";
import { rootVariable } from "../../local/resources/environment.ts";
import { calledPlatform } from "../platform-call.ts";
import { changesOf, type TestStack, testStack } from "./engine.ts";
import { type Cut, cutAtEach } from "./killed-at-each.ts";
import { held, namesIn } from "./quickstart-held.ts";
import {
    type QuickstartWish,
    type QuickstartWorld,
    startQuickstartWorld,
    token,
    withoutWaits,
} from "./quickstart-world.ts";

/** A whole lakehouse whose engine is ended at one resource after the other; S3 and IAM on the emulator, the servers simulated. */

/** At each resource, as `npm run test:long` does it; else at every so many-th. */
const all = process.env["PULUMI_FLUSS_INTERRUPTIONS"] === "all";
const every = { creation: all ? 1 : 20, update: all ? 1 : 5, destroy: all ? 1 : 20 };

const long = { timeout: 600_000 };

/** By this the processes of a killed engine are known, which do not notice that it is gone. */
const mark = path.join(os.tmpdir(), `whole-interrupted-${process.pid}`);

let world: QuickstartWorld;
let stack: TestStack;
let wish: QuickstartWish = {};

beforeAll(async () => {
    world = await startQuickstartWorld();
    stack = await testStack({
        name: "desk",
        standIns: true,
        config: { "pulumi-fluss:vvpToken": { value: token, secret: true } },
        env: { [rootVariable]: mark, VV_API_TOKEN: "" },
        program: async () => {
            withoutWaits();
            world.program(wish);
        },
    });
});

afterAll(async () => {
    await stack?.dispose();
    await endLeftEngines(mark);
    await world?.close();
});

test("it is made although the engine is ended at each resource", long, async () => {
    const cuts = await cutAtEach(stack, up, {
        every: every.creation,
        wanted: (step) => !isOfAws(step),
        adopt: () => {
            wish = { adopt: true };
        },
    });
    wish = {};
    expect(cuts.length).toBeGreaterThanOrEqual(all ? 12 : 1);
    await expectGoal();
});

test(
    "an update of all its parts is ended at each resource: what ran runs on, and the next up goes on",
    long,
    async () => {
        wish = { revision: 2, keys: ["new", "key"] };
        const cuts = await cutAtEach(stack, up, {
            every: every.update,
            after: working,
            wanted: (step) => !isOfAws(step),
        });
        expect(cuts.length).toBeGreaterThanOrEqual(all ? 6 : 2);
        await expectGoal();
        expect((await held(world)).keys).toHaveLength(2);
        wish = { ...wish, keys: ["new"] };
        await up();
        expect((await held(world)).keys).toHaveLength(1);
    },
);

test(
    "its destroy is ended at each resource, and in the end nothing is left in any server",
    long,
    async () => {
        const cuts = await cutAtEach(stack, () => stack.destroy(one), { every: every.destroy });
        expect(cuts.length).toBeGreaterThanOrEqual(all ? 10 : 2);
        const { servers, aws, keys } = await held(world);
        expect(namesIn(servers)).toEqual([]);
        expect(aws.buckets).toEqual([]);
        expect(aws.users).toEqual([]);
        expect(keys).toEqual([]);
        expect((await stack.export()).deployment.resources ?? []).toEqual([]);
    },
);

/** One resource after the other: what is cut off is the one at which it was wanted, and no other. */
const one = { parallel: 1 };
const up = () => stack.up(one);

/** What AWS has made and the state does not know has to be imported, or deleted by hand; that is Pulumi's plugin's. */
const isOfAws = ({ type }: Pick<Cut, "type">) => type.startsWith("aws:");

/** Each deployment has exactly one job, and that runs; at most one where the plugin was killed between the end of the old job and the start of the new one. */
async function working({ how, op, name }: Cut): Promise<void> {
    const jobs = Object.entries(await jobsByDeployment());
    const stopped = jobs.filter(([, active]) => active.length === 0);
    const doubled = jobs.filter(([, active]) => active.length > 1);
    const what = `after a ${how} at the ${op} of ${name}`;
    expect(jobs, what).toHaveLength(3);
    expect(doubled, what).toEqual([]);
    if (how !== "kill of engine and plugins") expect(stopped, what).toEqual([]);
}

/** The states of the jobs that are not at their end, by the name of their deployment. */
async function jobsByDeployment(): Promise<Record<string, string[]>> {
    const found: Record<string, string[]> = {};
    for (const { name, deploymentId } of await list<{ name: string; deploymentId: string }>("deployments")) {
        const jobs = await list<{ status: { currentJobStatus: string } }>(
            `jobs?deploymentId=${deploymentId}`,
        );
        const states = jobs.map(({ status }) => status.currentJobStatus);
        found[name] = states.filter((state) => state !== "CANCELLED" && state !== "FINISHED");
    }
    return found;
}

async function list<T>(where: string): Promise<T[]> {
    const { data } = await calledPlatform(world.vvp, token, "GET", `/api/v2/namespaces/default/${where}`);
    return data as T[];
}

/** Nothing is left to do, and nothing is there that the stack does not know of. */
async function expectGoal(): Promise<void> {
    expect(changesOf(await up())).toEqual([]);
    expect((await stack.refresh()).changes).toEqual({ same: expect.any(Number) });
    const jobs = await jobsByDeployment();
    expect(Object.values(jobs)).toEqual([["RUNNING"], ["RUNNING"], ["RUNNING"]]);
}
