import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import YAML from "yaml";
import { z } from "zod";
import { isSecretPath } from "../../model/faults.ts";
import { parseStackConfig, stackConfig } from "../../model/stack-config.ts";
import { faultsOf, pathsOf } from "./model/fixtures/faults.ts";

/** The least that a stack with servers that exist must say. */
const least = {
    awsRegion: "eu-central-1",
    lakekeeperUrl: "http://localhost:8181",
    lakekeeperToken: "client-token",
    flussBootstrapServers: "coordinator:9124",
    clientUsername: "fluss-client",
    clientPassword: "sesame",
    vvpUrl: "https://vvp.example.com",
    jobNamespace: "vvp-jobs",
    jarsFolder: "jars",
};

/** The least that a stack must say whose servers Helm installs. */
const leastByHelm = {
    awsRegion: "eu-central-1",
    lakekeeperSource: "chart",
    flussSource: "chart",
    storageClass: "gp3",
    vvpUrl: "https://vvp.example.com",
    jobNamespace: "vvp-jobs",
    jarsFolder: "jars",
};

/** What the schema sets by itself. */
const defaults = {
    lakekeeperSource: "existing",
    flussSource: "existing",
    kubernetesNamespace: "fluss",
    lakekeeperChartVersion: "0.12.0",
    lakekeeperStorageSize: "5Gi",
    flussChart: "bundle",
    tabletServers: 3,
    tabletStorageSize: "20Gi",
    zookeeperStorageSize: "4Gi",
    flussOverrides: {},
    flussSettings: {},
    warehouse: "fluss",
    flussVersion: "1.0.0-vv-3",
    vvpWorkspace: "defaultworkspace",
    vvpNamespace: "default",
    deploymentTarget: "fluss-quickstart-target",
    engineVersion: "vera-4.5-jdk11-flink-1.20",
    sampleRows: true,
    sampleRowsPerSecond: 100,
    sampleGenerator: "faker",
    tieringArguments: {},
    deletionProtection: true,
    adopt: false,
    destroyContents: false,
};

const messageOf = (input: unknown): string => {
    try {
        parseStackConfig(input);
    } catch (error) {
        return String(error);
    }
    return "";
};

describe("a stack's configuration", () => {
    it("is complete with the least, and has the quickstart's defaults", () => {
        expect(parseStackConfig(least)).toEqual({ ...defaults, ...least });
        expect(parseStackConfig(leastByHelm)).toEqual({ ...defaults, ...leastByHelm });
    });

    it("takes the text that Pulumi keeps for booleans and numbers", () => {
        const text = {
            sampleRows: "false",
            sampleRowsPerSecond: "250",
            deletionProtection: "true",
            adopt: "true",
        };
        expect(parseStackConfig({ ...least, ...text })).toMatchObject({
            sampleRows: false,
            sampleRowsPerSecond: 250,
            deletionProtection: true,
            adopt: true,
        });
        const byHelm = {
            tabletServers: "5",
            flussOverrides: '{"default.bucket.number":6,"kv.snapshot.interval":"5min"}',
            flussSettings: '{"spread":"zone"}',
            tieringArguments: '{"fluss.tiering.poll.table.interval":"5s"}',
        };
        expect(parseStackConfig({ ...leastByHelm, ...byHelm })).toMatchObject({
            tabletServers: 5,
            flussOverrides: { "default.bucket.number": "6", "kv.snapshot.interval": "5min" },
            flussSettings: { spread: "zone" },
            tieringArguments: { "fluss.tiering.poll.table.interval": "5s" },
        });
    });

    it("says what servers that Helm installs need, and what means nothing then", () => {
        const { storageClass: _, ...rest } = leastByHelm;
        const faults = faultsOf(() =>
            parseStackConfig({
                ...rest,
                lakekeeperUrl: "http://localhost:8181",
                lakekeeperToken: "client-token",
                flussBootstrapServers: "coordinator:9124",
                flussChart: "apache",
                imageRegistry: "registry.example.com",
                lakekeeperChartPassword: "chart-in-clear",
                flussSettings: '{"metric":["jmx"]}',
                tabletServers: "0",
            }),
        );
        expect(faults.map(({ path: key, reason }) => [key, reason.split(":")[0]])).toEqual(
            expect.arrayContaining([
                ["config.storageClass", "is required and missing"],
                [
                    "config.lakekeeperUrl",
                    expect.stringContaining("means nothing when Lakekeeper is installed by Helm"),
                ],
                ["config.lakekeeperToken", expect.stringContaining("means nothing")],
                [
                    "config.flussBootstrapServers",
                    expect.stringContaining("means nothing when Fluss is installed by Helm"),
                ],
                ["config.zookeeperAddress", "is required and missing"],
                ["config.imageRegistryUsername", "is required and missing"],
                ["config.imageRegistryPassword", "is required and missing"],
                ["config.lakekeeperChartUsername", "is required and missing"],
                ["config.flussSettings.metric", expect.stringContaining("there is no setting")],
                ["config.tabletServers", expect.any(String)],
            ]),
        );
        expect(faults).toHaveLength(10);
        expect(JSON.stringify(faults)).not.toMatch(/client-token|in-clear/);
    });

    it("holds the options of servers that Helm installs against release and number of servers, with all other faults", () => {
        const faults = faultsOf(() =>
            parseStackConfig({
                ...leastByHelm,
                awsRegion: "Frankfurt",
                tabletServers: "2",
                flussOverrides: '{"kv.snapshot.intervall":"5min","security.protocol.map":"A:SASL"}',
            }),
        );
        expect(faults.map(({ path: key }) => key)).toEqual([
            "config.awsRegion",
            'config.flussOverrides["kv.snapshot.intervall"]',
            'config.flussOverrides["security.protocol.map"]',
            "config.tabletServers",
        ]);
        const overrides = { flussOverrides: '{"default.replication.factor":2}', tabletServers: "2" };
        expect(pathsOf(() => parseStackConfig({ ...leastByHelm, ...overrides }))).toEqual([]);
        const old = { flussChartVersion: "0.9.1-incubating", flussOverrides: '{"datalake.enabled":true}' };
        expect(pathsOf(() => parseStackConfig({ ...leastByHelm, ...old }))).toContain(
            'config.flussOverrides["datalake.enabled"]',
        );
        expect(pathsOf(() => parseStackConfig({ ...leastByHelm, flussOverrides: "none" }))).toEqual([
            "config.flussOverrides",
        ]);
    });

    it("takes Fluss by Helm beside a Lakekeeper that exists, and the other way round", () => {
        const { lakekeeperSource: _, ...fluss } = {
            ...leastByHelm,
            ...pick(least, "lakekeeperUrl", "lakekeeperToken"),
        };
        expect(pathsOf(() => parseStackConfig(fluss))).toEqual([]);
        const servers = pick(least, "flussBootstrapServers", "clientUsername", "clientPassword");
        const { flussSource: __, ...lakekeeper } = { ...leastByHelm, ...servers };
        expect(pathsOf(() => parseStackConfig(lakekeeper))).toEqual([]);
    });

    it("names every key that is missing, with what to do", () => {
        const faults = faultsOf(() => parseStackConfig({}));
        expect(faults.map(({ path: key }) => key).sort()).toEqual(
            Object.keys(least)
                .map((key) => `config.${key}`)
                .sort(),
        );
        for (const fault of faults) {
            expect(fault).toMatchObject({
                reason: "is required and missing",
                fix: expect.stringMatching(/./),
            });
        }
    });

    it("tells every fault at once: key, value, reason, fix", () => {
        const message = messageOf({
            ...least,
            awsRegion: "Frankfurt",
            remoteBucket: "Acme_Remote",
            lakekeeperUrl: "localhost:8181",
            warehouse: "s3://acme-lake/fluss",
            flussBootstrapServers: "http://coordinator:9124",
            flussVersion: "1.0.0-vv-2",
            clientUsername: "fluss@desk",
            engineVersion: "vera-4.5-jdk17-flink-1.20",
            sampleRows: "yes",
            sampleRowsPerSecond: "many",
            jobNamespace: "",
            vvpURL: "https://vvp.example.com",
        });
        const lines = message.split("\n");
        expect(lines[0]).toMatch(/^FaultsError: 12 faults in config:$/);
        const line = (key: string) => lines.find((text) => text.startsWith(`- config.${key}`)) ?? "";
        expect(line("awsRegion")).toBe(
            '- config.awsRegion = "Frankfurt": is not the name of an AWS region. Give a region as AWS writes it, e.g. eu-central-1.',
        );
        expect(line("remoteBucket")).toMatch(/= "Acme_Remote": .*lower-case.*\. Choose/);
        expect(line("lakekeeperUrl")).toMatch(
            /= "localhost:8181": is not an http.*e\.g\. http:\/\/localhost:8181\.$/,
        );
        expect(line("warehouse")).toMatch(/= "s3:\/\/acme-lake\/fluss": .*not its location.*e\.g\. fluss\.$/);
        expect(line("flussBootstrapServers")).toMatch(/= "http:\/\/coordinator:9124": .*host:port.*e\.g\. /);
        expect(line("flussVersion")).toMatch(/= "1\.0\.0-vv-2": .*Write "1\.0\.0-vv-3"\.$/);
        expect(line("clientUsername")).toMatch(/= "fluss@desk": .*JAAS.*\. Choose/);
        expect(line("engineVersion")).toMatch(/= "vera-4\.5-jdk17-flink-1\.20": .*\. \S/);
        expect(line("sampleRows ")).toMatch(/= "yes": .*boolean.*\. Give/);
        expect(line("sampleRowsPerSecond")).toMatch(/= "many": .*\. Give/);
        expect(line("jobNamespace")).toMatch(/= "": \S.*\. \S/);
        expect(line("vvpURL")).toMatch(/there is no setting "vvpURL" here\. Did you mean vvpUrl/);
    });

    it.each([
        ["0", false],
        ["1", true],
        ["100000", true],
        ["100001", false],
        ["1.5", false],
        ["-1", false],
        ["", false],
    ])("takes %j rows a second: %s", (rows, taken) => {
        const faults = pathsOf(() => parseStackConfig({ ...least, sampleRowsPerSecond: rows }));
        expect(faults).toEqual(taken ? [] : ["config.sampleRowsPerSecond"]);
    });

    it.each(["a:1", "a:1,b:2", "10.0.0.1:9124", "coordinator.fluss.svc:9124"])(
        "takes the address %s",
        (address) => {
            expect(pathsOf(() => parseStackConfig({ ...least, flussBootstrapServers: address }))).toEqual([]);
        },
    );

    it.each(["", "a", "a:", ":9124", "a:1,", "a:1, b:2", "a:123456"])("refuses the address %j", (address) => {
        expect(pathsOf(() => parseStackConfig({ ...least, flussBootstrapServers: address }))).toEqual([
            "config.flussBootstrapServers",
        ]);
    });

    it("never shows a secret, nor what may be one under another name", () => {
        const message = messageOf({
            ...least,
            clientPassword: 'sesame"open',
            lakekeeperToken: { token: "client-token" },
            clientPasword: "mistyped-secret",
            awsRegion: "nowhere",
        });
        expect(message).toMatch(/^FaultsError: 4 faults/);
        expect(message).toContain("config.clientPassword: ");
        expect(message).toContain("config.lakekeeperToken: ");
        expect(message).toContain("config.clientPasword: ");
        expect(message).not.toMatch(/sesame|client-token|mistyped/);
    });
});

function pick<K extends keyof typeof least>(from: typeof least, ...keys: K[]): Pick<typeof least, K> {
    return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<typeof least, K>;
}

const root = path.resolve(import.meta.dirname, "../..");
const readYaml = (file: string): unknown => YAML.parse(fs.readFileSync(path.join(root, file), "utf8"));

const projectSchema = z.looseObject({
    name: z.string(),
    main: z.string(),
    config: z.record(
        z.string(),
        z.strictObject({
            type: z.enum(["string", "integer", "boolean", "object"]),
            description: z.string().min(10),
            default: z.union([z.string(), z.int(), z.boolean(), z.strictObject({})]).optional(),
        }),
    ),
});

const asText = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));

const project = projectSchema.parse(readYaml("Pulumi.yaml"));

describe("Pulumi.yaml", () => {
    const declared = Object.entries(project.config);

    it("declares every key of the schema that is no secret, and no other", () => {
        const open = Object.keys(stackConfig.shape).filter((key) => !isSecretPath(key));
        expect(Object.keys(project.config).sort()).toEqual(open.sort());
    });

    it("names every secret: one that is declared would have to be set", () => {
        const text = fs.readFileSync(path.join(root, "Pulumi.yaml"), "utf8");
        const secrets = Object.keys(stackConfig.shape).filter(isSecretPath);
        expect(secrets).toHaveLength(6);
        for (const secret of secrets) expect(text).toContain(secret);
    });

    it("has no default for exactly the keys that each stack must set", () => {
        const required = declared.filter(([, key]) => key.default === undefined).map(([name]) => name);
        const always = Object.keys(least).filter((key) => key in leastByHelm);
        expect(required.sort()).toEqual(always.sort());
    });

    it("has the schema's defaults", () => {
        // The engine hands each default to the program as text; an empty one stands for "not set".
        const given = declared
            .filter(([, key]) => key.default !== undefined && key.default !== "")
            .map(([name, key]) => [name, asText(key.default)]);
        expect(parseStackConfig({ ...least, ...Object.fromEntries(given) })).toEqual(parseStackConfig(least));
        expect(given.map(([name]) => name).sort()).toEqual(Object.keys(defaults).sort());
    });

    it("has the schema's types", () => {
        const values = parseStackConfig(least) as Record<string, unknown>;
        const types = {
            string: "string",
            boolean: "boolean",
            number: "integer",
            object: "object",
            undefined: "string",
        } as const;
        for (const [name, key] of declared) {
            expect([name, key.type]).toEqual([name, types[typeof values[name] as keyof typeof types]]);
        }
    });

    it("names a program that is there", () => {
        expect(fs.existsSync(path.join(root, project.main))).toBe(true);
    });
});

it("the example of docs/kubernetes.md is a whole configuration but for the password of the registry", () => {
    const page = fs.readFileSync(path.join(root, "docs/kubernetes.md"), "utf8");
    const example = /## By the configuration[^`]*(?:`[^`\n]*`[^`]*)*?```yaml\n(.*?)```/s.exec(page)?.[1];
    const { config } = YAML.parse(example ?? "") as { config: Record<string, unknown> };
    const given = Object.entries(config).map(([key, value]) => [
        key.replace(`${project.name}:`, ""),
        asText(value),
    ]);
    const all = { ...Object.fromEntries(given), imageRegistryPassword: "pull" };
    expect(pathsOf(() => parseStackConfig(all))).toEqual([]);
});

describe.each(["dev", "prod"])("Pulumi.%s.yaml", (stack) => {
    const file = `Pulumi.${stack}.yaml`;
    const { config } = z
        .strictObject({ config: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])) })
        .parse(readYaml(file));
    const own = Object.entries(config).flatMap(([key, value]) =>
        key.startsWith(`${project.name}:`) ? [[key.slice(project.name.length + 1), value] as const] : [],
    );

    it("is a whole configuration but for the secrets, which it tells how to set", () => {
        const secrets = { lakekeeperToken: least.lakekeeperToken, clientPassword: least.clientPassword };
        expect(own.map(([key]) => key).filter(isSecretPath)).toEqual([]);
        const text = Object.fromEntries(own.map(([key, value]) => [key, String(value)]));
        expect(pathsOf(() => parseStackConfig({ ...text, ...secrets }))).toEqual([]);
        const content = fs.readFileSync(path.join(root, file), "utf8");
        for (const secret of [...Object.keys(secrets), "pulumi-fluss:vvpToken"]) {
            expect(content).toMatch(new RegExp(`pulumi config set --secret ${secret} +-s ${stack}`));
        }
    });
});
