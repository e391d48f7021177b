import type * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { SqlJob, type SqlJobArgs } from "../../../components/sql-job.ts";
import { build, failuresOf, misplaced, resolved } from "./harness.ts";

const sql = {
    setup: ["CREATE TEMPORARY TABLE f (a INT) WITH ('connector' = 'datagen')"],
    inserts: ["INSERT INTO `c`.`d`.`t` SELECT a FROM f"],
};
const script = `${sql.setup[0]};\n\n${sql.inserts[0]};\n`;
const connection = { url: "https://vvp.example.com", workspace: "defaultworkspace", namespace: "default" };
const additionalDependencies = ["s3i://artifacts/fluss-flink-1.20-1.0.0-vv-3.jar"];
const catalogs = [{ name: "c", options: { type: "fluss", "client.security.sasl.password": "sesame" } }];
const runners = {
    vvp: { kind: "vvp", connection, deploymentTarget: "jobs", additionalDependencies },
    vvpOperator: {
        kind: "vvpOperator",
        kubernetesNamespace: "vvp",
        owner: "operator-1",
        apikeySecretName: "vvp-token",
        deploymentTarget: "jobs",
        additionalDependencies,
    },
    gateway: {
        kind: "gateway",
        url: "http://gateway:8083",
        clusterUrl: "http://flink:8081",
        catalogs,
    },
} as const;
const program = (args: Partial<SqlJobArgs>) => (opts: pulumi.ComponentResourceOptions) =>
    new SqlJob("numbers", { runner: runners.vvp, sql, ...args }, opts);
const make = (args: Partial<SqlJobArgs> = {}, preview = false) => build(preview, program(args));

describe.each([true, false])("SqlJob, preview %s", (preview) => {
    it("is a SQL deployment on the platform", async () => {
        const { component, made, completed } = await make(
            { executionMode: "BATCH", flinkConfiguration: { "restart-strategy.type": "none" } },
            preview,
        );
        expect([...made.keys()]).toEqual(["numbers", "numbers-deployment"]);
        expect(made.get("numbers-deployment")).toMatchObject({
            type: "pulumi-nodejs:dynamic/vvp:Deployment",
            inputs: {
                name: "numbers",
                connection,
                deploymentTarget: "jobs",
                engineVersion: "vera-4.5-jdk11-flink-1.20",
                executionMode: "BATCH",
                sqlScript: script,
                additionalDependencies,
                flinkConf: { "restart-strategy.type": "none" },
            },
        });
        expect(await resolved(component.script)).toBe(script);
        expect(misplaced(made, "numbers")).toEqual([]);
        expect(completed).toEqual(["numbers"]);
    });

    it("is a job of the session cluster behind a gateway, the catalogs secret", async () => {
        const { made } = await make(
            { runner: runners.gateway, name: "count", restartTrigger: "2", parallelism: 2 },
            preview,
        );
        const job = made.get("numbers-job");
        expect(job).toMatchObject({
            type: "pulumi-nodejs:dynamic/flink:SqlJob",
            inputs: {
                name: "count",
                gateway: { url: "http://gateway:8083" },
                cluster: { url: "http://flink:8081" },
                catalogs: catalogs,
                sql: script,
                executionMode: "STREAMING",
                parallelism: 2,
                restartTrigger: "2",
                mark: expect.stringMatching(/numbers-job-[0-9a-f]{12}$/),
            },
            secretOutputs: ["catalogs"],
        });
        expect(job?.secrets).toEqual(["catalogs"]);
    });

    it("is an object of the platform's operator, in batch mode for a read of the lake", async () => {
        const { made } = await make({ runner: runners.vvpOperator, executionMode: "BATCH" }, preview);
        const spec = made.get("numbers-object-deployment")?.inputs.spec;
        expect(spec).toMatchObject({
            deployment: {
                spec: {
                    restoreStrategy: { kind: "NONE" },
                    template: {
                        spec: {
                            batchMode: true,
                            artifact: { kind: "SQLSCRIPT", sqlScript: script, additionalDependencies },
                        },
                    },
                },
            },
        });
        expect(misplaced(made, "numbers")).toEqual([]);
    });
});

it("tells everything that keeps a script from being one job", async () => {
    const told = await failuresOf(program({ sql: "SET 'a' = 'b'; CREATE TABLE t (a INT)" }));
    expect(told).toMatch(/SQL of job numbers cannot run as one job/);
    expect(told).toMatch(/sets an option[\s\S]*makes or changes what stays[\s\S]*there is no INSERT/);
});

it.each<[string, unknown, RegExp]>([
    ["a runner that does not exist", { kind: "yarn" }, /runner\.kind = "yarn": .*vvp, vvpOperator, gateway/],
    ["no runner", undefined, /runner\.kind: is required and missing/],
    [
        "no client JARs",
        { kind: "vvp", connection, deploymentTarget: "jobs" },
        /runner\.additionalDependencies: .*or \[\]/,
    ],
    ["no gateway", { kind: "gateway" }, /2 faults in numbers:\n- runner\.url: .*\n- runner\.clusterUrl: /],
])("refuses %s at once", async (_, runner, fault) => {
    await expect(make({ runner: runner as SqlJobArgs["runner"] })).rejects.toThrow(fault);
});
