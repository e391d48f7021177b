import type * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { TieringDeployment, type TieringDeploymentArgs } from "../../../components/tiering-deployment.ts";
import { defineLake } from "../../../model/lake.ts";
import { bootstrapServers, catalogUri, client, lake, lakeInput } from "../model/fixtures/quickstart.ts";
import { build, failuresOf, misplaced, resolved } from "./harness.ts";

const connection = { url: "https://vvp.example.com", workspace: "defaultworkspace", namespace: "default" };
const jarUri = "s3i://artifacts/fluss-flink-tiering-1.0.0-vv-3.jar";
const additionalDependencies = ["s3i://artifacts/fluss-flink-1.20-1.0.0-vv-3.jar"];

const tiering = (args: Partial<TieringDeploymentArgs>) => (opts: pulumi.ComponentResourceOptions) =>
    new TieringDeployment(
        "desk",
        {
            connection,
            deploymentTarget: "fluss-quickstart-target",
            jarUri,
            additionalDependencies,
            lake,
            client,
            ...args,
        },
        opts,
    );

const make = (args: Partial<TieringDeploymentArgs> = {}, preview = false) => build(preview, tiering(args));

describe.each([true, false])("TieringDeployment, preview %s", (preview) => {
    it("is one JAR deployment with the quickstart's twelve arguments", async () => {
        const { component, made, completed } = await make({}, preview);
        expect([...made.values()].map(({ type, name }) => [type, name])).toEqual([
            ["fluss:index:TieringDeployment", "desk"],
            ["pulumi-nodejs:dynamic/vvp:Deployment", "desk-deployment"],
        ]);
        const { __provider, ...inputs } = made.get("desk-deployment")?.inputs ?? {};
        expect(inputs).toEqual({
            connection,
            name: "fluss-quickstart-tiering",
            mark: expect.stringMatching(/^organization-fluss-quickstart-.*-[0-9a-f]{12}$/),
            deploymentTarget: "fluss-quickstart-target",
            engineVersion: "vera-4.5-jdk11-flink-1.20",
            jarUri,
            additionalDependencies,
            mainArgs: [
                `--fluss.bootstrap.servers ${bootstrapServers}`,
                "--fluss.client.security.protocol SASL",
                "--fluss.client.security.sasl.mechanism PLAIN",
                "--fluss.client.security.sasl.username fluss-client",
                "--fluss.client.security.sasl.password ${secret_values.fluss-password}",
                "--datalake.format iceberg",
                "--datalake.iceberg.type rest",
                `--datalake.iceberg.uri ${catalogUri}`,
                "--datalake.iceberg.warehouse fluss",
                "--datalake.iceberg.token ${secret_values.fluss-iceberg-token}",
                "--datalake.iceberg.io-impl org.apache.iceberg.aws.s3.S3FileIO",
                "--datalake.iceberg.client.region eu-central-1",
            ].join(" "),
            flinkConf: {},
            restart: "WITHOUT_STATE",
        });
        expect(await resolved(component.deployment.name)).toBe("fluss-quickstart-tiering");
        expect(misplaced(made, "desk")).toEqual([]);
        expect(completed).toEqual(["desk"]);
    });
});

describe("arguments", () => {
    it("end with what is given besides", async () => {
        const { made } = await make({ extraArguments: { "fluss.tiering.poll.table.interval": "5s" } });
        expect(made.get("desk-deployment")?.inputs.mainArgs).toMatch(
            / --fluss\.tiering\.poll\.table\.interval 5s$/,
        );
    });

    it("give a job of 0.9 a restart strategy, which own options may replace", async () => {
        const { made } = await make({ version: "0.9", flinkConfiguration: { "parallelism.default": "2" } });
        expect(made.get("desk-deployment")?.inputs.flinkConf).toEqual({
            "restart-strategy.type": "exponential-delay",
            "parallelism.default": "2",
        });
        const { made: own } = await make({
            version: "0.9",
            flinkConfiguration: { "restart-strategy.type": "fixed-delay" },
        });
        expect(own.get("desk-deployment")?.inputs.flinkConf).toEqual({
            "restart-strategy.type": "fixed-delay",
        });
    });

    it("take name, engine and adoption", async () => {
        const { made } = await make({ name: "desk-tiering", engineVersion: "vera-4.6", adopt: true });
        expect(made.get("desk-deployment")?.inputs).toMatchObject({
            name: "desk-tiering",
            engineVersion: "vera-4.6",
            adopt: true,
        });
    });
});

describe("health", () => {
    it("looks at a table of the lake after each start of the job, in a catalog whose token is known", async () => {
        const token = { type: "token", token: { value: "client-token" } } as const;
        const { catalog } = defineLake({
            ...lakeInput,
            catalog: { ...lakeInput.catalog, auth: token, uri: "http://localhost:8181/catalog" },
        });
        const { made, component } = await make({ health: { table: "desk.trades", catalog } });
        expect(component.progress).toBeDefined();
        expect(made.get("desk-progress")).toMatchObject({
            type: "pulumi-nodejs:dynamic/fluss:LakeProgress",
            parent: "desk",
            inputs: { catalog, table: "desk.trades", trigger: "job-of-desk-deployment" },
            secrets: ["catalog"],
        });
        expect(JSON.stringify(made.get("desk-deployment"))).not.toContain("client-token");
    });
});

describe("faults", () => {
    const value = { type: "token", token: { value: "client-token" } } as const;
    const open = defineLake({ ...lakeInput, catalog: { ...lakeInput.catalog, auth: value } });

    it("are told all at once, without the secrets", async () => {
        const sasl = { username: "fluss-client", password: { value: "sesame" } };
        const told = await failuresOf(tiering({ lake: open, client: { bootstrapServers, sasl } }));
        expect(told).toMatch(/2 faults in the arguments of the tiering job/);
        expect(told).toMatch(/lake\.catalog\.auth\.token: .*no "secretValue"/);
        expect(told).toMatch(/client\.sasl\.password: .*no "secretValue"/);
        expect(told).not.toMatch(/sesame|client-token/);
    });

    it("name an address that is none", async () => {
        const told = await failuresOf(tiering({ client: { bootstrapServers: "coordinator" } }));
        expect(told).toMatch(/client\.bootstrapServers = "coordinator": is not host:port/);
    });
});

it("a lake in a folder of one machine is refused", async () => {
    const folder = defineLake({
        catalog: { type: "hadoop" },
        storage: { type: "files", folder: "/var/lake" },
    });
    expect(await failuresOf(tiering({ lake: folder }))).toContain("which pods do not share");
});
