import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { VvpSessionCluster } from "../../dynamic-providers/vvp/resources.ts";
import { rules } from "../../policies/index.ts";
import { engineVersion, vvpWorkspace, type Workspace } from "../engine/vvp-platform.ts";

let workspace: Workspace;
afterEach(() => workspace?.dispose());

test("the pack runs in a preview of the real engine, and shows what it finds and nothing else", async () => {
    workspace = await vvpWorkspace((connection) => {
        const args = { connection, deploymentTarget: "target", engineVersion };
        new VvpSessionCluster("kept", { ...args, name: "kept", keepRunning: true });
        new VvpSessionCluster("idle", { ...args, name: "idle" });
        return {};
    });
    const { stdout } = await workspace.stack.preview({ policyPacks: [path.resolve("policy-pack/run")] });
    expect(stdout).toMatch(/kept: is kept running\. Leave keepRunning out/);
    expect(stdout).not.toMatch(/idle: is kept running/);
    expect(rules.filter(({ id }) => stdout.includes(id)).map(({ id }) => id)).toEqual([
        "session-cluster-idles",
    ]);
});
