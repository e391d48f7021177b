import fs from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { expect, it, vi } from "vitest";
import YAML from "yaml";
import { isSecretPath } from "../../../model/faults.ts";
import { outputsOf, resolved, silenceOutputs } from "./harness.ts";
import { jarsFolder } from "./jars.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const readYaml = (file: string) => YAML.parse(fs.readFileSync(path.join(root, file), "utf8"));

/** What the engine hands the program: the defaults of Pulumi.yaml, the stack's file and `more`, all as text. */
function engineConfig(stack: string, more: Record<string, string>): Record<string, string> {
    const project = readYaml("Pulumi.yaml") as {
        name: string;
        config: Record<string, { default?: unknown }>;
    };
    const { config } = readYaml(`Pulumi.${stack}.yaml`) as { config: Record<string, unknown> };
    const own = (entries: [string, unknown][]) =>
        Object.fromEntries(entries.map(([key, value]) => [`${project.name}:${key}`, value]));
    const defaults = Object.entries(project.config).map(([key, declared]): [string, unknown] => [
        key,
        declared.default,
    ]);
    const all = { ...own(defaults), ...config, ...own(Object.entries(more)) };
    return Object.fromEntries(
        Object.entries(all).flatMap(([key, value]) =>
            value === undefined
                ? []
                : [[key, typeof value === "object" ? JSON.stringify(value) : String(value)]],
        ),
    );
}

/** Runs `stacks/quickstart.ts` as an engine would, and gives the arguments of each resource by its name. */
async function runProgram(
    config: Record<string, string>,
    encrypted = (key: string) => isSecretPath(key),
): Promise<Map<string, Record<string, unknown>>> {
    const made = new Map<string, Record<string, unknown>>();
    silenceOutputs();
    await pulumi.runtime.setMocks(
        {
            call: ({ inputs }) => inputs,
            newResource: ({ name, type, inputs }) => {
                made.set(name, inputs);
                return {
                    id: `${name}-id`,
                    state: { name, ...inputs, ...outputsOf(type, name, inputs) },
                };
            },
        },
        "fluss-quickstart",
    );
    pulumi.runtime.setAllConfig(config, Object.keys(config).filter(encrypted));
    vi.resetModules();
    const program = await import("../../../stacks/quickstart.ts");
    await resolved(program.warehouse);
    await vi.waitFor(() => expect([...made.keys()]).toContain("fluss-quickstart-tables-finance-trades"));
    return made;
}

it.each([
    { stack: "dev", remoteBucket: undefined, protection: false, writes: true },
    { stack: "prod", remoteBucket: "example-fluss-prod-remote", protection: true, writes: false },
])("the program runs with the example of the stack $stack", async (wanted) => {
    const secrets = { lakekeeperToken: "client-token", clientPassword: "sesame" };
    const made = await runProgram(engineConfig(wanted.stack, { ...secrets, jarsFolder: jarsFolder() }));
    expect(made.get("fluss-quickstart-buckets-remote")?.bucket).toBe(wanted.remoteBucket);
    expect(made.get("fluss-quickstart-catalog-warehouse")).toMatchObject({
        name: "fluss",
        deletionProtection: wanted.protection,
    });
    if (wanted.writes) {
        await vi.waitFor(() => expect([...made.keys()]).toContain("fluss-quickstart-writers-trades"));
    } else expect([...made.keys()]).not.toContain("fluss-quickstart-writers");
});

const byHelm = {
    lakekeeperSource: "chart",
    flussSource: "chart",
    storageClass: "gp3",
    lakekeeperUrl: "",
    lakekeeperInternalUrl: "",
    flussBootstrapServers: "",
};

it("installs both servers by Helm where the configuration says so, with given passwords and further settings", async () => {
    const made = await runProgram(
        engineConfig("dev", {
            ...byHelm,
            jarsFolder: jarsFolder(),
            kubernetesNamespace: "desk",
            clientUsername: "trading",
            clientPassword: "sesame",
            zookeeperPassword: "open",
            kubeconfig: "text-of-a-kubeconfig",
            imageRegistry: "registry.example.com",
            imageRegistryUsername: "puller",
            imageRegistryPassword: "pull-password",
            lakekeeperChartRepository: "https://charts.example.com",
            flussChartLocation: "oci://charts.example.com/fluss-bundle",
            flussChartVersion: "1.0.0-vv-4",
            tabletServers: "5",
            flussOverrides: '{"default.bucket.number":6}',
            flussSettings: '{"coordinators":2}',
        }),
    );
    expect(made.get("fluss-quickstart-cluster-release")).toMatchObject({
        namespace: "desk",
        chart: "oci://charts.example.com/fluss-bundle",
        version: "1.0.0-vv-4",
        values: {
            fluss: {
                configurationOverrides: { "default.bucket.number": "6" },
                tablet: { numberOfReplicas: 5, storage: { size: "20Gi", storageClass: "gp3" } },
                coordinator: { numberOfReplicas: 2 },
            },
            zookeeper: { persistence: { size: "4Gi" } },
        },
    });
    expect(textOf(made, "fluss-sasl-credentials")).toContain('"client-0-username":"trading"');
    expect(textOf(made, "fluss-sasl-credentials")).toContain('"client-0-password":"sesame"');
    expect(textOf(made, "zookeeper-sasl-credentials")).toContain('"client-password":"open"');
    expect([...made.keys()]).toContain("fluss-quickstart-cluster-registry-credentials");
    expect(made.get("fluss-quickstart-catalog-release")).toMatchObject({
        namespace: "desk",
        version: "0.12.0",
        repositoryOpts: { repo: "https://charts.example.com" },
    });
    expect(JSON.stringify(made.get("kubernetes"))).toContain("text-of-a-kubeconfig");
});

it("makes the passwords at random where none is given", async () => {
    const made = await runProgram(
        engineConfig("dev", { ...byHelm, clientUsername: "", jarsFolder: jarsFolder() }),
    );
    const random = [...made.keys()].filter((name) => /cluster-\w+-password$/.test(name));
    expect(random.sort()).toEqual([
        "fluss-quickstart-cluster-client-password",
        "fluss-quickstart-cluster-internal-password",
        "fluss-quickstart-cluster-zookeeper-password",
    ]);
    expect(textOf(made, "fluss-sasl-credentials")).toContain('"client-0-username":"fluss"');
    expect(textOf(made, "fluss-sasl-credentials")).toContain('"client-0-password":"random-of-');
});

/** What one of the cluster's Secrets was made with. */
function textOf(made: Map<string, Record<string, unknown>>, secret: string): string {
    return JSON.stringify(made.get(`fluss-quickstart-cluster-${secret}`));
}

it("refuses a secret that stands in clear in the stack's file", async () => {
    const config = engineConfig("dev", { lakekeeperToken: "client-token", clientPassword: "sesame" });
    const failure = runProgram(config, (key) => key.endsWith("clientPassword"));
    await expect(failure).rejects.toThrow(
        "- config.lakekeeperToken: stands in clear in the stack's file. Set it by: pulumi config set --secret lakekeeperToken.",
    );
    await expect(failure).rejects.not.toThrow(/client-token/);
});

it("tells of misspelt keys and overrides, of zero servers and of a secret in clear in one list", async () => {
    const config = engineConfig("dev", {
        ...byHelm,
        tabletServer: "5",
        zookeeperPassword: "sesame",
        clientPasword: "in-clear",
        tabletServers: "0",
        tabletStorageSize: "20 GB",
        flussOverrides: '{"kv.snapshot.intervall":"5min"}',
        flussSettings: '{"spred":"zone"}',
    });
    const failure = await runProgram(config, () => false).catch((error: Error) => error.message);
    expect(String(failure).split("\n")).toEqual([
        "7 faults in config:",
        expect.stringMatching(/^- config\.tabletServers = "0": must be at least 1\./),
        expect.stringMatching(/^- config\.tabletStorageSize = "20 GB": .* like 20Gi\./),
        '- config.flussSettings.spred: there is no setting "spred" here. Did you mean spread?',
        '- config.tabletServer: there is no setting "tabletServer" here. Did you mean tabletServers?',
        '- config.clientPasword: there is no setting "clientPasword" here. Did you mean clientPassword?',
        '- config.flussOverrides["kv.snapshot.intervall"]: Fluss has no option kv.snapshot.intervall and would ignore it. Write kv.snapshot.interval.',
        expect.stringMatching(/^- config\.zookeeperPassword: stands in clear in the stack's file/),
    ]);
});

it("tells every fault of the configuration before it makes anything", async () => {
    const config = engineConfig("dev", { awsRegion: "Frankfurt", clientPassword: 'ses"ame' });
    const failure = runProgram(config);
    await expect(failure).rejects.toThrow(/3 faults in config/);
    await expect(failure).rejects.toThrow(/config\.lakekeeperToken: is required and missing/);
    await expect(failure).rejects.not.toThrow(/ses"ame/);
});
