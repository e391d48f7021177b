import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { dialect } from "../../../dynamic-providers/vvp/dialect.ts";
import type { Definition } from "../../../dynamic-providers/vvp/domain.ts";
import { canonicalMemory } from "../../../dynamic-providers/vvp/memory.ts";

const jar: Definition = {
    name: "tiering",
    executionMode: "STREAMING",
    engineVersion: "vera-4.5-jdk11-flink-1.20",
    target: { mode: "PER_JOB", name: "target" },
    jar: { uri: "s3i://b/t.jar", mainArgs: "--a b" },
    additionalDependencies: ["s3i://b/c.jar"],
    flinkConf: { "a.b": "1" },
    parallelism: 2,
    resources: { taskManager: { cpu: 1, memory: "4Gi" } },
    labels: { team: "lake" },
    logging: { profile: "default", loggers: { "": "WARN", "org.apache.fluss": "DEBUG" }, template: "<x/>" },
};

function answerOf(definition: Definition, more: object = {}): unknown {
    return {
        deploymentId: "id-1",
        ...JSON.parse(JSON.stringify(dialect.deployment.body(definition))),
        ...more,
    };
}

test("a deployment goes out and comes back the same, JAR, SQL and Python", () => {
    expect(dialect.deployment.answer.parse(answerOf(jar)).definition).toEqual({
        ...jar,
        jar: { ...jar.jar, entryClass: undefined },
    });
    const { jar: _, ...rest } = jar;
    const sql: Definition = { ...rest, executionMode: "BATCH", sqlScript: "INSERT INTO a SELECT 1" };
    expect(dialect.deployment.answer.parse(answerOf(sql)).definition).toEqual(sql);
    const program = { uri: "s3i://b/m.py", entryModule: "m", mainArgs: "--a b" };
    const python: Definition = { ...rest, python: { ...program, libraries: ["s3i://b/l"], archives: [] } };
    expect(dialect.deployment.answer.parse(answerOf(python)).definition).toEqual(python);
});

test("the mark stands among the labels, and does not come back as one", () => {
    const body = dialect.deployment.body({ ...jar, mark: "m-1" });
    expect(body["labels"]).toEqual({ team: "lake", "pulumi-fluss-owner": "m-1" });
    const found = dialect.deployment.answer.parse(answerOf({ ...jar, mark: "m-1" }));
    expect(found).toMatchObject({ mark: "m-1", definition: { labels: { team: "lake" } } });
});

test("a result that says success is no envelope", () => {
    const result = { success: false, validationResult: { planValidation: { message: "no JAR" } } };
    expect(dialect.envelope.failedStatus(result)).toBeUndefined();
    expect(dialect.draft.deployAnswer.parse(dialect.envelope.data(result))).toEqual({
        success: false,
        deploymentId: undefined,
        reason: "no JAR",
    });
});

test("the artifact has its inner level, which the platform insists on", () => {
    expect(dialect.deployment.body(jar)["artifact"]).toMatchObject({
        kind: "JAR",
        jarArtifact: { jarUri: "s3i://b/t.jar", additionalDependencies: ["s3i://b/c.jar"] },
    });
});

test("an update keeps what people set in the console, and sends nothing that is the platform's own", () => {
    const raw = answerOf(jar, {
        labels: { team: "x" },
        deploymentHasChanged: true,
        workspace: "w",
        logging: null,
    });
    const wanted = { ...jar, flinkConf: {}, labels: undefined, logging: undefined };
    const body = dialect.deployment.update(wanted, raw as Record<string, unknown>);
    expect(body).toMatchObject({ labels: { team: "x" }, flinkConf: {} });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(["deploymentId"]));
    for (const own of ["deploymentId", "deploymentHasChanged", "workspace", "logging"])
        expect(body).not.toHaveProperty(own);
});

test("Flink options come back as text", () => {
    const answer = answerOf({ ...jar, flinkConf: {} }, { flinkConf: { a: 1, b: true, c: "x" } });
    expect(dialect.deployment.answer.parse(answer).definition.flinkConf).toEqual({
        a: "1",
        b: "true",
        c: "x",
    });
});

test("v1 writes memory with a B, v2 without", () => {
    const settings = {
        deploymentTarget: "t",
        engineVersion: "e",
        numberOfTaskManagers: 1,
        resources: { jobManager: { cpu: 1, memory: "4Gi" } },
        flinkConfiguration: {},
    };
    expect(dialect.sessionCluster.body("s", "RUNNING", settings).spec).toMatchObject({
        state: "RUNNING",
        resources: { jobmanager: { memory: "4GiB" } },
    });
    expect(dialect.deployment.body(jar)["streamingResourceSetting"]).toMatchObject({
        basicResourceSetting: { taskmanagerResourceSettingSpec: { memory: "4Gi" } },
    });
});

test.each([
    ["4GiB", "4Gi"],
    ["4 G", "4Gi"],
    ["4096m", "4Gi"],
    ["512Mi", "512Mi"],
    ["0.5Gi", "512Mi"],
    ["1024Ki", "1Mi"],
    ["a lot", "a lot"],
])("memory %s is %s", (given, canonical) => {
    expect(canonicalMemory(given)).toBe(canonical);
});

test("a result table becomes headers and rows, NULL stays null", () => {
    const parsed = dialect.sql.answer.parse({
        result: "RESULT_SUCCESS_WITH_ROWS",
        resultTable: {
            headers: [{ name: "a" }, "b"],
            rows: [{ cells: [{ value: 1 }, { value: null }] }, { cells: ["x", { value: { k: 2 } }] }],
        },
    });
    expect(parsed).toMatchObject({
        succeeded: true,
        table: {
            headers: ["a", "b"],
            rows: [
                ["1", null],
                ["x", '{"k":2}'],
            ],
        },
    });
});

test("names cannot leave their place in a path", () => {
    expect(dialect.secretValue.item("a/b", "../x")).toBe("/api/v1/namespaces/a%2Fb/secret-values/..%2Fx");
});

test("no other file of the providers names a path or a field of the platform's forms", () => {
    const providers = path.resolve(import.meta.dirname, "../../../dynamic-providers");
    const files = [
        ...fs.readdirSync(path.join(providers, "vvp"), { encoding: "utf8" }).map((name) => `vvp/${name}`),
        "flink-sql/vvp-runner.ts",
    ].filter((name) => name.endsWith(".ts") && !/\/dialect(-json|-more)?\.ts$/.test(name));
    expect(files.length).toBeGreaterThan(30);
    // What follows "/" stands in paths, the words are fields that are ours nowhere.
    const theirs =
        /\/api\/v\d|\/apitokens\/|\/artifacts\/v|\bcurrentJobStatus\b|\bjarArtifact\b|\bsqlArtifact\b|\brestoreStrategy\b|\bstopStrategy\b|\bversionName\b|\bpresignedUrl|\bpageIndex\b|\berrorMessage\b/;
    const found = files.flatMap((name) =>
        fs
            .readFileSync(path.join(providers, name), "utf8")
            .split("\n")
            .filter((line) => theirs.test(line) && !/^\s*(\*|\/\/|\/\*)/.test(line))
            .map((line) => `${name}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
});
