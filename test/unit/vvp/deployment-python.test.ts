import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { type SimulatedPlatform, simulatedPlatform } from "./simulated-platform.ts";

const { vvpArtifact, vvpDeployment, vvpDeploymentTarget } = vvpProviders;
let p: SimulatedPlatform;
let folder: string;
let wish: Record<string, unknown>;

beforeEach(async () => {
    p = await simulatedPlatform();
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "vvp-python-"));
    const upload = async (name: string) => {
        const source = path.join(folder, name);
        fs.writeFileSync(source, name);
        return (await p.up(vvpArtifact, { source })).state["uri"];
    };
    await p.up(vvpDeploymentTarget, { name: "t", kubernetesNamespace: "jobs" });
    wish = {
        name: "scores",
        deploymentTarget: "t",
        engineVersion: "vera-4.5-jdk11-flink-1.20",
        pythonUri: await upload("scores.py"),
        pythonLibraries: [await upload("library.zip")],
        entryModule: "scores",
        mainArgs: "--day today",
        healthySeconds: 0,
    };
});
afterEach(async () => {
    fs.rmSync(folder, { recursive: true, force: true });
    await p.close();
});

const body = async () =>
    ((await p.outside("GET", "/api/v2/namespaces/default/deployments")) as Record<string, unknown>[])[0];

describe("a Python deployment", () => {
    test("runs its program, and nothing changes afterwards", async () => {
        const held = await p.up(vvpDeployment, wish);
        expect(held.state["jobStatus"]).toBe("RUNNING");
        expect(p.flink.pythonRuns).toMatchObject([{ entryModule: "scores", args: ["--day", "today"] }]);
        const refreshed = await p.refresh(vvpDeployment, held);
        expect(refreshed?.state).toEqual(held.state);
        expect(await p.up(vvpDeployment, wish, refreshed)).toBe(refreshed);
        const { pythonUri: _, pythonLibraries: _l, entryModule: _m, mainArgs: _a, ...rest } = wish;
        const sql = { ...rest, sqlScript: "INSERT INTO a SELECT * FROM b" };
        expect(await p.replaces(vvpDeployment, sql, held)).toEqual(["pythonUri", "sqlScript"]);
    });

    test.each([
        [{ mainArgs: "--day tomorrow" }, { artifact: { pythonArtifact: { mainArgs: "--day tomorrow" } } }],
        [{ pythonLibraries: [] }, { artifact: { pythonArtifact: { additionalPythonLibraries: [] } } }],
        [{ labels: { team: "lake" } }, { labels: { team: "lake" } }],
        [
            { logging: { loggers: { "org.apache.fluss": "DEBUG" } } },
            { logging: { log4jLoggers: [{ loggerName: "org.apache.fluss", loggerLevel: "DEBUG" }] } },
        ],
    ])("is changed in place: %o", async (change, expected) => {
        const held = await p.up(vvpDeployment, wish);
        const changed = await p.up(vvpDeployment, { ...wish, ...change }, held);
        expect(changed.id).toBe(held.id);
        expect(await body()).toMatchObject(expected);
        expect(await p.refresh(vvpDeployment, changed)).toEqual(changed);
    });

    test.each([
        [{ sqlScript: "INSERT INTO a SELECT 1" }, "not more than one"],
        [{ pythonUri: undefined, jarUri: "s3i://b/a.jar" }, "give pythonUri"],
        [{ entryClass: "A" }, "Python has entryModule"],
        [{ logging: { loggers: { a: "LOUD" } } }, "level of log4j"],
    ])("refuses %o", async (change, reason) => {
        const { failures } = await vvpDeployment.check(undefined, {
            connection: p.connection,
            ...wish,
            ...change,
        });
        expect(failures.map((failure) => failure.reason).join("\n")).toContain(reason);
    });
});
