/** A secret input of a resource becomes no output that the engine would store in clear, and no id. */
import type * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import * as library from "../../../dynamic-providers/index.ts";
import { isSecretPath } from "../../../model/faults.ts";
import { flinkSqlScenarios } from "../../faults/flink-sql.ts";
import { lakekeeperScenarios } from "../../faults/lakekeeper.ts";
import { type Bag, Ledger } from "../../faults/ledger.ts";
import type { Scenario } from "../../faults/matrix.ts";
import { vvpScenarios } from "../../faults/vvp.ts";
import { build } from "../components/harness.ts";
import { startStubFluss } from "../fluss/stub-fluss.ts";

/** What every secret of the scenarios holds. */
const marks = ["token-of-the-fault-matrix", "hush-", "MARK-"];

const endpoint: Scenario = {
    name: "flussEndpoint",
    provider: library.providers["flussEndpoint"]!,
    async start() {
        const server = await startStubFluss({ password: "MARK-sesame" });
        return { url: `127.0.0.1:${server.port}`, facts: {}, outside: async () => [], close: server.close };
    },
    first: (_, url) => ({ bootstrapServers: url, username: "desk", password: "MARK-sesame" }),
    count: async () => 1,
};

const scenarios = [...lakekeeperScenarios, ...vvpScenarios, ...flinkSqlScenarios, endpoint];

/** They work on a cluster, and all their inputs but this are open; `test/kubernetes` looks for secrets in their states. */
const onKubernetes = [
    "flussReleaseGuard",
    "flussTieringCheck",
    "keptSecret",
    "jobNamespaceCheck",
    "lakekeeperReleaseGuard",
    "releaseRecord",
];

/** They work on a Flink cluster or a lake; the inputs that hold secrets there. */
const onServers: [provider: string, args: Bag, ...secrets: string[]][] = [
    ["flinkJarJob", { args: ["--password", "MARK-password"] }, "args"],
    ["flinkSqlJob", { catalogs: [{ name: "c", options: { password: "MARK-password" } }] }, "catalogs"],
    ["lakeEndpoint", { lake: { catalog: { type: "rest", token: { value: "MARK-token" } } } }, "lake"],
    [
        "lakeProgress",
        {
            catalog: { type: "rest", auth: { token: { value: "MARK-token" } } },
            portForward: { access: { kubeconfig: "MARK-kubeconfig" } },
        },
        "catalog",
        "portForward",
    ],
];

type ResourceClass = new (
    name: string,
    args: unknown,
    opts?: pulumi.CustomResourceOptions,
) => pulumi.CustomResource;

const classOf = (provider: string) =>
    (library as unknown as Record<string, ResourceClass>)[provider[0]!.toUpperCase() + provider.slice(1)];

/** The name of a scenario begins with that of its provider. */
const nameOf = ({ name }: Scenario) => name.split(" ")[0]!;

const holdsSecret = (value: unknown) => marks.some((mark) => JSON.stringify(value)?.includes(mark));

/** The class's name for the engine: which inputs and outputs it keeps encrypted. */
async function secretsOf(provider: string, args: Bag): Promise<{ inputs: Bag; secret: Set<string> }> {
    const Class = classOf(provider);
    if (!Class) throw new Error(`no class for ${provider}`);
    const { made } = await build(false, (opts) => new Class("one", args, opts));
    const one = made.get("one")!;
    const topLevel = one.secrets.map((path) => path.split(".")[0]!);
    return { inputs: one.inputs, secret: new Set([...topLevel, ...one.secretOutputs]) };
}

it("every resource of the library is looked at", () => {
    const looked = new Set([
        ...scenarios.map(nameOf),
        ...onKubernetes,
        ...onServers.map(([provider]) => provider),
    ]);
    expect(Object.keys(library.providers).filter((name) => !looked.has(name))).toEqual([]);
});

it.each(scenarios)("$name", async (scenario) => {
    const provider = nameOf(scenario);
    if (scenario.config) await scenario.provider.configure({ config: scenario.config });
    const world = await scenario.start();
    try {
        for (const wanted of [scenario.first, scenario.changed]) {
            if (wanted) expect(await leaks(scenario, provider, wanted(world, world.url))).toEqual([]);
        }
    } finally {
        await world.close();
    }
});

it.each(onKubernetes)("%s keeps its access encrypted", async (provider) => {
    const { secret } = await secretsOf(provider, { access: { kubeconfig: "MARK-kubeconfig" } });
    expect(secret).toContain("access");
});

it.each(onServers)("%s keeps what holds its secrets encrypted", async (provider, args, ...names) => {
    const { inputs, secret } = await secretsOf(provider, args);
    const open = Object.entries(inputs).filter(([key, value]) => !secret.has(key) && holdsSecret(value));
    expect([open, [...secret]]).toEqual([[], names]);
});

/** Names of what the engine would store in clear although a secret stands in it. */
async function leaks(scenario: Scenario, provider: string, args: Bag): Promise<string[]> {
    const marked = withMarks(args) as Bag;
    const { secret } = await secretsOf(provider, marked);
    const ledger = new Ledger(scenario.provider);
    await ledger.up(scenario.adopting ? scenario.adopting(marked) : marked);
    const { id, state } = ledger.held!;
    const read = await scenario.provider.read(id, { ...state });
    const all = [...Object.entries(state), ...Object.entries({ ...read.props, ...read.inputs })];
    const open = all.filter(([key, value]) => !secret.has(key) && holdsSecret(value)).map(([key]) => key);
    await ledger.destroy();
    return [...new Set([...open, ...(holdsSecret(id) ? ["id"] : [])])];
}

/** Keys of storage get a value that can be found. */
function withMarks(value: unknown, key = ""): unknown {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
        return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withMarks(one, name)]));
    }
    return key !== "accessKeyId" && isSecretPath(key) && !holdsSecret(value) && value === "a"
        ? "MARK-secret-key"
        : value;
}
