import { randomUUID } from "node:crypto";
import {
    CreateRoleCommand,
    CreateUserCommand,
    DeleteAccessKeyCommand,
    ListAccessKeysCommand,
    ListRolePoliciesCommand,
    ListRolesCommand,
    ListUserPoliciesCommand,
    ListUsersCommand,
} from "@aws-sdk/client-iam";
import {
    CreateBucketCommand,
    GetBucketEncryptionCommand,
    GetPublicAccessBlockCommand,
    ListBucketsCommand,
} from "@aws-sdk/client-s3";
import { type AwsContext, awsContext } from "../../local/plugins/aws/context.ts";
import { awsPlugin } from "../../local/plugins/aws/plugin.ts";
import { type Emulator, startEmulator } from "../engine/emulator.ts";
import type { Bag } from "./ledger.ts";
import type { Scenario, World } from "./matrix.ts";
import { standIn } from "./stand-in.ts";

/** One for all cases, each with names of its own: an emulator takes two seconds to start. */
let emulator: Promise<Emulator> | undefined;
const running = () => (emulator ??= startEmulator());
export const stopEmulator = async (): Promise<void> => (await emulator)?.stop();

/** The name that the engine generates is another one in each run that does not know the object. */
const generated = "what was made under a generated name, and never told of, stays beside the next one";

/** A user or a role whose name the program gives: it exists, but no state knows it. */
const importing: NonNullable<Scenario["byHand"]> = {
    asked: /EntityAlreadyExists.*pulumi import/,
    counts: "adopted",
    act: (world, ledger, url) =>
        ledger.import(world.facts["name"] ?? "", { ...at(world, url, {}), inputs: {}, outputs: {} }),
};

/** What the local lakehouse makes in S3 and IAM: the stand-in for Pulumi's aws plugin, in front of the emulator. */
export const awsScenarios: Scenario[] = [
    {
        ...scenario("aws:s3/bucket:Bucket"),
        first: (world, url) => bucket(world, url, { bucket: world.facts["name"] }, "a"),
        changed: (world, url) => bucket(world, url, { bucket: world.facts["name"] }, "b"),
        count: buckets,
    },
    {
        ...scenario("aws:s3/bucket:Bucket", "with a generated name"),
        first: (world, url) => bucket(world, url, {}, "a"),
        count: buckets,
        spare: generated,
    },
    {
        ...scenario("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", "", makeBucket),
        first: (world, url) => at(world, url, { bucket: world.facts["name"], blockPublicAcls: true }),
        changed: (world, url) => at(world, url, { bucket: world.facts["name"], blockPublicPolicy: true }),
        count: async ({ facts: { name: Bucket } }) => {
            const found = (await running()).s3().send(new GetPublicAccessBlockCommand({ Bucket }));
            return found.then(() => 1, noneOf("NoSuchPublicAccessBlockConfiguration"));
        },
    },
    {
        ...scenario(
            "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
            "",
            makeBucket,
        ),
        first: (world, url) => encryption(world, url, false),
        changed: (world, url) => encryption(world, url, true),
        count: async ({ facts: { name: Bucket } }) => {
            const found = (await running()).s3().send(new GetBucketEncryptionCommand({ Bucket }));
            return found.then(() => 1, noneOf("ServerSideEncryptionConfigurationNotFoundError"));
        },
    },
    {
        ...scenario("aws:iam/user:User"),
        first: (world, url) => user(world, url, { name: world.facts["name"] }, { env: "a" }),
        changed: (world, url) => user(world, url, { name: world.facts["name"] }, { env: "b", more: "c" }),
        count: users,
        byHand: importing,
    },
    {
        ...scenario("aws:iam/user:User", "with a generated name"),
        first: (world, url) => user(world, url, {}, { env: "a" }),
        count: users,
        spare: generated,
    },
    {
        ...scenario("aws:iam/userPolicy:UserPolicy", "", makeUser),
        first: (world, url) => policy(world, url, { user: world.facts["name"] }, "s3:GetObject"),
        changed: (world, url) => policy(world, url, { user: world.facts["name"] }, "s3:PutObject"),
        count: async ({ facts: { name: UserName } }) => {
            const command = new ListUserPoliciesCommand({ UserName });
            return (await (await running()).iam().send(command)).PolicyNames?.length ?? 0;
        },
    },
    {
        ...scenario("aws:iam/accessKey:AccessKey", "", makeUser),
        first: (world, url) => at(world, url, { user: world.facts["name"] }),
        changed: (world, url) => at(world, url, { user: world.facts["name"], status: "Inactive" }),
        count: async (world) => (await keysOf(world)).length,
        spare: "AWS tells the secret of a key once: one whose answer never came is of no use, and another one is made",
        // A user has two keys at most.
        byHand: {
            asked: /aws iam delete-access-key/,
            counts: "spare",
            async act(world, ledger) {
                const iam = (await running()).iam();
                const strangers = (await keysOf(world)).filter((id) => id !== ledger.held?.id);
                for (const AccessKeyId of strangers) {
                    const UserName = world.facts["name"];
                    await iam.send(new DeleteAccessKeyCommand({ UserName, AccessKeyId }));
                }
            },
        },
        wrong: async (world, _, held) => {
            if (!(await keysOf(world)).includes(held?.id ?? "")) return "lost: the key of the state is gone";
            const outputs = held?.state["outputs"] as { secret?: Bag } | undefined;
            return outputs?.secret?.["value"] ? undefined : "wiped: the state has no secret of the key";
        },
    },
    {
        ...scenario("aws:iam/role:Role"),
        first: (world, url) => role(world, url, "a"),
        changed: (world, url) => role(world, url, "b"),
        count: async (world) => {
            const command = new ListRolesCommand({ PathPrefix: pathOf(world) });
            return (await (await running()).iam().send(command)).Roles?.length ?? 0;
        },
        byHand: importing,
    },
    {
        ...scenario("aws:iam/rolePolicy:RolePolicy", "", makeRole),
        first: (world, url) => policy(world, url, { role: world.facts["name"] }, "s3:GetObject"),
        changed: (world, url) => policy(world, url, { role: world.facts["name"] }, "s3:PutObject"),
        count: async ({ facts: { name: RoleName } }) => {
            const command = new ListRolePoliciesCommand({ RoleName });
            return (await (await running()).iam().send(command)).PolicyNames?.length ?? 0;
        },
    },
];

function scenario(
    token: string,
    title = "",
    prepare: (world: World) => Promise<unknown> = async () => undefined,
): Pick<Scenario, "name" | "provider" | "start"> {
    return {
        name: [token.replace(/^.*:/, "aws "), title].filter((part) => part).join(" "),
        provider: standIn(awsPlugin, token, contextAt),
        async start() {
            const { admin } = await running();
            key ??= { accessKey: admin.accessKeyId, secretKey: admin.secretAccessKey, region: admin.region };
            const world: World = {
                url: admin.endpoint,
                facts: { name: `n${randomUUID()}` },
                outside: async () => undefined,
                close: async () => undefined,
            };
            await prepare(world);
            return world;
        },
    };
}

const contexts = new Map<string, AwsContext>();
let key: { accessKey: string; secretKey: string; region: string } | undefined;

/** The configuration of a provider that calls there. */
function contextAt(url: string): AwsContext {
    const known = contexts.get(url);
    if (known) return known;
    const made = awsContext({ ...key, endpoints: JSON.stringify([{ s3: url, iam: url }]) });
    contexts.set(url, made);
    return made;
}

const at = (world: World, url: string, inputs: Bag): Bag => ({
    at: { name: world.facts["name"], url },
    ...inputs,
});

/** Users and roles of a case are those below a path of its own. */
const pathOf = ({ facts }: World) => `/${facts["name"]}/`;

const bucket = (world: World, url: string, name: Bag, env: string) =>
    at(world, url, { ...name, forceDestroy: true, tags: { env } });

const user = (world: World, url: string, name: Bag, tags: Record<string, string>) =>
    at(world, url, { ...name, path: pathOf(world), tags });

const role = (world: World, url: string, env: string) =>
    at(world, url, {
        name: world.facts["name"],
        path: pathOf(world),
        assumeRolePolicy: statement({
            Principal: { Service: "ec2.amazonaws.com" },
            Action: "sts:AssumeRole",
            Sid: env,
        }),
        description: env,
        tags: { env },
    });

const policy = (world: World, url: string, owner: Bag, Action: string) =>
    at(world, url, { ...owner, name: "lake", policy: statement({ Action, Resource: "*" }) });

const encryption = (world: World, url: string, bucketKeyEnabled: boolean) =>
    at(world, url, {
        bucket: world.facts["name"],
        rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: "AES256" }, bucketKeyEnabled }],
    });

const statement = (members: Bag) =>
    JSON.stringify({ Version: "2012-10-17", Statement: [{ Effect: "Allow", ...members }] });

async function makeBucket({ facts: { name: Bucket } }: World): Promise<unknown> {
    return (await running()).s3().send(new CreateBucketCommand({ Bucket }));
}

async function makeUser({ facts: { name: UserName } }: World): Promise<unknown> {
    return (await running()).iam().send(new CreateUserCommand({ UserName }));
}

async function makeRole({ facts: { name: RoleName } }: World): Promise<unknown> {
    const AssumeRolePolicyDocument = statement({ Principal: { AWS: "*" }, Action: "sts:AssumeRole" });
    return (await running()).iam().send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument }));
}

/** The bucket's name is that of the case, or begins with it. */
async function buckets({ facts: { name = "" } }: World): Promise<number> {
    const { Buckets = [] } = await (await running()).s3().send(new ListBucketsCommand({ Prefix: name }));
    return Buckets.filter(({ Name }) => Name?.startsWith(name)).length;
}

async function users(world: World): Promise<number> {
    const command = new ListUsersCommand({ PathPrefix: pathOf(world) });
    return (await (await running()).iam().send(command)).Users?.length ?? 0;
}

async function keysOf({ facts: { name: UserName } }: World): Promise<(string | undefined)[]> {
    const { AccessKeyMetadata = [] } = await (await running())
        .iam()
        .send(new ListAccessKeysCommand({ UserName }));
    return AccessKeyMetadata.map(({ AccessKeyId }) => AccessKeyId);
}

/** No setting; any other error is one. */
function noneOf(name: string): (error: Error) => number {
    return (error) => {
        if (error.name === name) return 0;
        throw error;
    };
}
