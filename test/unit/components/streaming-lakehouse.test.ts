import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it, test } from "vitest";
import { StreamingLakehouse, type StreamingLakehouseArgs } from "../../../components/streaming-lakehouse.ts";
import { accounts, trades } from "../../../stacks/quickstart-tables.ts";
import { bootstrapServers, catalogUri } from "../model/fixtures/quickstart.ts";
import { build, misplaced, resolved } from "./harness.ts";
import { clientUris, jarsFolder } from "./jars.ts";

const args = (changes: Partial<StreamingLakehouseArgs> = {}): StreamingLakehouseArgs => ({
    buckets: { region: "eu-central-1", remoteBucket: "acme-remote", lakeBucket: "acme-lake" },
    lakekeeper: {
        url: "http://localhost:8181",
        internalUrl: "http://fluss-lakekeeper.fluss.svc.cluster.local:8181",
        token: "client-token",
    },
    fluss: {
        existing: {
            bootstrapServers: "coordinator:9124",
            clientUsername: "fluss-client",
            clientPassword: "sesame",
        },
    },
    flussVersion: "1.0.0-vv-3",
    vvp: {
        connection: { url: "https://vvp.example.com", workspace: "defaultworkspace", namespace: "default" },
        jobNamespace: "vvp-jobs",
    },
    jars: jarsFolder(),
    tables: [accounts, trades],
    ...changes,
});

const make = (changes: Partial<StreamingLakehouseArgs> = {}, preview = false) => {
    const wanted = args(changes);
    return build(preview, (opts) => new StreamingLakehouse("desk", wanted, opts));
};

describe.each([true, false])("StreamingLakehouse, preview %s", (preview) => {
    it("wires the six parts, each below it and named after it", async () => {
        const { component, made, completed } = await make({}, preview);
        const parts = [...made.values()].filter(({ parent }) => parent === "desk");
        expect(parts.map(({ type, name }) => [type, name])).toEqual([
            ["fluss:index:LakeBuckets", "desk-buckets"],
            ["fluss:index:LakekeeperCatalog", "desk-catalog"],
            ["fluss:index:FlussCluster", "desk-cluster"],
            ["fluss:index:VvpWorkspaceSetup", "desk-workspace"],
            ["fluss:index:TieringDeployment", "desk-tiering"],
            ["fluss:index:FlussTables", "desk-tables"],
        ]);
        expect(misplaced(made, "desk")).toEqual([]);
        expect(completed.sort()).toEqual(["desk", ...parts.map(({ name }) => name)].sort());
        expect(component.tables.tables).toHaveProperty("finance.trades");
    });

    it("knows the DDL's part of every table", async () => {
        const { made } = await make({}, preview);
        expect(made.get("desk-tables-finance-accounts")?.inputs).toMatchObject({
            spec: accounts,
            catalog: { name: "fluss_quickstart" },
        });
    });

    it("lets jobs and tables wait for the secret values that they name", async () => {
        const { made } = await make({}, preview);
        const secrets = ["fluss-password", "fluss-iceberg-token"].map(
            (name) => `desk-workspace-secret-${name}`,
        );
        expect(made.get("desk-tiering")?.dependsOn).toEqual(secrets);
        expect(made.get("desk-tables")?.dependsOn).toEqual(secrets);
    });
});

describe("the Fluss Console", () => {
    it("is told of the cluster when it is given a name, with the password as a secret", async () => {
        const vvp = { ...args().vvp, consoleName: "fluss-quickstart" };
        const { component, made } = await make({ vvp });
        expect(component.console).toBeDefined();
        expect(made.get("desk-console")).toMatchObject({
            type: "pulumi-nodejs:dynamic/vvp:FlussConsoleCluster",
            parent: "desk",
            secrets: ["password"],
            inputs: {
                name: "fluss-quickstart",
                bootstrapServers: "coordinator:9124",
                username: "fluss-client",
                password: "sesame",
            },
        });
        expect((await make()).made.has("desk-console")).toBe(false);
    });
});

describe("the tiering's health", () => {
    it("is looked for at a table of the lakehouse, once it is made, where Pulumi reaches the catalog", async () => {
        const { made, component } = await make({ tieringHealth: { table: "finance.trades" } });
        expect(component.progress).toBeDefined();
        expect(made.get("desk-tiering-progress")).toMatchObject({
            type: "pulumi-nodejs:dynamic/fluss:LakeProgress",
            parent: "desk-tiering",
            inputs: {
                catalog: {
                    type: "rest",
                    uri: "http://localhost:8181/catalog",
                    warehouse: "fluss",
                    auth: { type: "token", token: { value: "client-token" } },
                },
                table: "finance.trades",
                trigger: "job-of-desk-tiering-deployment",
            },
            secrets: ["catalog"],
        });
        expect((await make()).made.has("desk-tiering-progress")).toBe(false);
    });

    it("is not looked for at a table that is none of them", async () => {
        await expect(make({ tieringHealth: { table: "finance.trade" } })).rejects.toThrow(
            /tieringHealth\.table = "finance\.trade": is none of the tables \(finance\.accounts, finance\.trades\)/,
        );
    });
});

describe("what the parts are told by one another", () => {
    it("is the stack's own bucket and key for the warehouse", async () => {
        const { made } = await make();
        expect(made.get("desk-catalog-warehouse")?.inputs).toMatchObject({
            name: "fluss",
            storage: { bucket: "acme-lake", region: "eu-central-1", flavor: "aws" },
            credential: { accessKeyId: "desk-buckets-user-key-id", secretAccessKey: "made-by-iam" },
        });
    });

    it("is the quickstart's twelve arguments for the tiering job", async () => {
        const { made } = await make();
        expect(made.get("desk-tiering-deployment")?.inputs).toMatchObject({
            deploymentTarget: "fluss-quickstart-target",
            jarUri: "s3i://artifacts/fluss-flink-tiering-1.0.0-vv-3.jar",
            additionalDependencies: clientUris,
            mainArgs: [
                "--fluss.bootstrap.servers coordinator:9124",
                "--fluss.client.security.protocol SASL",
                "--fluss.client.security.sasl.mechanism PLAIN",
                "--fluss.client.security.sasl.username fluss-client",
                "--fluss.client.security.sasl.password ${secret_values.fluss-password}",
                "--datalake.format iceberg",
                "--datalake.iceberg.type rest",
                "--datalake.iceberg.uri http://fluss-lakekeeper.fluss.svc.cluster.local:8181/catalog",
                "--datalake.iceberg.warehouse fluss",
                "--datalake.iceberg.token ${secret_values.fluss-iceberg-token}",
                "--datalake.iceberg.io-impl org.apache.iceberg.aws.s3.S3FileIO",
                "--datalake.iceberg.client.region eu-central-1",
            ].join(" "),
        });
    });

    it("is password and token for the secret values, and for nothing else in clear", async () => {
        const { made } = await make();
        const value = (name: string) => made.get(`desk-workspace-secret-${name}`)?.inputs.value;
        expect(value("fluss-password")).toBe("sesame");
        expect(value("fluss-iceberg-token")).toBe("client-token");
        for (const { name, inputs, secrets } of made.values()) {
            const open = Object.entries(inputs).filter(([key]) => !secrets.includes(key));
            expect([name, JSON.stringify(open)]).not.toEqual([
                name,
                expect.stringMatching(/sesame|client-token|made-by-iam/),
            ]);
        }
    });

    it("is the client JARs and the engine for the statements", async () => {
        const { made } = await make();
        expect(made.get("desk-tables-catalog")?.inputs.runner).toEqual({
            kind: "vvp",
            connection: args().vvp.connection,
            engineVersion: "vera-4.5-jdk11-flink-1.20",
            additionalDependencies: clientUris,
        });
    });
});

describe("protection", () => {
    it.each([undefined, true, false])("%s reaches everything that holds data", async (deletionProtection) => {
        const wanted = deletionProtection ?? true;
        const { made } = await make({ deletionProtection });
        const held = ["desk-buckets-remote", "desk-buckets-lake"].map((name) => made.get(name)?.protect);
        const guarded = [
            "desk-catalog-warehouse",
            "desk-tables-finance",
            "desk-tables-finance-accounts",
            "desk-tables-finance-trades",
        ].map((name) => made.get(name)?.inputs.deletionProtection);
        expect([...held, ...guarded]).toEqual(Array(6).fill(wanted));
    });
});

test("what restarts jobs reaches the secret values", async () => {
    const { made } = await make({ vvp: { ...args().vvp, restartJobs: "WITH_STATE" } });
    const told = ["fluss-password", "fluss-iceberg-token"].map(
        (name) => made.get(`desk-workspace-secret-${name}`)?.inputs.restartJobs,
    );
    expect(told).toEqual(["WITH_STATE", "WITH_STATE"]);
});

describe("adoption", () => {
    it("reaches everything that can be adopted", async () => {
        const { made } = await make({ adopt: true });
        const able = [...made.values()].filter(({ type }) =>
            /dynamic\/(vvp:|fluss:(?!Endpoint)|lakekeeper:Warehouse)/.test(type),
        );
        expect(able.length).toBeGreaterThan(10);
        expect(able.filter(({ inputs }) => inputs.adopt !== true).map(({ name }) => name)).toEqual([]);
    });
});

describe("servers that start from the lakehouse's own outputs", () => {
    const servers = () => {
        const started: { options: pulumi.Output<Record<string, string>>; dependsOn: unknown }[] = [];
        let backend: pulumi.Resource | undefined;
        return {
            started,
            backend: () => backend,
            args: {
                beforeStart: (_: unknown, opts: pulumi.CustomResourceOptions) => {
                    backend = new pulumi.ComponentResource("test:index:Backend", "desk-backend", {}, opts);
                    return [backend];
                },
                start: (
                    options: pulumi.Output<Record<string, string>>,
                    opts: pulumi.CustomResourceOptions,
                ) => {
                    started.push({ options, dependsOn: opts.dependsOn });
                    return { bootstrapServers: pulumi.output("127.0.0.1:9123") };
                },
            },
        };
    };

    it("get bucket, key and token of the stack, after what stands behind the catalog", async () => {
        const local = servers();
        const { component } = await make({
            fluss: { servers: local.args },
            s3Endpoint: "http://127.0.0.1:5000",
        });
        expect(local.started).toHaveLength(1);
        expect(local.started[0]?.dependsOn).toEqual([local.backend()]);
        expect(await pulumi.isSecret(local.started[0]!.options)).toBe(true);
        expect(await resolved(local.started[0]!.options)).toMatchObject({
            "remote.data.dir": "s3://acme-remote/fluss-remote-storage",
            "s3.access.key": "desk-buckets-user-key-id",
            "s3.secret.key": "made-by-iam",
            "s3.endpoint": "http://127.0.0.1:5000",
            "datalake.iceberg.warehouse": "fluss",
            "datalake.iceberg.token": "client-token",
        });
        expect(await resolved(component.cluster.bootstrapServers)).toBe("127.0.0.1:9123");
    });

    it("pass their address and password on to the jobs", async () => {
        const { made } = await make({ fluss: { servers: servers().args } });
        expect(made.get("desk-tiering-deployment")?.inputs.mainArgs).toMatch(
            /^--fluss\.bootstrap\.servers 127\.0\.0\.1:9123 /,
        );
        expect(made.get("desk-workspace-secret-fluss-password")?.inputs.value).toBe(
            "random-of-desk-cluster-client-password",
        );
    });
});

describe("servers that are installed by Helm", () => {
    const access = { kubeconfig: "kubeconfig-text" };
    const place = { namespace: "fluss", access, storageClass: "gp3" };

    it("have the faults of both charts told in one list, before anything is made", async () => {
        const made: string[] = [];
        const wanted = args({
            lakekeeper: { chart: { ...place, storageSize: "5 GB" } },
            fluss: {
                chart: { ...place, tabletServers: 0, overrides: { "kv.snapshot.intervall": "5min" } },
            },
        });
        let message = "";
        await build(false, (opts) => {
            const noted = ({ name }: pulumi.ResourceTransformationArgs) => void made.push(name);
            try {
                new StreamingLakehouse("desk", wanted, { ...opts, transformations: [noted] });
            } catch (error) {
                message = (error as Error).message;
            }
        });
        expect(message.split("\n")).toEqual([
            "3 faults in StreamingLakehouse desk:",
            expect.stringMatching(/^- lakekeeper\.chart\.storageSize = "5 GB": /),
            expect.stringMatching(/^- fluss\.chart\.overrides\["kv\.snapshot\.intervall"\]: /),
            expect.stringMatching(/^- fluss\.chart\.tabletServers = 0: .*at least 1/),
        ]);
        expect(made).toEqual([]);
    });

    it("get bucket, key, lake and the catalog's token Secret of the stack", async () => {
        const { made } = await make({
            lakekeeper: { chart: place, warehouse: "desk" },
            fluss: { chart: { ...place, tabletServers: 5 } },
        });
        expect(made.get("desk-cluster-fluss-storage-credentials")?.inputs.stringData).toEqual({
            "s3-access-key": "desk-buckets-user-key-id",
            "s3-secret-key": "made-by-iam",
        });
        const release = made.get("desk-cluster-release");
        expect(release?.inputs).toMatchObject({ namespace: "fluss", version: "1.0.0-vv-3" });
        expect(release?.inputs.values).toMatchObject({
            fluss: {
                tablet: { numberOfReplicas: 5 },
                configurationOverrides: {
                    "remote.data.dir": "s3://acme-remote/fluss-remote-storage",
                    "datalake.iceberg.uri": catalogUri,
                    "datalake.iceberg.warehouse": "desk",
                    "datalake.iceberg.token": "${env:FLUSS_DATALAKE_ICEBERG_TOKEN}",
                },
                secrets: {
                    env: expect.arrayContaining([
                        {
                            name: "FLUSS_DATALAKE_ICEBERG_TOKEN",
                            secretName: "fluss-lake-client-token",
                            key: "token",
                        },
                    ]),
                },
            },
        });
        expect(made.get("desk-catalog-release")?.inputs).toMatchObject({ namespace: "fluss" });
        expect(made.has("desk-lake-token")).toBe(false);
    });

    it("pass their address and password on to the jobs", async () => {
        const { made } = await make({ lakekeeper: { chart: place }, fluss: { chart: place } });
        const args = made.get("desk-tiering-deployment")?.inputs.mainArgs;
        expect(args).toContain(`--fluss.bootstrap.servers ${bootstrapServers} `);
        expect(args).toContain(`--datalake.iceberg.uri ${catalogUri} `);
        expect(made.get("desk-workspace-secret-fluss-password")?.inputs.value).toBe(
            "random-of-desk-cluster-client-password",
        );
    });

    it("get a copy of the token of a catalog that exists, or is in another namespace", async () => {
        const existing = await make({ fluss: { chart: place } });
        expect(existing.made.get("desk-lake-token")?.inputs).toMatchObject({
            metadata: { name: "fluss-lake-client-token", namespace: "fluss" },
            stringData: { token: "client-token" },
        });
        const elsewhere = await make({
            lakekeeper: { chart: { ...place, namespace: "lake" } },
            fluss: { chart: place },
        });
        expect(elsewhere.made.has("desk-lake-token")).toBe(true);
    });

    it("know what is to be read back after the installation, without the secrets", async () => {
        const { made } = await make({ lakekeeper: { chart: place }, fluss: { chart: place } });
        const check = made.get("desk-cluster-tiering-check");
        expect(check?.inputs.wanted).toEqual({
            "datalake.enabled": "true",
            "datalake.format": "iceberg",
            "datalake.iceberg.type": "rest",
            "datalake.iceberg.uri": catalogUri,
            "datalake.iceberg.warehouse": "fluss",
            "datalake.iceberg.io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
            "datalake.iceberg.client.region": "eu-central-1",
        });
        expect(check?.secrets).toContain("access");
    });
});

describe("versions", () => {
    it("decide what the jobs and tables are told", async () => {
        const { made } = await make();
        expect(made.get("desk-tables-finance-trades")?.inputs.capabilities).toEqual({
            server: "1.0",
            lake: "iceberg",
        });
        expect(made.get("desk-tiering-deployment")?.inputs.flinkConf).toEqual({});
    });
});
