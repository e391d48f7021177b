import {
    GetUserPolicyCommand,
    ListAccessKeysCommand,
    ListUserPoliciesCommand,
    ListUsersCommand,
} from "@aws-sdk/client-iam";
import { ListBucketsCommand } from "@aws-sdk/client-s3";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { calledPlatform } from "../platform-call.ts";
import { changesOf, type TestStack, testStack } from "./engine.ts";
import { type QuickstartWorld, startQuickstartWorld, token } from "./quickstart-world.ts";

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
    world.program(wish.adopt);
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

test("the state is lost: an empty one takes the whole lakehouse over, and changes nothing but the key of the buckets", async () => {
    const before = await held();
    const made = (await stack.export()).deployment.resources as { urn: string }[];
    await stack.dispose();
    stack = await emptyStack();
    wish = { adopt: true, inAws: await inAws() };
    await stack.up();
    const after = await held();
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
    const before = await held();
    await world.loseServers();
    // Tables are looked at through the platform, which needs the JARs for that.
    const target = ["**vvp:Artifact**"];
    await stack.refresh({ target });
    await stack.up({ target });
    await stack.refresh();
    await stack.up();
    const after = await held();
    expect(namesIn(after.servers)).toEqual(namesIn(before.servers));
    expect(after.keys).toEqual(before.keys);
    expect(changesOf(await stack.up())).toEqual([]);
    await stack.destroy();
    expect(namesIn((await held()).servers)).toEqual([]);
});

/** What the platform, Lakekeeper and AWS hold, with every id, version and time. */
async function held() {
    const ask = (where: string) => calledPlatform(world.vvp, token, "GET", where);
    const [v1, v2] = ["/api/v1/namespaces/default", "/api/v2/namespaces/default"];
    const platform = await Promise.all(
        [
            `${v1}/deployment-targets`,
            `${v1}/sessionclusters`,
            `${v1}/secret-values`,
            "/artifacts/v1/namespaces/default/artifacts:list",
            `${v2}/deployments`,
            "/fluss/api/v1/clusters",
        ].map(ask),
    );
    const warehouses = await fetch(`${world.lakekeeper}/management/v1/warehouse`, {
        headers: { authorization: `Bearer ${token}` },
    });
    const iam = world.emulator.iam();
    const { Buckets = [] } = await world.emulator.s3().send(new ListBucketsCommand({}));
    const users = await lakeUsers();
    const policies = await Promise.all(
        users.map(async ({ UserName }) => {
            const { PolicyNames = [] } = await iam.send(new ListUserPoliciesCommand({ UserName }));
            const texts = PolicyNames.map((PolicyName) =>
                iam.send(new GetUserPolicyCommand({ UserName, PolicyName })),
            );
            return (await Promise.all(texts)).map(({ PolicyName, PolicyDocument }) => [
                PolicyName,
                PolicyDocument,
            ]);
        }),
    );
    const keys = await Promise.all(
        users.map(({ UserName }) => iam.send(new ListAccessKeysCommand({ UserName }))),
    );
    return {
        servers: [...platform, await warehouses.json()],
        aws: { buckets: Buckets, users, policies },
        keys: keys.flatMap(({ AccessKeyMetadata = [] }) =>
            AccessKeyMetadata.map(({ AccessKeyId }) => AccessKeyId),
        ),
    };
}

/** Users but the emulator's administrator. */
async function lakeUsers() {
    const { Users = [] } = await world.emulator.iam().send(new ListUsersCommand({}));
    return Users.filter(({ UserName }) => UserName?.startsWith("desk"));
}

/** The names of the program's AWS resources, and what they are there. */
async function inAws(): Promise<Record<string, InAws>> {
    const UserName = (await lakeUsers())[0]!.UserName!;
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

/** Names of all that the answers list. */
function namesIn(answers: unknown[]): string[] {
    const names = JSON.stringify(answers).matchAll(/"(?:display)?[nN]ame":"([^"]+)"/g);
    return [...new Set([...names].map(([, name = ""]) => name))].sort();
}
