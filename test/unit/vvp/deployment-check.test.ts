import { afterEach, expect, test, vi } from "vitest";
import { hosted } from "../../../dynamic-providers/resource.ts";
import { unknown } from "../../../dynamic-providers/unknown.ts";
import { deployment } from "../../../dynamic-providers/vvp/deployment.ts";

afterEach(() => vi.restoreAllMocks());

const provider = hosted(deployment);
const good = {
    connection: { url: "http://127.0.0.1:1" },
    name: "tiering",
    deploymentTarget: "target",
    engineVersion: "vera-4.5-jdk11-flink-1.20",
    jarUri: "s3i://b/t.jar",
};
const reasons = async (change: object) =>
    (await provider.check(undefined, { ...good, ...change })).failures.map(({ reason }) => reason).join("\n");

test("the defaults are filled in", async () => {
    const { inputs, failures } = await provider.check(undefined, good);
    expect(failures).toEqual([]);
    expect(inputs).toMatchObject({
        state: "RUNNING",
        restart: "WITH_STATE",
        executionMode: "STREAMING",
        flinkConf: {},
    });
});

test.each([
    [{ sqlScript: "INSERT INTO a SELECT 1" }, "either jarUri or sqlScript"],
    [{ jarUri: undefined }, "either jarUri or sqlScript"],
    [{ sessionCluster: "s" }, "either deploymentTarget or sessionCluster"],
    [{ jarUri: undefined, sqlScript: "INSERT INTO a SELECT 1", entryClass: "A" }, "belong to a JAR"],
    [{ mainArgs: "--a b\n--c d" }, "one line"],
    [{ engineVersion: "vera-5" }, "not the name of a VERA engine"],
    [
        { deploymentTarget: undefined, sessionCluster: "s", engineVersion: "vera-4.5-jdk17-flink-1.20" },
        "jdk17",
    ],
    [{ name: "no blanks" }, 'at most 128 of them; it is "no blanks"'],
    [{ resources: { taskManager: { cpu: 1, memory: "lots" } } }, "amount of memory"],
    [{ jarURI: "x" }, "jarURI: there is no such argument. Did you mean jarUri?"],
    [
        { flinkConfiguration: { a: "b" } },
        "flinkConfiguration: there is no such argument. Did you mean flinkConf?",
    ],
    [
        { flinkConfiguration: {}, name: unknown },
        "flinkConfiguration: there is no such argument. Did you mean flinkConf?",
    ],
    [{ colour: "red" }, "colour: there is no such argument"],
])("refuses %o", async (change, reason) => {
    expect(await reasons(change)).toContain(reason);
});

test("a script that is no job is refused, without its text, which may hold secrets; an unknown one is waited for", async () => {
    const script = "CREATE TABLE t (a INT) WITH ('password' = 'hush')";
    const told = await reasons({ jarUri: undefined, sqlScript: script });
    expect(told).toMatch(/sqlScript: no statement of it starts a job\. Say with INSERT INTO/);
    expect(told).not.toContain("hush");
    expect(await reasons({ jarUri: undefined, sqlScript: unknown })).toBe("");
});

test("a jdk17 engine is fine for a job with a cluster of its own", async () => {
    expect(await reasons({ engineVersion: "vera-4.5-jdk17-flink-1.20" })).toBe("");
});

test("what is unknown in a preview is neither refused nor taken as missing", async () => {
    expect(
        await reasons({ jarUri: unknown, mainArgs: unknown, engineVersion: unknown, connection: unknown }),
    ).toBe("");
});

test("arguments over the documented length are a warning", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    expect(await reasons({ mainArgs: "x".repeat(1024) })).toBe("");
    expect(warn).not.toHaveBeenCalled();
    expect(await reasons({ mainArgs: "x".repeat(1025) })).toBe("");
    expect(warn).toHaveBeenCalledWith(expect.stringContaining("has 1025 characters"));
});

test("a JAR that becomes a script is another deployment, another JAR is a change", async () => {
    const olds = (await provider.check(undefined, good)).inputs;
    const script = { ...olds, jarUri: undefined, sqlScript: "INSERT INTO a SELECT 1" };
    const running = { ...olds, jobStatus: "RUNNING" };
    expect((await provider.diff("id", running, script)).replaces).toEqual(["jarUri", "sqlScript"]);
    expect(await provider.diff("id", running, { ...olds, jarUri: unknown })).toMatchObject({
        changes: true,
        replaces: [],
    });
    expect(await provider.diff("id", running, { ...olds, healthySeconds: 99 })).toMatchObject({
        changes: false,
    });
});

test.each([
    ["RUNNING", "RUNNING", false],
    ["RUNNING", "FINISHED", false],
    ["RUNNING", "FAILED", true],
    ["RUNNING", "CANCELLED", true],
    ["RUNNING", "NOT_STARTED", true],
    ["CANCELLED", "RUNNING", true],
    ["CANCELLED", "FAILED", false],
    ["CANCELLED", "NOT_STARTED", false],
])("wanted %s and seen %s: an update is needed: %s", async (state, jobStatus, changes) => {
    const inputs = (await provider.check(undefined, { ...good, state })).inputs;
    expect((await provider.diff("id", { ...inputs, jobStatus }, inputs)).changes).toBe(changes);
});
