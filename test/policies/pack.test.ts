import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { StreamingLakehouse } from "../../components/streaming-lakehouse.ts";
import {
    VvpDeployment,
    VvpDeploymentTarget,
    VvpSecretValue,
    VvpSessionCluster,
    VvpSqlScript,
} from "../../dynamic-providers/vvp/resources.ts";
import { rules } from "../../policies/index.ts";
import { accounts, trades } from "../../stacks/quickstart-tables.ts";
import { type TestStack, testStack } from "../engine/engine.ts";
import { engineVersion, vvpWorkspace } from "../engine/vvp-platform.ts";
import { jarsFolder } from "../unit/components/jars.ts";

const policyPacks = [path.resolve("policy-pack/run")];
/** A preview calls nobody. */
const connection = { url: "https://127.0.0.1:9" };
let program = () => {};
let stack: TestStack;

beforeAll(async () => {
    stack = await testStack({
        program: async () => {
            program();
        },
        standIns: true,
        config: { "pulumi-fluss:vvpToken": { value: "4711-of-the-platform", secret: true } },
        env: { VV_API_TOKEN: "" },
    });
});
afterAll(() => stack?.dispose());

test("the quickstart keeps every rule in a preview of the real engine, with what that does not know yet", async () => {
    const jars = jarsFolder();
    program = () => void lakehouse(jars);
    const { stdout, changes } = await stack.preview({ policyPacks });
    expect(changes["create"]).toBeGreaterThan(30);
    expect(told(stdout)).toEqual([]);
});

test("the real engine shows what each of several rules finds, and those that are mandatory stop it", async () => {
    program = () => {
        const session = { connection, deploymentTarget: "target", engineVersion };
        new VvpSessionCluster("kept", { ...session, name: "kept", keepRunning: true });
        const job = { connection, deploymentTarget: "target", engineVersion, jarUri: "s3i://a/desk.jar" };
        new VvpDeployment("job", { ...job, name: "Job", mainArgs: "--datalake.iceberg.token hush-9921" });
        new aws.s3.Bucket("archive", { bucket: "acme.archive" });
    };
    const failure = await stack.preview({ policyPacks }).then(
        () => undefined,
        (error) => String(error.cause ?? error),
    );
    expect(told(failure ?? "")).toEqual([
        "bucket-encryption",
        "bucket-name-dots",
        "bucket-public-access",
        "bucket-tls-only",
        "data-is-protected",
        "no-secret-in-job",
        "platform-names",
        "session-cluster-idles",
        "session-cluster-size",
    ]);
    expect(failure).toContain(
        "job: datalake.iceberg.token is given in clear. On the platform make a VvpSecretValue",
    );
    expect(failure).not.toContain("hush-9921");
});

test("the pack starts in a project that has TypeScript 7, which Pulumi's runner cannot load", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "policy-typescript-"));
    const newer = path.join(folder, "newer.cjs");
    const typescript7 = JSON.stringify(path.resolve("node_modules/typescript-7/lib/version.cjs"));
    fs.writeFileSync(
        newer,
        `const modules = require("node:module");
        const resolve = modules._resolveFilename;
        modules._resolveFilename = function (name, ...more) {
            return resolve.call(this, name === "typescript" ? ${typescript7} : name, ...more);
        };`,
    );
    const env = { ...process.env, NODE_OPTIONS: `--require ${newer}` };
    // It says where it listens before it talks to the engine.
    const pack = spawn(policyPacks[0]!, ["127.0.0.1:1"], { env, stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(pack.stdout, "data")) as [Buffer];
    pack.kill();
    fs.rmSync(folder, { recursive: true, force: true });
    expect(line.toString()).toMatch(/^\d+\n$/);
});

test("a configuration changes levels and settings of rules, and turns a remedy on", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "policy-config-"));
    const file = path.join(folder, "config.json");
    fs.writeFileSync(
        file,
        JSON.stringify({
            "session-cluster-idles": "disabled",
            "session-cluster-count": { maximum: 2 },
            "session-cluster-size-remedy": "remediate",
        }),
    );
    program = () => {
        const session = { connection, deploymentTarget: "target", engineVersion, keepRunning: true };
        new VvpSessionCluster("big", { ...session, name: "big", numberOfTaskManagers: 3 });
    };
    const { stdout } = await stack.preview({ policyPacks, policyPackConfigs: [file] });
    fs.rmSync(folder, { recursive: true });
    expect(told(stdout)).toEqual(["session-cluster-count", "session-cluster-size-remedy"]);
    expect(stdout).toContain("big: has 3 TaskManagers");
});

test("an update looks again, at what the resources became", async () => {
    const platform = await vvpWorkspace((connection) => {
        const target = new VvpDeploymentTarget("target", {
            connection,
            name: "desk-target",
            kubernetesNamespace: "jobs",
        });
        new VvpSessionCluster("session", {
            connection,
            name: "desk-session",
            deploymentTarget: target.name,
            engineVersion,
            state: "STOPPED",
            numberOfTaskManagers: 6,
            flinkConfiguration: {
                "taskmanager.memory.jvm-metaspace.size": "512m",
                "taskmanager.numberOfTaskSlots": "16",
            },
        });
        new VvpSecretValue("password", { connection, name: "fluss-password", value: "kZ4vQp81" });
        new VvpSqlScript("look", { connection, engineVersion, statements: ["SHOW CATALOGS"] });
        return {};
    });
    const { stdout, changes } = await platform.stack.up({ policyPacks });
    await platform.dispose();
    expect(changes["create"]).toBe(5);
    expect(told(stdout)).toEqual(["session-cluster-count"]);
    expect(stdout).not.toContain("kZ4vQp81");
});

/** Names of the policies that said something. */
function told(output: string): string[] {
    const names = rules.flatMap(({ id }) => [`${id}-remedy`, id]);
    const found = [...output.matchAll(/\[(?:advisory|mandatory|remediate)\]\s+(\S+)/g)].map(
        ([, name]) => name!,
    );
    expect(names).toEqual(expect.arrayContaining(found));
    return [...new Set(found)].sort();
}

function lakehouse(jars: string) {
    const provider = new aws.Provider("aws", {
        region: "eu-central-1",
        accessKey: "key",
        secretKey: "secret",
        skipCredentialsValidation: true,
        skipRequestingAccountId: true,
    });
    return new StreamingLakehouse(
        "desk",
        {
            buckets: { region: "eu-central-1" },
            lakekeeper: { url: "http://localhost:8181", token: pulumi.secret("client-token") },
            fluss: {
                existing: {
                    bootstrapServers: "coordinator:9124",
                    clientUsername: "fluss-client",
                    clientPassword: pulumi.secret("kZ4vQp81"),
                },
            },
            flussVersion: "1.0.0-vv-3",
            vvp: { connection, jobNamespace: "vvp-jobs" },
            jars,
            tables: [accounts, trades],
        },
        { providers: { aws: provider } },
    );
}
