import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { FlinkTieringDeployment } from "../../../components/flink-tiering-deployment.ts";
import {
    SessionTieringDeployment,
    type SessionTieringDeploymentArgs,
} from "../../../components/session-tiering-deployment.ts";
import { TieringDeployment } from "../../../components/tiering-deployment.ts";
import { VvpOperatorDeployment } from "../../../components/vvp-operator-deployment.ts";
import { defineLake } from "../../../model/lake.ts";
import { build, failuresOf, misplaced } from "./harness.ts";

const forms = (name: string) => ({ env: name, secretValue: name.toLowerCase(), value: `${name}-value` });
const lake = defineLake({
    catalog: {
        type: "rest",
        uri: "http://catalog:8181/catalog",
        warehouse: "fluss",
        auth: { type: "token", token: forms("TOKEN") },
    },
    storage: { type: "s3", bucket: "lake", region: "eu-central-1" },
});
const client = {
    bootstrapServers: "coordinator:9124",
    sasl: { username: "fluss-client", password: forms("PASSWORD") },
};
const jar = "jars/fluss-flink-tiering-1.0.0-vv-3.jar";
const program = (args: Partial<SessionTieringDeploymentArgs>) => (opts: pulumi.ComponentResourceOptions) =>
    new SessionTieringDeployment(
        "desk",
        {
            cluster: { url: "http://flink:8081" },
            jar,
            lake: pulumi.secret(lake),
            client: pulumi.secret(client),
            ...args,
        },
        opts,
    );
const make = (args: Partial<SessionTieringDeploymentArgs> = {}) => build(false, program(args));

describe("SessionTieringDeployment", () => {
    it("is one JAR job, known by the address; its arguments are a secret, its name is none", async () => {
        const { made, completed } = await make({ clusterRevision: "7" });
        const job = made.get("desk-job");
        expect(job).toMatchObject({
            type: "pulumi-nodejs:dynamic/flink:JarJob",
            inputs: {
                name: "Fluss tiering of coordinator:9124",
                cluster: { url: "http://flink:8081" },
                jar,
                flinkConfiguration: {},
                restart: "WITHOUT_STATE",
                restartTrigger: "7",
            },
            secrets: ["args"],
            secretOutputs: ["args"],
        });
        const words = job?.inputs.args as string[];
        expect(words.slice(0, 2)).toEqual(["--fluss.bootstrap.servers", "coordinator:9124"]);
        expect(words[words.indexOf("--datalake.iceberg.token") + 1]).toBe("TOKEN-value");
        expect(misplaced(made, "desk")).toEqual([]);
        expect(completed).toEqual(["desk"]);
    });

    it("looks at a table of the lake after each start of the job, where that is wanted", async () => {
        const { made, component } = await make({ health: { table: "desk.trades", withinSeconds: 60 } });
        expect(component.progress).toBeDefined();
        expect(made.get("desk-progress")).toMatchObject({
            type: "pulumi-nodejs:dynamic/fluss:LakeProgress",
            parent: "desk",
            inputs: {
                catalog: lake.catalog,
                table: "desk.trades",
                withinSeconds: 60,
                trigger: "job-of-desk-job",
            },
            secrets: ["catalog"],
            secretOutputs: ["catalog", "portForward"],
        });
        expect((await make()).made.has("desk-progress")).toBe(false);
    });

    it("names variables of the JobManager where the job of 1.0 replaces them", async () => {
        const { made } = await make({ secrets: "env" });
        const words = made.get("desk-job")?.inputs.args as string[];
        expect(words.join(" ")).not.toContain("-value");
        expect(words).toContain("${env:TOKEN}");
        expect(words.slice(-4)).toEqual([
            "--config.providers",
            "env",
            "--config.providers.env.param.allowlist.pattern",
            "PASSWORD|TOKEN",
        ]);
    });

    it("gives a job of 0.9 a restart strategy, and refuses what it cannot replace", async () => {
        const { made } = await make({ version: "0.9" });
        expect(made.get("desk-job")?.inputs.flinkConfiguration).toEqual({
            "restart-strategy.type": "exponential-delay",
        });
        const told = await failuresOf(program({ version: "0.9", secrets: "env" }));
        expect(told).toContain("does not replace ${env:...}");
    });
});

describe("two tiering jobs of one cluster in a program", () => {
    const session = (opts: pulumi.ComponentResourceOptions) => program({})(opts);
    const platform = (opts: pulumi.ComponentResourceOptions, servers = client.bootstrapServers) =>
        new TieringDeployment(
            "platform",
            {
                connection: { url: "https://vvp.example.com" },
                deploymentTarget: "jobs",
                jarUri: "s3i://artifacts/fluss-flink-tiering-1.0.0-vv-3.jar",
                additionalDependencies: [],
                lake,
                client: { ...client, bootstrapServers: servers },
            },
            opts,
        );
    const operator = (opts: pulumi.ComponentResourceOptions) => {
        const jarUri = "local:///opt/flink/usrlib/fluss-flink-tiering-1.0.0-vv-3.jar";
        const image = "registry.example.com/flink-with-fluss:1.20";
        return new FlinkTieringDeployment(
            "operator",
            { namespace: "fluss", image, jarUri, lake, client },
            opts,
        );
    };

    const object = (opts: pulumi.ComponentResourceOptions) =>
        new VvpOperatorDeployment(
            "object",
            {
                name: "tiering",
                kubernetesNamespace: "vvp",
                owner: "operator-1",
                apikeySecretName: "vvp-token",
                deploymentTarget: "jobs",
                engineVersion: "vera-4.5-jdk11-flink-1.20",
                jarUri: "s3i://artifacts/fluss-flink-tiering-1.0.0-vv-3.jar",
                mainArgs: `--fluss.bootstrap.servers ${client.bootstrapServers} --datalake.format iceberg`,
            },
            opts,
        );

    it.each([
        ["object", "platform", object, platform],
        ["platform", "desk", platform, session],
        ["desk", "operator", session, operator],
        ["operator", "platform", operator, platform],
    ])("are refused whatever their runners: %s and %s", async (one, other, first, second) => {
        const told = await failuresOf((opts) => [first(opts), second(opts)]);
        // Which of them is told depends on whose values are known first.
        expect(
            [`${one}: '${other}'`, `${other}: '${one}'`].filter((pair) => told.includes(pair)),
        ).toHaveLength(1);
        expect(told).toContain("of this program tiers the Fluss cluster coordinator:9124 already");
    });

    it.each(["coordinator:9124,other:9124", "Coordinator:9124"])(
        "are refused when one names the cluster %s",
        async (servers) => {
            const told = await failuresOf((opts) => [session(opts), platform(opts, servers)]);
            expect(told).toMatch(/of this program tiers the Fluss cluster .* already/);
        },
    );

    it("are fine for two clusters", async () => {
        const { made } = await build(false, (opts) => [session(opts), platform(opts, "other:9124")]);
        expect([...made.keys()]).toEqual(["desk", "desk-job", "platform", "platform-deployment"]);
    });
});
