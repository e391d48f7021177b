/** A secret argument of a component reaches no output and no child in clear, and no Helm value at all. */
import * as pulumi from "@pulumi/pulumi";
import { expect, it, vi } from "vitest";
import * as library from "../../../components/index.ts";
import { defineLake } from "../../../model/lake.ts";
import type { Storage } from "../../../model/lake-storage.ts";
import { accounts, trades } from "../../../stacks/quickstart-tables.ts";
import { build, type Made, resolved } from "../components/harness.ts";
import { jarsFolder } from "../components/jars.ts";
import { lakeInput, remote } from "../model/fixtures/quickstart.ts";

const secretTexts = /MARK-|made-by-iam|random-of-/;
const connection = { url: "https://vvp.example.com" };
const access = { kubeconfig: "MARK-kubeconfig" };
const secretRef = (name: string) => ({ env: name, secretValue: name, value: `MARK-${name}` });
const lake = defineLake({
    ...lakeInput,
    catalog: {
        ...lakeInput.catalog,
        auth: { type: "token", token: secretRef("FLUSS_DATALAKE_ICEBERG_TOKEN") },
    },
});
const client = {
    bootstrapServers: "coordinator:9124",
    sasl: { username: "fluss", password: secretRef("PASSWORD") },
};
const existing = {
    lakekeeper: { url: "http://localhost:8181", token: "MARK-token" },
    fluss: { bootstrapServers: "coordinator:9124", clientUsername: "u", clientPassword: "MARK-password" },
};
const key = { accessKeyId: pulumi.output("AKIA"), secretAccessKey: pulumi.secret("MARK-key") };
const keyInClear = { id: { value: "AKIA" }, secret: { value: "MARK-key" } };
const storage = { bucket: "acme-lake", region: "eu-central-1", key };
const lakekeeperChart = {
    namespace: "fluss",
    access,
    database: { host: "db", user: "lakekeeper", password: "MARK-database", tls: "verify-full" as const },
    secretStore: { url: "http://vault:8200", mount: "kv", user: "u", password: "MARK-vault" },
    openFga: { endpoint: "http://openfga:8081", apiKey: "MARK-openfga" },
};
const flussChart = {
    namespace: "fluss",
    access,
    storageClass: "gp3",
    remote: {
        storage: { type: "s3" as const, bucket: "acme-remote", region: "eu-central-1", prefix: "p" },
        accessKeyId: "AKIA",
        secretAccessKey: "MARK-key",
    },
    lake,
    lakeTokenSecret: "token",
};
const jars = () => ({
    from: jarsFolder(),
    setup: { release: "1.0.0-vv-3", catalog: "rest" as const, storage: "s3" as const },
});
const lakehouse = () => ({
    buckets: { region: "eu-central-1" },
    lakekeeper: existing.lakekeeper,
    fluss: { existing: existing.fluss },
    flussVersion: "1.0.0-vv-3",
    vvp: { connection, jobNamespace: "jobs", consoleName: "desk" },
    jars: jarsFolder(),
    tables: [accounts, trades],
});

const sqlGateway = {
    kind: "gateway" as const,
    url: "http://gateway",
    clusterUrl: "http://cluster",
    catalogs: [{ name: "c", options: { type: "fluss", "client.security.sasl.password": "MARK-password" } }],
};

type Options = pulumi.ComponentResourceOptions;

/** The component's class, and how it is made with a mark in every secret. */
const cases: [name: keyof typeof library, how: string, make: (opts: Options) => pulumi.ComponentResource][] =
    [
        [
            "LakeBuckets",
            "two keys",
            (o) => new library.LakeBuckets("desk", { region: "eu-central-1", keys: ["a", "b"] }, o),
        ],
        [
            "LakekeeperCatalog",
            "existing",
            (o) => new library.LakekeeperCatalog("desk", { existing: existing.lakekeeper, storage }, o),
        ],
        [
            "LakekeeperCatalog",
            "by Helm",
            (o) => new library.LakekeeperCatalog("desk", { chart: lakekeeperChart, storage }, o),
        ],
        [
            "FlussCluster",
            "existing",
            (o) => new library.FlussCluster("desk", { existing: existing.fluss }, o),
        ],
        [
            "FlussStandalone",
            "on AWS",
            (o) =>
                new library.FlussStandalone(
                    "desk",
                    {
                        region: "eu-central-1",
                        vpcId: "vpc-1",
                        subnetId: "subnet-1",
                        ami: "ami-1",
                        allowedCidrs: ["10.1.0.0/16"],
                        software: {
                            release: "0.9.1-incubating",
                            archive: {
                                url: "https://archive.example.org/fluss.tgz",
                                sha512: "ab".repeat(64),
                            },
                            plugins: [
                                {
                                    url: "https://archive.example.org/iceberg.jar",
                                    sha512: "cd".repeat(64),
                                    folder: "iceberg",
                                },
                            ],
                        },
                        remote: { ...remote, accessKey: keyInClear } as Storage,
                        lake,
                    },
                    o,
                ),
        ],
        ["FlussCluster", "by Helm", (o) => new library.FlussCluster("desk", { chart: flussChart }, o)],
        [
            "FlussCluster",
            "own servers",
            (o) =>
                new library.FlussCluster(
                    "desk",
                    {
                        servers: {
                            version: "0.9",
                            remote: { ...remote, accessKey: keyInClear } as Storage,
                            lake,
                            start: () => ({ bootstrapServers: pulumi.output("h:1") }),
                        },
                    },
                    o,
                ),
        ],
        [
            "VvpWorkspaceSetup",
            "secret values",
            (o) =>
                new library.VvpWorkspaceSetup(
                    "desk",
                    {
                        connection,
                        jobNamespace: "jobs",
                        secretValues: { one: "MARK-one", two: "MARK-two" },
                        jars: jars(),
                        kubernetes: { access },
                    },
                    o,
                ),
        ],
        [
            "TieringDeployment",
            "on the platform",
            (o) =>
                new library.TieringDeployment(
                    "desk",
                    {
                        connection,
                        deploymentTarget: "t",
                        jarUri: "s3i://tiering.jar",
                        additionalDependencies: [],
                        lake,
                        client,
                    },
                    o,
                ),
        ],
        [
            "FlinkTieringDeployment",
            "on the operator",
            (o) =>
                new library.FlinkTieringDeployment(
                    "desk",
                    {
                        namespace: "fluss",
                        image: "flink-fluss",
                        jarUri: "local:///tiering.jar",
                        lake,
                        client,
                    },
                    o,
                ),
        ],
        [
            "ApplicationTieringDeployment",
            "on Kubernetes",
            (o) =>
                new library.ApplicationTieringDeployment(
                    "desk",
                    { namespace: "fluss", image: "flink-fluss", lake, client },
                    o,
                ),
        ],
        [
            "SessionTieringDeployment",
            "secrets in its arguments",
            (o) =>
                new library.SessionTieringDeployment(
                    "desk",
                    { cluster: { url: "http://flink" }, jar: "fluss-flink-tiering-1.jar", lake, client },
                    o,
                ),
        ],
        [
            "VvpOperatorDeployment",
            "with its token",
            (o) =>
                new library.VvpOperatorDeployment(
                    "desk",
                    {
                        name: "tiering",
                        kubernetesNamespace: "vvp",
                        owner: "o",
                        apikeySecretName: "token",
                        apiKey: "MARK-api-key",
                        deploymentTarget: "jobs",
                        engineVersion: "vera-4.5-jdk11-flink-1.20",
                        jarUri: "s3i://vvp/tiering.jar",
                        mainArgs: "--a b",
                        restoreStrategy: "NONE",
                    },
                    o,
                ),
        ],
        [
            "FlussTables",
            "on a gateway",
            (o) =>
                new library.FlussTables(
                    "desk",
                    {
                        runner: { kind: "gateway", url: "http://gateway" },
                        catalog: "c",
                        client,
                        lake,
                        tables: [accounts, trades],
                    },
                    o,
                ),
        ],
        [
            "FlussTables",
            "on the platform",
            (o) =>
                new library.FlussTables(
                    "desk",
                    {
                        runner: { kind: "vvp", connection },
                        catalog: "c",
                        client,
                        lake,
                        tables: [accounts, trades],
                    },
                    o,
                ),
        ],
        [
            "SqlJob",
            "on a gateway",
            (o) =>
                new library.SqlJob("desk", { runner: sqlGateway, sql: "INSERT INTO a SELECT * FROM b" }, o),
        ],
        ["StreamingLakehouse", "existing", (o) => new library.StreamingLakehouse("desk", lakehouse(), o)],
        [
            "StreamingLakehouse",
            "by Helm",
            (o) => {
                const { remote: _, lake: __, lakeTokenSecret: ___, ...chart } = flussChart;
                const args = { ...lakehouse(), lakekeeper: { chart: lakekeeperChart }, fluss: { chart } };
                return new library.StreamingLakehouse("desk", args, o);
            },
        ],
    ];

it("every component of the library is looked at", () => {
    const all = Object.entries(library).filter(
        ([, one]) => typeof one === "function" && one.prototype instanceof pulumi.ComponentResource,
    );
    const looked = new Set<string>(cases.map(([name]) => name));
    expect(all.map(([name]) => name).filter((name) => !looked.has(name))).toEqual([]);
});

it.each(cases)("%s, %s", async (_, __, make) => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const { component, made } = await build(false, make);
    expect(await openOutputs(component, "desk")).toEqual([]);
    expect([...made.values()].flatMap(openInputs)).toEqual([]);
});

it("an output or an input in clear would be found", async () => {
    const open = { told: pulumi.output({ deep: ["MARK-x"] }), kept: pulumi.secret("MARK-x"), text: "MARK-y" };
    expect(await openOutputs(open, "one")).toEqual(["one.told", "one.text"]);
    const one = { type: "a:b:C", name: "n", inputs: { a: "MARK-x", b: "MARK-x" }, secrets: ["b"] };
    expect(openInputs(one as unknown as Made)).toEqual(["n.a"]);
    const release = { ...one, type: "kubernetes:helm.sh/v3:Release", inputs: { values: "MARK-x" } };
    expect(openInputs({ ...release, secrets: ["values"] } as unknown as Made)).toEqual(["n.values"]);
});

/** Paths of what a program can read of the component and is no secret, although one stands in it. */
async function openOutputs(value: unknown, path: string): Promise<string[]> {
    if (pulumi.Output.isInstance(value)) {
        const holds = JSON.stringify((await resolved(value)) ?? null).match(secretTexts) !== null;
        return holds && !(await pulumi.isSecret(value)) ? [path] : [];
    }
    if (typeof value === "string") return value.match(secretTexts) !== null ? [path] : [];
    if (typeof value !== "object" || value === null) return [];
    // Children have inputs of their own to be looked at.
    if (pulumi.Resource.isInstance(value) && path !== "desk") return [];
    const parts = Object.entries(value).filter(([name]) => !name.startsWith("__"));
    return (await Promise.all(parts.map(([name, one]) => openOutputs(one, `${path}.${name}`)))).flat();
}

/** Arguments of a child that hold a secret in clear; and values of Helm that hold one at all: they stand in the cluster. */
function openInputs({ type, name, inputs, secrets }: Made): string[] {
    return Object.entries(inputs)
        .filter(([, value]) => JSON.stringify(value ?? null).match(secretTexts) !== null)
        .filter(([key]) => {
            const encrypted = secrets.some((path) => path === key || path.startsWith(`${key}.`));
            const isHelm = type === "kubernetes:helm.sh/v3:Release" && key === "values";
            return isHelm || !encrypted;
        })
        .map(([key]) => `${name}.${key}`);
}
