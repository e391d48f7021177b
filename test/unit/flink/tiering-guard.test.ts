import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { flinkProviders } from "../../../dynamic-providers/flink/index.ts";
import { type StubFlink, startStubFlink } from "./stub-flink.ts";

const provider = flinkProviders.flinkJarJob;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tiering-guard-"));
const jar = path.join(folder, "fluss-flink-tiering-1.0.0-vv-3.jar");
fs.writeFileSync(jar, "a program");
const tasks = [
    { name: "Source: TieringSource", status: "RUNNING" },
    { name: "TieringCommitter", status: "RUNNING" },
];
let flink: StubFlink;

beforeEach(async () => {
    flink = await startStubFlink();
});
afterEach(() => flink.close());
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

async function start(servers: string) {
    const { inputs } = await provider.check(undefined, {
        cluster: { url: flink.url },
        name: `Fluss tiering of ${servers}`,
        jar,
        args: ["--fluss.bootstrap.servers", servers],
        healthySeconds: 0,
        mark: `stack/${servers}`,
    });
    return provider.create(inputs);
}

test.each([
    [
        "of the same cluster, its servers in another order",
        "Fluss tiering of b:2,a:1",
        "tiers cluster a:1,b:2",
    ],
    ["of which nobody can tell the cluster", "Fluss Lake Tiering Service", "nobody can tell which"],
])("a tiering job beside one %s is refused", async (_, name, reason) => {
    flink.submit({ id: "f".repeat(32), name, vertices: tasks });
    await expect(start("a:1,b:2")).rejects.toThrow(reason);
    expect(flink.jobs).toHaveLength(1);
    expect(flink.jars.size).toBe(0);
});

test.each([
    ["a tiering job of another cluster", { name: "Fluss tiering of c:3", vertices: tasks }],
    ["a tiering job that has ended", { name: "old", vertices: tasks, state: "CANCELED" }],
    ["another job", { name: "writer" }],
])("%s is no reason", async (_, job) => {
    flink.submit({ id: "f".repeat(32), ...job });
    await start("a:1,b:2");
    expect(flink.jobs).toHaveLength(2);
});
