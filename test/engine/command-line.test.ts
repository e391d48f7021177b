/** The command line itself, as people and workflows type it: a project, a language host, and no Automation API. */
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { run } from "../../cli/run.ts";
import { simulatedFlink, startVvpSimulator, type VvpSimulator } from "../../local/simulators/vvp/index.ts";
import { ensureLanguageHost, type LanguageHost } from "../../local/toolchain/language-host.ts";
import { testTools } from "./engine.ts";
import type { Wish } from "./preview-program.ts";
import { token } from "./vvp-platform.ts";

const root = path.resolve(import.meta.dirname, "../..");
const pack = path.join(root, "policy-pack/run");
let folder: string;
let vvp: VvpSimulator;
let host: LanguageHost;
let env: Record<string, string>;

beforeAll(async () => {
    const { pulumi } = await testTools();
    host = await ensureLanguageHost(console.error, pulumi);
    vvp = await startVvpSimulator({
        port: 0,
        token,
        flink: simulatedFlink(),
        kubernetesNamespaces: ["jobs"],
    });
    await fetch(`${vvp.url}/api/v1/namespaces/default/deployment-targets`, {
        method: "POST",
        headers: {
            authorization: `Bearer ${token}`,
            workspace: "defaultworkspace",
            "content-type": "application/json",
        },
        body: JSON.stringify({ metadata: { name: "target" }, spec: { kubernetes: { namespace: "jobs" } } }),
    });
    fs.mkdirSync(path.join(root, ".local"), { recursive: true });
    folder = fs.mkdtempSync(path.join(root, ".local/test-"));
    fs.mkdirSync(path.join(folder, "state"));
    fs.writeFileSync(
        path.join(folder, "Pulumi.yaml"),
        "name: desk\nruntime: { name: nodejs, options: { typescript: false } }\nmain: index.ts\n",
    );
    fs.writeFileSync(
        path.join(folder, "index.ts"),
        `import * as pulumi from "@pulumi/pulumi";
import { previewProgram, unchanged } from "../../test/engine/preview-program.ts";
const config = new pulumi.Config();
previewProgram({ url: config.require("url") }, { ...unchanged, ...config.getObject<object>("wish") });
`,
    );
    const first = [
        path.dirname(process.execPath),
        path.join(root, "node_modules/@pulumi/pulumi"),
        pulumi.binDir,
    ];
    env = {
        PATH: [...first, host.binDir, process.env["PATH"]].join(path.delimiter),
        HOME: process.env["HOME"] ?? "",
        PULUMI_HOME: pulumi.home,
        PULUMI_BACKEND_URL: `file://${path.join(folder, "state")}`,
        PULUMI_CONFIG_PASSPHRASE: "only for tests",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        NO_COLOR: "1",
        VV_API_TOKEN: token,
    };
    atOnce("stack", "init", "dev");
    atOnce("config", "set", "url", vvp.url);
}, 300_000);
afterAll(async () => {
    await vvp?.close();
    if (folder) fs.rmSync(folder, { recursive: true, force: true });
});

/** Runs the command line to its end; the simulator, which is in this process, must answer meanwhile. */
async function pulumi(args: string[], more: Record<string, string> = {}) {
    const child = spawn("pulumi", args, {
        cwd: folder,
        env: { ...env, ...more },
        stdio: ["ignore", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => {
        stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
        stderr += chunk;
    });
    const code = await new Promise<number | null>((done) => child.on("close", done));
    return { code, stdout, stderr };
}

/** What needs no simulator. */
function atOnce(...args: string[]): string {
    const { status, stdout, stderr } = spawnSync("pulumi", args, { cwd: folder, env, encoding: "utf8" });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    return stdout;
}

const wish = (changes: Partial<Wish>) => atOnce("config", "set", "--secret", "wish", JSON.stringify(changes));
const streaming = { PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true" };

async function comment(input: string, ...args: string[]): Promise<string> {
    let out = "";
    await run(
        ["preview-comment", ...args],
        {},
        {
            out: (text) => {
                out += text;
            },
            error: (line) => expect.fail(line),
            input: async () => input,
        },
    );
    for (const secret of ["hush", token]) expect(out).not.toContain(secret);
    return out;
}

test("up makes the stack, and a preview afterwards is empty", async () => {
    expect(await pulumi(["up", "--yes", "--skip-preview"])).toMatchObject({ code: 0 });
    expect(await pulumi(["preview", "--expect-no-changes", "--policy-pack", pack])).toMatchObject({
        code: 0,
    });
}, 300_000);

test("a comment is made of what preview prints, in both of its forms", async () => {
    wish({ addColumn: true, keepRunning: true, password: "after-hush-7713" });
    const args = ["preview", "--json", "--policy-pack", pack];
    const [events, document] = [await pulumi(args, streaming), await pulumi(args)];
    expect([events.code, document.code]).toEqual([0, 0]);
    for (const { stdout } of [events, document]) {
        const text = await comment(stdout);
        expect(text).toContain("ALTER TABLE `desk`.`finance`.`trades` ADD (");
        expect(text).toContain("`value` gets a new value");
    }
    expect(await comment(events.stdout)).toContain("⚠️ `session-cluster-idles`");
}, 300_000);

test("a plan that was saved is applied, and another one than was planned is refused", async () => {
    const plan = path.join(folder, "plan.json");
    expect(await pulumi(["preview", "--save-plan", plan])).toMatchObject({ code: 0 });
    expect(fs.readFileSync(plan, "utf8")).not.toContain("hush");
    wish({ addColumn: true, keepRunning: true, password: "after-hush-7713", parallelism: 3 });
    const other = await pulumi(["up", "--yes", "--skip-preview", "--plan", plan]);
    expect(other.code).not.toBe(0);
    expect(other.stdout + other.stderr).toContain("violates plan");
    wish({ addColumn: true, keepRunning: true, password: "after-hush-7713" });
    const again = path.join(folder, "again.json");
    await pulumi(["preview", "--save-plan", again]);
    expect(await pulumi(["up", "--yes", "--skip-preview", "--plan", again])).toMatchObject({ code: 0 });
}, 300_000);

test("refresh finds what was deleted outside, and its comment tells it", async () => {
    await fetch(`${vvp.url}/api/v1/namespaces/default/secret-values/fluss-password`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${token}`, workspace: "defaultworkspace" },
    });
    const drift = await pulumi(["refresh", "--preview-only", "--expect-no-changes", "--json"], streaming);
    expect(drift.code).not.toBe(0);
    expect(await comment(drift.stdout, "--kind", "drift")).toContain(
        "- is gone: `password` (`vvp:SecretValue`)",
    );
}, 300_000);

test("destroy leaves nothing", async () => {
    wish({ deletionProtection: false, addColumn: true, keepRunning: true, password: "after-hush-7713" });
    expect(await pulumi(["up", "--yes", "--skip-preview"])).toMatchObject({ code: 0 });
    expect(await pulumi(["destroy", "--yes", "--skip-preview"])).toMatchObject({ code: 0 });
    expect(JSON.parse(atOnce("stack", "export")).deployment.resources ?? []).toEqual([]);
}, 300_000);

test("every option of pulumi in the workflows exists", () => {
    const text = ["github.yml", "gitlab.yml"].map((file) =>
        JSON.stringify(parse(fs.readFileSync(path.join(root, "docs/workflows", file), "utf8"))),
    );
    const calls = [...text.join("\n").matchAll(/pulumi (preview|up|refresh) ((?:(?!\\n +\||npx|").)*)/g)];
    expect(calls.length).toBe(8);
    for (const [, command = "", options = ""] of calls) {
        const help = atOnce(command, "--help");
        for (const [option] of options.matchAll(/--[\w-]+/g)) {
            // Pulumi hides --plan from its help; the test above runs it.
            if (option !== "--plan") expect(help, `${command} ${option}`).toMatch(new RegExp(`${option}\\b`));
        }
    }
});
