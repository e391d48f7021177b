import fs from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { expect, it, vi } from "vitest";
import YAML from "yaml";
import { resolved, silenceOutputs } from "./harness.ts";
import { jarsFolder } from "./jars.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const readYaml = (file: string) => YAML.parse(fs.readFileSync(path.join(root, file), "utf8"));

/** What the engine hands the program: the defaults of Pulumi.yaml, the stack's file and `more`, all as text. */
function engineConfig(stack: string, more: Record<string, string>): Record<string, string> {
    const project = readYaml("Pulumi.yaml") as {
        name: string;
        config: Record<string, { default?: unknown }>;
    };
    const { config } = readYaml(`Pulumi.${stack}.yaml`) as { config: Record<string, unknown> };
    const own = (entries: [string, unknown][]) =>
        Object.fromEntries(entries.map(([key, value]) => [`${project.name}:${key}`, value]));
    const defaults = Object.entries(project.config).map(([key, declared]): [string, unknown] => [
        key,
        declared.default,
    ]);
    const all = { ...own(defaults), ...config, ...own(Object.entries(more)) };
    return Object.fromEntries(
        Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
    );
}

/** Runs `stacks/quickstart.ts` as an engine would, and gives the arguments of each resource by its name. */
async function runProgram(config: Record<string, string>): Promise<Map<string, Record<string, unknown>>> {
    const made = new Map<string, Record<string, unknown>>();
    silenceOutputs();
    await pulumi.runtime.setMocks(
        {
            call: ({ inputs }) => inputs,
            newResource: ({ name, inputs }) => {
                made.set(name, inputs);
                return { id: `${name}-id`, state: { bucket: name, arn: name, uri: name, name, ...inputs } };
            },
        },
        "fluss-quickstart",
    );
    pulumi.runtime.setAllConfig(config, []);
    vi.resetModules();
    const program = await import("../../../stacks/quickstart.ts");
    await resolved(program.warehouse);
    await vi.waitFor(() => expect([...made.keys()]).toContain("fluss-quickstart-tables-finance-trades"));
    return made;
}

it.each([
    { stack: "dev", remoteBucket: undefined, protection: false, writes: true },
    { stack: "prod", remoteBucket: "example-fluss-prod-remote", protection: true, writes: false },
])("the program runs with the example of the stack $stack", async (wanted) => {
    const secrets = { lakekeeperToken: "client-token", clientPassword: "sesame" };
    const made = await runProgram(engineConfig(wanted.stack, { ...secrets, jarsFolder: jarsFolder() }));
    expect(made.get("fluss-quickstart-buckets-remote")?.bucket).toBe(wanted.remoteBucket);
    expect(made.get("fluss-quickstart-catalog-warehouse")).toMatchObject({
        name: "fluss",
        deletionProtection: wanted.protection,
    });
    if (wanted.writes) {
        await vi.waitFor(() => expect([...made.keys()]).toContain("fluss-quickstart-writers-trades"));
    } else expect([...made.keys()]).not.toContain("fluss-quickstart-writers");
});

it("tells every fault of the configuration before it makes anything", async () => {
    const config = engineConfig("dev", { awsRegion: "Frankfurt", clientPassword: 'ses"ame' });
    const failure = runProgram(config);
    await expect(failure).rejects.toThrow(/3 faults in config/);
    await expect(failure).rejects.toThrow(/config\.lakekeeperToken: is required and missing/);
    await expect(failure).rejects.not.toThrow(/ses"ame/);
});
