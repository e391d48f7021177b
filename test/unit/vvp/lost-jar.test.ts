import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { vvpProviders } from "../../../dynamic-providers/vvp/index.ts";
import { platformWithTarget, type SimulatedPlatform } from "./simulated-platform.ts";

/** A JAR that somebody deleted from the artifact store: told before a job is submitted, and before one that runs is stopped. */

const { vvpArtifact, vvpDeployment } = vvpProviders;
let p: SimulatedPlatform;

beforeEach(async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    p = await platformWithTarget();
});
afterEach(async () => {
    vi.restoreAllMocks();
    await p.close();
});

const upload = async (fileName: string) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lost-jar-"));
    onTestFinished(() => fs.rmSync(folder, { recursive: true }));
    const source = path.join(folder, fileName);
    fs.writeFileSync(source, fileName);
    const held = await p.up(vvpArtifact, { source, fileName });
    return { held, uri: String(held.state["uri"]) };
};

const job = (...additionalDependencies: string[]) => ({
    name: "reads",
    deploymentTarget: "t",
    engineVersion: "vera-4.5-jdk11-flink-1.20",
    sqlScript: "INSERT INTO a SELECT * FROM b",
    healthySeconds: 0,
    additionalDependencies,
});

test("a new job with a JAR that is lost is not made, and every lost one is named", async () => {
    const [kept, lost, other] = [await upload("a.jar"), await upload("b.jar"), await upload("c.jar")];
    for (const { held } of [lost, other]) await vvpArtifact.delete(held.id, held.state);
    const failure = p.up(vvpDeployment, job(kept.uri, lost.uri, other.uri));
    await expect(failure).rejects.toThrow(
        /deployment 'reads' cannot be started:\n- \S+\/b\.jar is not in the artifact store. What to do: `pulumi refresh`.*\n- \S+\/c\.jar is not/,
    );
    expect(p.calls("createDeployment")).toBe(0);
    expect(p.flink.jobIds).toEqual([]);
    await p.up(vvpDeployment, job(kept.uri));
    expect(p.flink.jobIds).toHaveLength(1);
});

test("a running job is not stopped for a change that needs a lost JAR", async () => {
    const jar = await upload("a.jar");
    const held = await p.up(vvpDeployment, job(jar.uri));
    await vvpArtifact.delete(jar.held.id, jar.held.state);
    const changed = { ...job(jar.uri), flinkConf: { "parallelism.default": "2" } };
    await expect(p.up(vvpDeployment, changed, held)).rejects.toThrow(/a\.jar is not in the artifact store/);
    expect((await p.jobs(held.id)).map(({ status }) => status)).toEqual(["RUNNING"]);
});

test("what is no artifact of the namespace, or cannot be seen, is left to the platform", async () => {
    const submitted = /FAILED: InvalidDeployment: no artifact was uploaded to/;
    const elsewhere = ["s3i://vvp/artifacts/namespaces/another/a.jar", "s3i://bucket/a.jar"];
    await expect(p.up(vvpDeployment, job(...elsewhere))).rejects.toThrow(submitted);
    expect(p.calls("getArtifactMetadata")).toBe(0);
    p.simulator.faults.failNext("getArtifactMetadata", 403, { message: "forbidden" });
    const hidden = { ...job("s3i://vvp/artifacts/namespaces/default/hidden.jar"), name: "hidden" };
    await expect(p.up(vvpDeployment, hidden)).rejects.toThrow(submitted);
});
