/** The command line itself, as people and workflows type it: a project, a language host, and no Automation API. */
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { run } from "../../cli/run.ts";
import { simulatedFlink, startVvpSimulator, type VvpSimulator } from "../../local/simulators/vvp/index.ts";
import { callPlatform } from "../platform-call.ts";
import { testTools } from "./engine.ts";
import type { Wish } from "./preview-program.ts";
import { makeProject, type Project } from "./project.ts";
import { token } from "./vvp-platform.ts";

const root = path.resolve(import.meta.dirname, "../..");
const pack = path.join(root, "policy-pack/run");
const program = `import * as pulumi from "@pulumi/pulumi";
import { previewProgram, unchanged } from "../../test/engine/preview-program.ts";
const config = new pulumi.Config();
previewProgram({ url: config.require("url") }, { ...unchanged, ...config.getObject<object>("wish") });
`;
let vvp: VvpSimulator;
let project: Project;

beforeAll(async () => {
    vvp = await startVvpSimulator({
        port: 0,
        token,
        flink: simulatedFlink(),
        kubernetesNamespaces: ["jobs"],
    });
    const target = { metadata: { name: "target" }, spec: { kubernetes: { namespace: "jobs" } } };
    await outside("POST", "/api/v1/namespaces/default/deployment-targets", target);
    project = await makeProject(await testTools(), program, () => ({ VV_API_TOKEN: token }));
    await done("stack", "init", "dev");
    await done("config", "set", "url", vvp.url);
}, 300_000);
afterAll(async () => {
    await vvp?.close();
    project?.dispose();
});

const outside = (method: string, where: string, body?: object) =>
    callPlatform(vvp.url, token, method, where, body);

/** Runs the command line, and expects that it succeeds. */
async function done(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await project.pulumi(args);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return stdout;
}

const wish = (changes: Partial<Wish>) => done("config", "set", "--secret", "wish", JSON.stringify(changes));
const streaming = { env: { PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true" } };

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

test("a fault that the program finds late is told within seconds, and once", async () => {
    const faulty = `import { ThinResource } from "../../dynamic-providers/thin-resource.ts";
import * as pulumi from "@pulumi/pulumi";
pulumi.output(ThinResource.name).apply(() => { throw new Error("2 faults in cluster: the first; the second"); });
`;
    const other = await makeProject(await testTools(), faulty, () => ({}));
    onTestFinished(() => other.dispose());
    await other.pulumi(["stack", "init", "dev"]);
    const began = Date.now();
    const { code, stdout, stderr } = await other.pulumi(["preview"]);
    console.log(`the fault was told after ${((Date.now() - began) / 1000).toFixed(1)} s`);
    expect(code).not.toBe(0);
    expect((stdout + stderr).match(/2 faults in cluster/g)).toHaveLength(1);
}, 60_000);

test("up makes the stack, and a preview afterwards is empty", async () => {
    expect(await project.pulumi(["up", "--yes", "--skip-preview"])).toMatchObject({ code: 0 });
    expect(await project.pulumi(["preview", "--expect-no-changes", "--policy-pack", pack])).toMatchObject({
        code: 0,
    });
}, 300_000);

test("a comment is made of what preview prints, in both of its forms", async () => {
    await wish({ addColumn: true, keepRunning: true, password: "after-hush-7713" });
    const args = ["preview", "--json", "--policy-pack", pack];
    const [events, document] = [await project.pulumi(args, streaming), await project.pulumi(args)];
    expect([events.code, document.code]).toEqual([0, 0]);
    for (const { stdout } of [events, document]) {
        const text = await comment(stdout);
        expect(text).toContain("ALTER TABLE `desk`.`finance`.`trades` ADD (");
        expect(text).toContain("`value` gets a new value");
    }
    expect(await comment(events.stdout)).toContain("⚠️ `session-cluster-idles`");
}, 300_000);

test("a plan that was saved is applied, and another one than was planned is refused", async () => {
    const plan = path.join(project.folder, "plan.json");
    expect(await project.pulumi(["preview", "--save-plan", plan])).toMatchObject({ code: 0 });
    expect(fs.readFileSync(plan, "utf8")).not.toContain("hush");
    await wish({ addColumn: true, keepRunning: true, password: "after-hush-7713", parallelism: 3 });
    const other = await project.pulumi(["up", "--yes", "--skip-preview", "--plan", plan]);
    expect(other.code).not.toBe(0);
    expect(other.stdout + other.stderr).toContain("violates plan");
    await wish({ addColumn: true, keepRunning: true, password: "after-hush-7713" });
    const again = path.join(project.folder, "again.json");
    await project.pulumi(["preview", "--save-plan", again]);
    expect(await project.pulumi(["up", "--yes", "--skip-preview", "--plan", again])).toMatchObject({
        code: 0,
    });
}, 300_000);

test("refresh finds what was deleted outside, and its comment tells it", async () => {
    await outside("DELETE", "/api/v1/namespaces/default/secret-values/fluss-password");
    const drift = await project.pulumi(
        ["refresh", "--preview-only", "--expect-no-changes", "--json"],
        streaming,
    );
    expect(drift.code).not.toBe(0);
    expect(await comment(drift.stdout, "--kind", "drift")).toContain(
        "- is gone: `password` (`vvp:SecretValue`)",
    );
}, 300_000);

test("destroy leaves nothing", async () => {
    await wish({
        deletionProtection: false,
        addColumn: true,
        keepRunning: true,
        password: "after-hush-7713",
    });
    expect(await project.pulumi(["up", "--yes", "--skip-preview"])).toMatchObject({ code: 0 });
    expect(await project.pulumi(["destroy", "--yes", "--skip-preview"])).toMatchObject({ code: 0 });
    expect(JSON.parse(await done("stack", "export")).deployment.resources ?? []).toEqual([]);
}, 300_000);

test("every option of pulumi in the workflows exists", async () => {
    const text = ["github.yml", "gitlab.yml"].map((file) =>
        JSON.stringify(parse(fs.readFileSync(path.join(root, "docs/workflows", file), "utf8"))),
    );
    const calls = [...text.join("\n").matchAll(/pulumi (preview|up|refresh) ((?:(?!\\n +\||npx|").)*)/g)];
    expect(calls.length).toBe(8);
    for (const [, command = "", options = ""] of calls) {
        const help = await done(command, "--help");
        for (const [option] of options.matchAll(/--[\w-]+/g)) {
            // Pulumi hides --plan from its help; the test above runs it.
            if (option !== "--plan") expect(help, `${command} ${option}`).toMatch(new RegExp(`${option}\\b`));
        }
    }
});
