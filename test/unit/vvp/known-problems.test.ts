import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { hosted } from "../../../dynamic-providers/resource.ts";
import { deployment } from "../../../dynamic-providers/vvp/deployment.ts";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { sessionCluster } from "../../../dynamic-providers/vvp/session-cluster.ts";
import { engineRules, tieredCluster } from "../../../model/engine-rules.ts";
import { parse } from "../../../model/faults.ts";
import { serverOptions } from "../../../model/fluss-config.ts";
import { lakeSchema } from "../../../model/lake.ts";
import { type PlanContext, plan } from "../../../model/plan.ts";
import { tieringFlinkConfiguration } from "../../../model/tiering.ts";
import { lakeInput } from "../model/fixtures/quickstart.ts";
import { accounts, trades } from "../model-table/tables.ts";
import { type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

/**
 * Problems that users of the platform, or of its like, reported in public, and what is done about each. Their numbers, P1 to
 * P24, are those of the project's notes on the platform; `known-problems-run.test.ts` has those of running jobs.
 */

const engineVersion = "vera-4.5-jdk11-flink-1.20";
const uri = (name: string) => `s3i://vvp/artifacts/namespaces/default/${name}`;
let warnings: string[];

beforeEach(() => {
    warnings = [];
    vi.spyOn(console, "warn").mockImplementation((line: unknown) => void warnings.push(String(line)));
});
afterEach(() => vi.restoreAllMocks());

describe("seen in the preview", () => {
    const job = {
        connection: { url: "http://127.0.0.1:1" },
        name: "tiering",
        deploymentTarget: "t",
        engineVersion,
        jarUri: uri("fluss-flink-tiering-1.0.0-vv-3-0a1b2c3d.jar"),
        additionalDependencies: [uri("fluss-fs-s3-0.9.1-vv-1.jar"), uri("fluss-lake-iceberg-1.0.0-vv-3.jar")],
    };
    const faults = async (change: object) =>
        (await hosted(deployment).check(undefined, { ...job, ...change })).failures
            .map(({ reason }) => reason)
            .join("\n");

    test("P19: NoSuchMethodError getEnumSet: the S3 file system of 1.0.0-vv-3 on jdk11 is refused with the one to take", async () => {
        expect(await faults({})).toBe("");
        const broken = { additionalDependencies: [uri("fluss-fs-s3-1.0.0-vv-3-11223344.jar")] };
        expect(await faults(broken)).toMatch(/getEnumSet.*fluss-fs-s3-0\.9\.1-vv-1\.jar/);
        expect(await faults({ ...broken, engineVersion: "vera-4.5-jdk17-flink-1.20" })).toBe("");
    });

    test("P19: No LakeStoragePlugin available: a tiering job or a lake query without lake JARs is warned of", async () => {
        await faults({});
        expect(warnings).toEqual([]);
        await faults({ additionalDependencies: [uri("fluss-fs-s3-0.9.1-vv-1.jar")] });
        expect(warnings.join()).toMatch(/no lake JAR.*No LakeStoragePlugin available/);
        const query = { sqlScript: "INSERT INTO a SELECT * FROM f.d.t$lake" };
        expect(engineRules(query).warnings).toHaveLength(1);
        expect(engineRules({ sqlScript: "INSERT INTO a SELECT * FROM f.d.lake" }).warnings).toEqual([]);
    });

    test("P14 (apache/iceberg#3776): metaspace and slots of a session cluster: the platform's defaults are warned of, the quickstart's are not", async () => {
        const session = { connection: job.connection, name: "s", deploymentTarget: "t", engineVersion };
        await hosted(sessionCluster).check(undefined, session);
        expect(warnings.join()).toMatch(/jvm-metaspace\.size to 512m.*numberOfTaskSlots to 16/s);
        warnings = [];
        const flinkConfiguration = {
            "taskmanager.memory.jvm-metaspace.size": "1g",
            "taskmanager.numberOfTaskSlots": "16",
        };
        await hosted(sessionCluster).check(undefined, { ...session, flinkConfiguration });
        expect(warnings).toEqual([]);
    });

    test("metaspace and slots of a session cluster that Flink cannot read are errors, and no warnings", async () => {
        const session = { connection: job.connection, name: "s", deploymentTarget: "t", engineVersion };
        const flinkConfiguration = {
            "taskmanager.memory.jvm-metaspace.size": "lots",
            "taskmanager.numberOfTaskSlots": "many",
        };
        const { failures } = await hosted(sessionCluster).check(undefined, {
            ...session,
            flinkConfiguration,
        });
        expect(failures.map(({ reason }) => reason).join("\n")).toMatch(
            /metaspace\.size"\] = "lots": takes a size.*like 512m.*numberOfTaskSlots"\] = "many": takes .*integer.*like 16/s,
        );
        expect(warnings).toEqual([]);
    });

    test("P1 (apache/fluss#3681): a tiering job of 0.9 without a restart strategy is warned of; 1.0 has its own", async () => {
        const old = { jarUri: uri("fluss-flink-tiering-0.9.1-vv-2.jar") };
        await faults(old);
        expect(warnings.join()).toMatch(/first passing error ends it for good.*exponential-delay/s);
        warnings = [];
        await faults({ ...old, flinkConf: { "restart-strategy.type": "exponential-delay" } });
        await faults({ ...old, flinkConf: { "execution.checkpointing.interval": "30s" } });
        await faults({});
        expect(warnings).toEqual([]);
        const lake = parse(lakeSchema, lakeInput, "lake");
        expect(tieringFlinkConfiguration(lake, "0.9")).toHaveProperty(
            ["restart-strategy.type"],
            "exponential-delay",
        );
    });

    test("P19: a session cluster on a jdk17 engine is refused with the engine to take", async () => {
        const engine = "vera-4.5-jdk17-flink-1.20";
        const session = {
            connection: job.connection,
            name: "s",
            deploymentTarget: "t",
            engineVersion: engine,
        };
        const { failures } = await hosted(sessionCluster).check(undefined, session);
        expect(failures.map(({ reason }) => reason).join()).toMatch(/jdk17.*jdk11/s);
    });

    test("P6 (apache/fluss#2422, #2084): freshness changes in place, and a table made before the lake does not enter it", () => {
        const context: PlanContext = { server: "1.0", lake: "iceberg", catalog: "c" };
        const fresher = { ...trades, options: { ...trades.options, "table.datalake.freshness": "5s" } };
        expect(plan(trades, fresher, context).kind).toBe("alter");
        const before = { ...accounts, options: {} };
        const into = { ...accounts, options: { "table.datalake.enabled": "true" } };
        const refused = plan(before, into, { ...context, withoutLake: true });
        expect(JSON.stringify(refused)).toMatch(/"kind":"refuse".*made before the cluster had one/);
    });

    test("P24 (apache/fluss PR 3424): servers without keys for S3 are refused, since they find none of the machine's", () => {
        const remote = { type: "s3", bucket: "remote", region: "eu-central-1", prefix: "fluss" } as const;
        expect(() => serverOptions({ version: "1.0", remote }, "env")).toThrow(
            /accessKey.*finds no keys of the machine or the pod by itself/s,
        );
    });

    test("P11 (terraform-provider-confluent PR 1172): the token is in no input, so that a rotated one is no change", async () => {
        const { inputs } = await hosted(deployment).check(undefined, job);
        expect(JSON.stringify(inputs)).not.toMatch(/token/i);
    });
});

describe("seen on the platform, before anything is made", () => {
    let p: SimulatedPlatform;
    let folder: string;
    let wish: Record<string, unknown>;
    const { vvpArtifact, vvpDeployment, vvpDeploymentTarget, vvpSecretValue } = vvpProviders;

    beforeEach(async () => {
        p = await simulatedPlatform();
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "vvp-known-"));
        const source = path.join(folder, "fluss-flink-tiering-1.0.jar");
        fs.writeFileSync(source, "jar");
        await p.up(vvpDeploymentTarget, { name: "t", kubernetesNamespace: "jobs" });
        wish = {
            name: "tiering",
            deploymentTarget: "t",
            engineVersion,
            jarUri: (await p.up(vvpArtifact, { source })).state["uri"],
            mainArgs: "--fluss.bootstrap.servers b:1,a:1 --datalake.format iceberg",
            healthySeconds: 0,
        };
    });
    afterEach(async () => {
        fs.rmSync(folder, { recursive: true });
        await p.close();
    });

    test("P20: an unknown secret value is told by its name, and no job is started", async () => {
        const mainArgs = "--password ${secret_values.fluss-password} --key ${secret_values.other}";
        await p.up(vvpSecretValue, { name: "other", value: "hush" });
        const error = await p.up(vvpDeployment, { ...wish, mainArgs }).catch((caught: Error) => caught);
        expect(String(error)).toMatch(/secret_values\.fluss-password.*VvpSecretValue/);
        expect(String(error)).not.toContain("secret_values.other");
        expect([p.calls("createDeployment"), p.calls("startJob")]).toEqual([0, 0]);
        await p.up(vvpDeployment, { ...wish, mainArgs, state: "CANCELLED" });
        expect(p.calls("startJob")).toBe(0);
    });

    test("P4 (apache/fluss#2648): a second tiering job of a cluster is refused while the first one runs", async () => {
        const first = await p.up(vvpDeployment, wish);
        const second = { ...wish, name: "again", mainArgs: "--fluss.bootstrap.servers a:1,b:1" };
        await expect(p.up(vvpDeployment, second)).rejects.toThrow(
            /'tiering' \(.*\) tiers cluster a:1,b:1 already/,
        );
        await p.up(vvpDeployment, { ...wish, name: "c", mainArgs: "--fluss.bootstrap.servers c:1" });
        await p.up(vvpDeployment, { ...wish, state: "CANCELLED" }, first);
        await p.up(vvpDeployment, second);
        expect(p.calls("startJob")).toBe(3);
    });

    test("P9 (terraform-provider-confluent#695): a deployment that is created stopped starts nothing", async () => {
        const held = await p.up(vvpDeployment, { ...wish, state: "CANCELLED" });
        expect(held.state).toMatchObject({ jobStatus: "NOT_STARTED", jobId: "" });
        expect((await p.up(vvpDeployment, wish, held)).state["jobStatus"]).toBe("RUNNING");
    });
});

test("the tiered cluster is known by its servers, in whatever order they stand", () => {
    const jar = "s3i://b/fluss-flink-tiering-0.9.1-abc.jar";
    expect(tieredCluster(jar, "--x y --fluss.bootstrap.servers b:2,a:1 --z")).toBe("a:1,b:2");
    expect(tieredCluster("s3i://b/other.jar", "--fluss.bootstrap.servers a:1")).toBeUndefined();
});
