import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
    VvpDeployment,
    type VvpDeploymentArgs,
    VvpDeploymentTarget,
} from "../../dynamic-providers/vvp/resources.ts";
import { engineVersion, vvpWorkspace, type Workspace } from "./vvp-platform.ts";

/** Hundred deployments in one stack: what a run costs the platform, and what each changed field does. */

const v2 = "/api/v2/namespaces/default";
let w: Workspace;

type Given = Omit<VvpDeploymentArgs, "connection">;
const changes: Partial<Given>[] = Array.from({ length: 100 }, () => ({}));

const argsOf = (n: number): Given => ({
    name: `job-${n}`,
    deploymentTarget: "t",
    engineVersion,
    jarUri: "s3i://bucket/a.jar",
    mainArgs: "--a b",
    parallelism: 1,
    resources: { taskManager: { cpu: 1, memory: "2Gi" } },
    labels: { team: "lake" },
    logging: { loggers: { "": "INFO" } },
    state: "CANCELLED",
    ...changes[n],
});

/** One field each, and what the platform must have afterwards otherwise than before: nothing else. */
const fields: [change: Partial<Given>, path: string, value: unknown][] = [
    [{ deploymentTarget: "t2" }, "deploymentTarget", { mode: "PER_JOB", name: "t2" }],
    [{ engineVersion: "vera-4.5-jdk17-flink-1.20" }, "engineVersion", "vera-4.5-jdk17-flink-1.20"],
    [{ jarUri: "s3i://bucket/b.jar" }, "artifact.jarArtifact.jarUri", "s3i://bucket/b.jar"],
    [{ entryClass: "org.example.Other" }, "artifact.jarArtifact.entryClass", "org.example.Other"],
    [{ mainArgs: "--a c" }, "artifact.jarArtifact.mainArgs", "--a c"],
    [
        { additionalDependencies: ["s3i://bucket/c.jar"] },
        "artifact.jarArtifact.additionalDependencies",
        ["s3i://bucket/c.jar"],
    ],
    [{ flinkConf: { a: "1" } }, "flinkConf", { a: "1" }],
    [{ parallelism: 3 }, "streamingResourceSetting.basicResourceSetting.parallelism", 3],
    [
        { resources: { taskManager: { cpu: 2, memory: "2Gi" } } },
        "streamingResourceSetting.basicResourceSetting.taskmanagerResourceSettingSpec.cpu",
        2,
    ],
    [{ labels: { team: "sea" } }, "labels.team", "sea"],
    [
        { logging: { loggers: { "": "DEBUG" } } },
        "logging.log4jLoggers",
        [{ loggerName: "", loggerLevel: "DEBUG" }],
    ],
];

type Bag = Record<string, unknown>;
const volatile = ["modifiedAt", "modifier", "modifierName", "resourceVersion", "deploymentHasChanged"];

/** Every deployment by name, with the parts that change on their own left out. */
const stored = async (): Promise<Record<string, Bag>> => {
    const all = (await w.outside("GET", `${v2}/deployments?pageSize=100`)) as unknown as Bag[];
    return Object.fromEntries(
        all.map((one) => [
            String(one["name"]),
            Object.fromEntries(Object.entries(one).filter(([key]) => !volatile.includes(key))),
        ]),
    );
};
const at = (bag: unknown, path: string): unknown =>
    path.split(".").reduce<unknown>((value, key) => (value as Bag | undefined)?.[key], bag);

const writes = (from: number) =>
    w.platform.requests.slice(from).filter(({ method }) => method !== "GET").length;
const lists = (from: number) =>
    w.platform.requests.slice(from).filter(({ operationId }) => operationId === "listDeployments").length;

beforeAll(async () => {
    w = await vvpWorkspace((connection) => {
        const target = (name: string) =>
            new VvpDeploymentTarget(name, { connection, name, kubernetesNamespace: "jobs" });
        const dependsOn = [target("t"), target("t2")];
        for (let n = 0; n < changes.length; n++) {
            new VvpDeployment(`job-${n}`, { connection, ...argsOf(n) }, { dependsOn });
        }
        return {};
    });
});
afterAll(() => w.dispose());

describe("hundred deployments", () => {
    test("are made with one write each, and the list is read once", async () => {
        expect((await w.stack.up()).changes).toEqual({ create: 103 });
        expect(w.calls("createDeployment")).toBe(100);
        expect(writes(0)).toBe(102);
        // One look, in two pages: the page that is full may not be the last one.
        expect(lists(0)).toBeLessThanOrEqual(2);
        expect(Object.keys(await stored())).toHaveLength(100);
    });

    test("a run without a change makes no call at all; a refresh writes nothing and lists no deployments", async () => {
        const before = w.platform.requests.length;
        expect((await w.stack.up()).changes).toEqual({ same: 103 });
        expect(w.platform.requests.length).toBe(before);
        expect((await w.stack.refresh()).changes).toEqual({ same: 103 });
        expect([writes(before), lists(before)]).toEqual([0, 0]);
    });

    test("a changed field changes that field, and nothing else of the deployment", async () => {
        const before = await stored();
        fields.forEach(([change], n) => {
            changes[n] = change;
        });
        const from = w.platform.requests.length;
        expect((await w.stack.up()).changes).toEqual({ update: fields.length, same: 103 - fields.length });
        expect(writes(from)).toBe(fields.length);
        const after = await stored();
        for (const [n, [, path, value]] of fields.entries()) {
            const name = `job-${n}`;
            expect(at(after[name], path), path).toEqual(value);
            const touched = Object.keys(after[name] ?? {}).filter(
                (key) => !isDeepStrictEqual(after[name]?.[key], before[name]?.[key]),
            );
            expect(touched, name).toEqual([path.split(".")[0]]);
        }
        expect(after["job-50"]).toEqual(before["job-50"]);
        expect((await w.stack.up()).changes).toEqual({ same: 103 });
    });

    test("a name or a kind that changes makes a new one in its place; another fields of the run says nothing to the platform", async () => {
        changes[20] = { name: "renamed" };
        changes[21] = { jarUri: undefined, mainArgs: undefined, sqlScript: "INSERT INTO a SELECT 1" };
        changes[22] = { executionMode: "BATCH" };
        changes[23] = { restart: "NEVER", healthySeconds: 1, timeoutSeconds: 20, adopt: true };
        const from = w.platform.requests.length;
        expect((await w.stack.up()).changes).toMatchObject({ replace: 3 });
        const after = await stored();
        expect(Object.keys(after)).toHaveLength(100);
        expect(after).not.toHaveProperty("job-20");
        expect(after["renamed"]).toBeDefined();
        expect(after["job-21"]).toMatchObject({ artifact: { kind: "SQLSCRIPT" } });
        expect(after["job-22"]).toMatchObject({ executionMode: "BATCH" });
        expect(writes(from)).toBe(6);
        expect(lists(from)).toBeLessThanOrEqual(2);
    });

    test("all are deleted, before their targets", async () => {
        const from = w.platform.requests.length;
        await w.stack.destroy();
        expect(await stored()).toEqual({});
        const deletes = w.platform.requests.slice(from).filter(({ method }) => method === "DELETE");
        expect(deletes.map(({ operationId }) => operationId).indexOf("deleteDeploymentTarget")).toBe(100);
        expect(w.platform.violations).toEqual([]);
    });
});
