import { ListUserPoliciesCommand } from "@aws-sdk/client-iam";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mostBytes, mostBytesGoal } from "../long/state-bytes.ts";
import { changesOf, type TestStack, testStack } from "./engine.ts";
import { held, lakeUsers, namesIn } from "./quickstart-held.ts";
import { type QuickstartWorld, startQuickstartWorld, token, withoutWaits } from "./quickstart-world.ts";

let world: QuickstartWorld;
let stack: TestStack;
/** Whether the program takes over what exists, and how its resources are called in AWS. */
let wish: { adopt: boolean; inAws: Record<string, InAws> } = { adopt: false, inAws: {} };

interface InAws {
    id: string;
    /** A name that was generated: without it in the program, another one would be. */
    name?: string;
}

function program(): void {
    pulumi.runtime.registerStackTransformation(({ name, props, opts }) => {
        const found = wish.inAws[name];
        if (!found) return undefined;
        const { id, name: generated } = found;
        return {
            props: generated ? { ...props, name: generated } : props,
            opts: wish.adopt ? pulumi.mergeOptions(opts, { import: id }) : opts,
        };
    });
    withoutWaits();
    world.program({ adopt: wish.adopt });
}

function emptyStack(): Promise<TestStack> {
    return testStack({
        name: "desk",
        standIns: true,
        config: { "pulumi-fluss:vvpToken": { value: token, secret: true } },
        env: { VV_API_TOKEN: "" },
        program: async () => program(),
    });
}

beforeAll(async () => {
    world = await startQuickstartWorld();
    stack = await emptyStack();
    await stack.up();
});

afterAll(async () => {
    await stack?.dispose();
    await world?.close();
});

test("what the state of a resource has beyond 2.2 times its inputs is within the goal of the benchmark", async () => {
    expect(mostBytes(await stack.export())).toBeLessThanOrEqual(mostBytesGoal);
});

test("the state is lost: an empty one takes the whole lakehouse over, and changes nothing but the key of the buckets", async () => {
    const before = await held(world);
    const made = (await stack.export()).deployment.resources as { urn: string }[];
    await stack.dispose();
    stack = await emptyStack();
    wish = { adopt: true, inAws: await inAws() };
    await stack.up();
    const after = await held(world);
    expect(lasting(after.servers)).toEqual(lasting(before.servers));
    expect(after.aws).toEqual(before.aws);
    // Its secret part is told once, so that a new one is made. The old one is deleted by hand.
    expect(after.keys).toHaveLength(2);
    expect(after.keys).toEqual(expect.arrayContaining(before.keys));
    const restored = (await stack.export()).deployment.resources as { urn: string }[];
    expect(restored.map(({ urn }) => urn).sort()).toEqual(made.map(({ urn }) => urn).sort());

    wish = { ...wish, adopt: false };
    expect(changesOf(await stack.up())).toEqual([]);
    expect((await stack.refresh()).changes).toEqual({ same: expect.any(Number) });
    expect(changesOf(await stack.up())).toEqual([]);
});

test("the servers are lost and installed again, empty: a refresh and an up make all of it anew", async () => {
    const before = await held(world);
    await world.loseServers();
    // Tables are looked at through the platform, which needs the JARs for that.
    const target = ["**vvp:Artifact**"];
    await stack.refresh({ target });
    await stack.up({ target });
    await stack.refresh();
    await stack.up();
    const after = await held(world);
    expect(namesIn(after.servers)).toEqual(namesIn(before.servers));
    expect(after.keys).toEqual(before.keys);
    expect(changesOf(await stack.up())).toEqual([]);
    await stack.destroy();
    expect(namesIn((await held(world)).servers)).toEqual([]);
});

/** The names of the program's AWS resources, and what they are there. */
async function inAws(): Promise<Record<string, InAws>> {
    const UserName = (await lakeUsers(world))[0]!.UserName!;
    const { PolicyNames = [] } = await world.emulator.iam().send(new ListUserPoliciesCommand({ UserName }));
    const policy = PolicyNames[0]!;
    return {
        "desk-buckets-remote": { id: "quickstart-remote" },
        "desk-buckets-lake": { id: "quickstart-lake" },
        "desk-buckets-user": { id: UserName, name: UserName },
        "desk-buckets-user-policy": { id: `${UserName}:${policy}`, name: policy },
    };
}

/**
 * What the answers hold, without order and without when something was written last: values of secrets and artifacts are written again,
 * since nobody can compare them.
 */
function lasting(answer: unknown): unknown {
    if (Array.isArray(answer)) return answer.map((one) => JSON.stringify(lasting(one))).sort();
    if (typeof answer !== "object" || answer === null) return answer;
    const entries = Object.entries(answer).filter(([key]) => !written.test(key));
    return Object.fromEntries(entries.map(([key, value]) => [key, lasting(value)]));
}

const written = /^(requestId|resourceVersion|createTime|modifiedAt|updated-?at)$/i;
