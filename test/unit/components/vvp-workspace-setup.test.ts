import path from "node:path";
import { describe, expect, it } from "vitest";
import { VvpWorkspaceSetup, type VvpWorkspaceSetupArgs } from "../../../components/vvp-workspace-setup.ts";
import { writeJarList } from "../../../dynamic-providers/client-jars/jar-list.ts";
import { build, misplaced, resolved } from "./harness.ts";
import { clientUris, installed, jarsFolder, uploaded } from "./jars.ts";

const connection = { url: "https://vvp.example.com", workspace: "defaultworkspace", namespace: "default" };
const setup = { release: "1.0.0-vv-3", catalog: "rest", storage: "s3" } as const;

const make = (args: Partial<VvpWorkspaceSetupArgs> = {}, preview = false) => {
    const jars = args.jars ?? { from: jarsFolder(), setup };
    return build(
        preview,
        (opts) =>
            new VvpWorkspaceSetup(
                "desk",
                { connection, jobNamespace: "vvp-jobs", secretValues, ...args, jars },
                opts,
            ),
    );
};

const secretValues = { "fluss-password": "sesame", "fluss-iceberg-token": "client-token" };

describe.each([true, false])("VvpWorkspaceSetup, preview %s", (preview) => {
    it("makes target, session cluster, secret values and an artifact for each JAR", async () => {
        const { made, completed } = await make({}, preview);
        expect([...made.values()].map(({ type, name }) => [type, name])).toEqual([
            ["fluss:index:VvpWorkspaceSetup", "desk"],
            ["pulumi-nodejs:dynamic/vvp:DeploymentTarget", "desk-target"],
            ["pulumi-nodejs:dynamic/vvp:SessionCluster", "desk-session"],
            ["pulumi-nodejs:dynamic/vvp:SecretValue", "desk-secret-fluss-password"],
            ["pulumi-nodejs:dynamic/vvp:SecretValue", "desk-secret-fluss-iceberg-token"],
            ...uploaded.map((file) => ["pulumi-nodejs:dynamic/vvp:Artifact", `desk-jar-${file}`]),
        ]);
        expect(misplaced(made, "desk")).toEqual([]);
        expect(completed).toEqual(["desk"]);
    });

    it("names every JAR that is missing", async () => {
        const from = jarsFolder(installed.filter((file) => !/tiering|iceberg-flink/.test(file)));
        const failure = make({ jars: { from, setup } }, preview);
        await expect(failure).rejects.toThrow(/2 faults in the client JARs/);
        await expect(failure).rejects.toThrow(/tiering service of version 1\.0\.0-vv-3 is missing/);
        await expect(failure).rejects.toThrow(/Iceberg for Flink 1\.20 is missing/);
    });

    it("takes a folder's list in the place of JARs that are not there", async () => {
        const from = jarsFolder([]);
        const listed = uploaded.map((file) => ({
            file,
            sha256: "0".repeat(64),
            size: 1,
            from: { url: `https://maven.example.com/${file}` },
        }));
        writeJarList(from, { setup, jars: listed });
        const { made } = await make({ jars: { from, setup } }, preview);
        const artifacts = [...made.values()].filter(({ type }) => type.endsWith("vvp:Artifact"));
        const jarList = path.join(from, "client-jars.json");
        expect(
            artifacts.map(({ inputs }) => [inputs["fileName"], inputs["source"], inputs["jarList"]]),
        ).toEqual(uploaded.map((file) => [file, path.join(from, file), jarList]));
        writeJarList(from, { setup, jars: listed.slice(1) });
        await expect(make({ jars: { from, setup } }, preview)).rejects.toThrow(
            /tiering service of version 1\.0\.0-vv-3 is missing/,
        );
    });

    it("says so when the folder is not there", async () => {
        const from = path.join(jarsFolder([]), "nowhere");
        await expect(make({ jars: { from, setup } }, preview)).rejects.toThrow(
            `the folder of the client JARs, ${from}, does not exist`,
        );
    });
});

describe("what it makes", () => {
    it("is the quickstart's, by default", async () => {
        const { made } = await make();
        expect(made.get("desk-target")?.inputs).toMatchObject({
            connection,
            name: "fluss-quickstart-target",
            kubernetesNamespace: "vvp-jobs",
        });
        expect(made.get("desk-session")?.inputs).toMatchObject({
            connection,
            name: "fluss-quickstart-session",
            deploymentTarget: "fluss-quickstart-target",
            engineVersion: "vera-4.5-jdk11-flink-1.20",
            flinkConfiguration: {
                "taskmanager.memory.jvm-metaspace.size": "512m",
                "taskmanager.numberOfTaskSlots": "16",
            },
        });
    });

    it("takes names, engine, options and adoption as given", async () => {
        const { component, made } = await make({
            deploymentTarget: "desk-target",
            engineVersion: "vera-4.4-jdk11-flink-1.20",
            sessionCluster: { name: "desk-session", keepRunning: true, flinkConfiguration: { a: "b" } },
            adopt: true,
        });
        expect(made.get("desk-session")?.inputs).toMatchObject({
            name: "desk-session",
            deploymentTarget: "desk-target",
            engineVersion: "vera-4.4-jdk11-flink-1.20",
            keepRunning: true,
            flinkConfiguration: { a: "b" },
        });
        expect(await resolved(component.deploymentTarget)).toBe("desk-target");
        const taken = [...made.values()].filter(({ name }) => name !== "desk");
        expect(taken.filter(({ inputs }) => inputs.adopt !== true)).toEqual([]);
    });

    it("leaves the session cluster out when told", async () => {
        const { component, made } = await make({ sessionCluster: false });
        expect(made.has("desk-session")).toBe(false);
        expect(component.sessionCluster).toBeUndefined();
    });
});

describe("secret values", () => {
    it("go to the engine as secrets, and nothing else holds them", async () => {
        const { component, made } = await make();
        expect(component.secretValues).toHaveLength(2);
        const secret = made.get("desk-secret-fluss-password");
        expect(secret?.inputs).toMatchObject({ connection, name: "fluss-password", value: "sesame" });
        expect(secret?.secrets).toEqual(["value"]);
        expect(secret?.secretOutputs).toContain("value");
        const others = [...made.values()].filter(({ type }) => !type.endsWith(":SecretValue"));
        expect(JSON.stringify(others)).not.toMatch(/sesame|client-token/);
    });

    it("restart their jobs when the component is told so, and else do not say", async () => {
        const ofEach = async (args: object) => {
            const { made } = await make(args);
            return Object.keys(secretValues).map(
                (key) => made.get(`desk-secret-${key}`)?.inputs["restartJobs"],
            );
        };
        expect(await ofEach({ restartJobs: "WITH_STATE" })).toEqual(["WITH_STATE", "WITH_STATE"]);
        expect(await ofEach({})).toEqual([undefined, undefined]);
    });
});

describe("JARs", () => {
    it("keep their names, come from where they are, and their URIs stand in class path order", async () => {
        const from = jarsFolder();
        const { component, made } = await make({ jars: { from, setup } });
        expect(made.get("desk-jar-fluss-fs-s3-0.9.1-vv-1.jar")?.inputs).toMatchObject({
            fileName: "fluss-fs-s3-0.9.1-vv-1.jar",
            source: path.join(from, "fs-s3/fluss-fs-s3-0.9.1-vv-1.jar"),
        });
        expect(await resolved(component.tieringJarUri)).toBe(
            "s3i://artifacts/fluss-flink-tiering-1.0.0-vv-3.jar",
        );
        expect(await resolved(component.clientJarUris)).toEqual(clientUris);
    });

    it("can be given file by file", async () => {
        const from = jarsFolder();
        const files = installed.map((file) => path.join(from, file));
        const { component } = await make({ jars: { from: files, setup } });
        expect(await resolved(component.clientJarUris)).toEqual(clientUris);
    });
});
