/** Makes a component on Pulumi's mocks and shows what it registered. No engine runs. */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";
import { expect, vi } from "vitest";

/** One registered resource. */
export interface Made {
    type: string;
    name: string;
    /** Name of the parent; undefined at the top. */
    parent: string | undefined;
    dependsOn: string[];
    protect: boolean | undefined;
    deletedWith: string | undefined;
    /** Names of outputs that are kept encrypted. */
    secretOutputs: string[];
    /** The arguments with their values, secrets in clear. */
    inputs: Record<string, unknown>;
    /** Which of them go to the engine as secrets. Mocks get an argument as one secret when anything in it is. */
    secrets: string[];
}

/** The registered resources by name, and the component. */
export interface Build<C> {
    component: C;
    made: Map<string, Made>;
    /** Names of the components that called `registerOutputs`, once for each call. */
    completed: string[];
}

/** Runs `program` with options that every component of it must get, and waits until all is registered. */
export async function build<C>(
    preview: boolean,
    program: (opts: pulumi.ComponentResourceOptions) => C,
): Promise<Build<C>> {
    const values = new Map<string, Record<string, unknown>>();
    await pulumi.runtime.setMocks(
        {
            call: ({ inputs }) => inputs,
            newResource: ({ type, name, inputs, custom }) => {
                values.set(name, inputs);
                if (!custom) return { id: "", state: inputs };
                // A preview knows no more than the program said.
                if (preview) return { id: "", state: inputs };
                return { id: `${name}-id`, state: { ...outputsOf(type, name, inputs), ...inputs } };
            },
        },
        "fluss-quickstart",
        "test",
        preview,
    );
    const registered: { resource: pulumi.Resource; args: pulumi.ResourceTransformationArgs }[] = [];
    const nameOf = (resource: unknown) =>
        registered.find((entry) => entry.resource === resource)?.args.name ?? "somebody else";
    const completed: string[] = [];
    noteCompletion = (resource) => completed.push(nameOf(resource));
    silenceOutputs();
    const component = program({
        transformations: [
            (args) => {
                registered.push({ resource: args.resource, args });
                return undefined;
            },
        ],
    });
    await Promise.all(registered.map(({ resource }) => resolved(resource.urn)));
    const made = registered.map(({ args }): [string, Made] => {
        const secrets: string[] = [];
        const inputs = unwrap(values.get(args.name) ?? {}, "", secrets) as Record<string, unknown>;
        const details = {
            type: args.type,
            name: args.name,
            parent: args.opts.parent && nameOf(args.opts.parent),
            dependsOn: [args.opts.dependsOn ?? []].flat().map(nameOf),
            protect: args.opts.protect,
            deletedWith: args.opts.deletedWith && nameOf(args.opts.deletedWith),
            secretOutputs: (args.opts as pulumi.CustomResourceOptions).additionalSecretOutputs ?? [],
            inputs,
            secrets,
        };
        return [args.name, details];
    });
    return { component, made: new Map(made), completed };
}

/** What is done with a component of the present build that has called `registerOutputs`. */
let noteCompletion: (resource: unknown) => void = () => {};

/**
 * Outputs of components go nowhere, also those that the SDK registers when a build is over: the mocks of the next one would
 * not know the component.
 */
export function silenceOutputs(): void {
    const component = pulumi.ComponentResource.prototype as unknown as {
        registerOutputs(outputs?: unknown): void;
    };
    if (vi.isMockFunction(component.registerOutputs)) return;
    vi.spyOn(component, "registerOutputs").mockImplementation(function (this: unknown, given?: unknown) {
        // The SDK itself calls it once more, without outputs.
        if (given !== undefined) noteCompletion(this);
    });
}

/**
 * What a person is told when an output of the program fails. The SDK leaves that to a handler of its own for
 * rejections; here the test is the handler.
 */
export async function failuresOf(
    program: (opts: pulumi.ComponentResourceOptions) => unknown,
): Promise<string> {
    const others = process.listeners("unhandledRejection");
    const told = new Set<string>();
    const note = (reason: unknown) => void told.add(reason instanceof Error ? reason.message : `${reason}`);
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", note);
    try {
        void build(false, program);
        await vi.waitFor(() => expect(told.size).toBeGreaterThan(0));
        // One failure makes many rejections; all of them come at once.
        await sleep(200);
        return [...told].join("\n");
    } finally {
        process.off("unhandledRejection", note);
        for (const other of others) process.on("unhandledRejection", other);
    }
}

/** The value of a known output. */
export function resolved<T>(output: pulumi.Input<T>): Promise<pulumi.Unwrap<T>> {
    return new Promise((resolve) => pulumi.output(output).apply((value) => resolve(value)));
}

/** Names of those that break a rule for children: below the component, and named after their parent. */
export function misplaced(made: Map<string, Made>, root: string): string[] {
    return [...made.values()]
        .filter(({ name }) => name !== root)
        .filter(({ name, parent }) => !parent || !made.has(parent) || !name.startsWith(`${parent}-`))
        .map(({ name }) => name);
}

/** The value without the marks of secrets; their paths are added to `secrets`. */
function unwrap(value: unknown, path: string, secrets: string[]): unknown {
    if (Array.isArray(value)) return value.map((item, index) => unwrap(item, `${path}.${index}`, secrets));
    if (typeof value !== "object" || value === null) return value;
    if (pulumi.runtime.specialSigKey in value && "value" in value) {
        secrets.push(path);
        return unwrap(value.value, path, []);
    }
    return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [
            key,
            unwrap(item, path ? `${path}.${key}` : key, secrets),
        ]),
    );
}

/** What the real providers would add. */
export function outputsOf(
    type: string,
    name: string,
    inputs: Record<string, unknown>,
): Record<string, unknown> {
    switch (type) {
        case "aws:s3/bucket:Bucket": {
            const bucket = inputs.bucket ?? `${name}-1a2b3c4`;
            return { bucket, arn: `arn:aws:s3:::${bucket}` };
        }
        case "aws:iam/user:User":
            return { name: `${name}-1a2b3c4`, arn: `arn:aws:iam::123456789012:user/${name}-1a2b3c4` };
        case "aws:iam/role:Role":
            return { name: `${name}-1a2b3c4`, arn: `arn:aws:iam::123456789012:role/${name}-1a2b3c4` };
        case "aws:iam/accessKey:AccessKey":
            return { secret: pulumi.secret("made-by-iam") };
        case "aws:ec2/networkInterface:NetworkInterface":
            return { privateIp: "10.1.0.7" };
        case "aws:ec2/eip:Eip":
            return { publicIp: "203.0.113.7" };
        case "aws:iam/instanceProfile:InstanceProfile":
            return { name: `${name}-1a2b3c4` };
        case "aws:secretsmanager/secret:Secret":
            return { arn: `arn:aws:secretsmanager:eu-central-1:1:secret:${name}` };
        case "aws:secretsmanager/secretVersion:SecretVersion":
            return { versionId: `version-${digestOf(inputs.secretString)}` };
        case "random:index/randomPassword:RandomPassword":
            return { result: pulumi.secret(`random-of-${name}`) };
        case "pulumi-nodejs:dynamic/vvp:Artifact":
            return { uri: `s3i://artifacts/${inputs.fileName}` };
        case "pulumi-nodejs:dynamic/vvp:Deployment":
        case "pulumi-nodejs:dynamic/flink:JarJob":
            return { jobId: `job-of-${name}` };
        case "kubernetes:core/v1:Secret":
            return { data: { token: Buffer.from(`token-of-${name}`).toString("base64") } };
        case "kubernetes:helm.sh/v3:Release":
            return { status: { revision: 1 } };
        case "pulumi-nodejs:dynamic/kubernetes:FlussReleaseGuard":
        case "pulumi-nodejs:dynamic/kubernetes:LakekeeperReleaseGuard":
            return { drift: [], repairs: 0, mark: "mark" };
        case "pulumi-nodejs:dynamic/kubernetes:KeptSecret":
            return { adopted: false };
        default:
            return {};
    }
}

/** AWS gives each new content another version, and so does this. */
function digestOf(content: unknown): string {
    return createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 8);
}
