import type * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import {
    FlinkTieringDeployment,
    type FlinkTieringDeploymentArgs,
} from "../../../components/flink-tiering-deployment.ts";
import { defineLake } from "../../../model/lake.ts";
import { build, failuresOf } from "./harness.ts";
import { client, looksAtTable, native, rest } from "./kubernetes-tiering.ts";

const accessKey = { id: { value: "AKIA" }, secret: { value: "key-value" } };
const storage = { type: "s3", bucket: "lake", region: "eu-central-1", accessKey } as const;
const folder = defineLake({ catalog: { type: "hadoop" }, storage: { type: "files", folder: "/var/lake" } });
const hadoop = defineLake({ catalog: { ...rest, fileIo: "hadoop" }, storage });

const program = (args: Partial<FlinkTieringDeploymentArgs>) => (opts: pulumi.ComponentResourceOptions) =>
    new FlinkTieringDeployment(
        "desk",
        {
            namespace: "fluss",
            image: "registry.example.com/flink-with-fluss:1.20",
            jarUri: "local:///opt/flink/usrlib/fluss-flink-tiering-1.0.0-vv-3.jar",
            lake: native,
            client,
            ...args,
        },
        opts,
    );

const make = (args: Partial<FlinkTieringDeploymentArgs> = {}) => build(false, program(args));

describe("FlinkTieringDeployment", () => {
    it("makes the FlinkDeployment and an immutable Secret of its environment", async () => {
        const { made, completed } = await make();
        expect([...made.values()].map(({ type, name }) => [type, name])).toEqual([
            ["fluss:index:FlinkTieringDeployment", "desk"],
            ["kubernetes:core/v1:Secret", "desk-environment"],
            ["kubernetes:flink.apache.org/v1beta1:FlinkDeployment", "desk-deployment"],
        ]);
        expect(made.get("desk-environment")).toMatchObject({
            inputs: {
                immutable: true,
                metadata: { namespace: "fluss" },
                stringData: { FLUSS_PASSWORD: "password-value", ICEBERG_TOKEN: "token-value" },
            },
            secrets: expect.arrayContaining(["stringData"]),
        });
        expect(completed).toEqual(["desk"]);
    });

    it("has no secret in the FlinkDeployment", async () => {
        const { made } = await make({ lake: hadoop, coreSite: true });
        const text = JSON.stringify(made.get("desk-deployment")?.inputs);
        expect(text).toContain("${env:ICEBERG_TOKEN}");
        expect(text).not.toMatch(/token-value|password-value|key-value/);
        expect(made.get("desk-core-site")?.inputs["stringData"]).toMatchObject({
            "core-site.xml": expect.stringContaining("<value>key-value</value>"),
        });
    });

    it("has no key at all where the role of the pods serves", async () => {
        const { accessKey: _, ...keyless } = storage;
        const lake = defineLake({ catalog: { ...rest, fileIo: "hadoop" }, storage: keyless });
        const { made } = await make({ lake, coreSite: "webIdentity" });
        const { stringData } = made.get("desk-core-site")!.inputs as Record<string, Record<string, string>>;
        const text = stringData?.["core-site.xml"];
        expect(text).toContain("<value>com.amazonaws.auth.WebIdentityTokenCredentialsProvider</value>");
        expect(text).not.toContain("access.key");
    });

    it("runs the job of Fluss 0.9 in standalone mode, with a restart strategy", async () => {
        const { made } = await make({ version: "0.9" });
        expect(made.get("desk-deployment")?.inputs["spec"]).toMatchObject({
            mode: "standalone",
            flinkConfiguration: {
                "restart-strategy.type": "exponential-delay",
                "taskmanager.memory.jvm-metaspace.size": "512m",
            },
            job: { args: expect.arrayContaining(["$(ICEBERG_TOKEN)"]) },
        });
    });

    it.each([
        ["is missing", { lake: hadoop }, "Set coreSite: true"],
        ["is of no use", { coreSite: true }, "Remove it"],
        ["is all right, but the lake a folder", { lake: folder, coreSite: false }, "which pods do not share"],
    ])("says when core-site.xml %s", async (_, args, fix) => {
        expect(await failuresOf(program(args))).toContain(fix);
    });
});

it("looks at a table of the lake after each change of the job, where that is wanted", () =>
    looksAtTable(make, "desk-deployment"));
