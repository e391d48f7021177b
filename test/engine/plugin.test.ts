// The plugin `pulumi-resource-fluss` on the real engine: what it can do that the dynamic provider cannot, and the move to it.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LakekeeperProject, LakekeeperWarehouse } from "../../dynamic-providers/lakekeeper/resources.ts";
import { hostedComponents } from "../../host/components/index.ts";
import { flussProvider } from "../../host/provider.ts";
import { type Served, serve } from "../../host/serve.ts";
import { hostedTypes } from "../../host/types.ts";
import {
    type LakekeeperSimulator,
    startLakekeeperSimulator,
} from "../../local/simulators/lakekeeper/index.ts";
import { type CatalogStub, startCatalogStub } from "../unit/simulators-lakekeeper/stub-catalog.ts";
import { changesOf, type TestStack, testStack, testTools } from "./engine.ts";

const token = "token-of-the-plugin-test";
const secretAccessKey = "secret-access-key-of-the-plugin-test";

let plugin: Served;
let catalog: CatalogStub;
let simulator: LakekeeperSimulator;
const stacks: TestStack[] = [];
let wishes: { name: string; bucket: string; key: string; import?: { project: string; warehouse: string } };

beforeAll(async () => {
    plugin = await serve(
        flussProvider({ types: hostedTypes(), components: hostedComponents(), version: "0.0.1" }),
    );
    catalog = await startCatalogStub();
    simulator = await startLakekeeperSimulator({ port: 0, token, backendUrl: catalog.url });
    await fetch(`${simulator.url}/management/v1/bootstrap`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ "accept-terms-of-use": true }),
    });
});

beforeEach(() => {
    wishes = { name: "Lake", bucket: "lake", key: secretAccessKey };
});

afterEach(() => {
    delete process.env["PULUMI_FLUSS_PLUGIN"];
});

afterAll(async () => {
    for (const stack of stacks) await stack.dispose();
    await simulator?.close();
    await catalog?.close();
    await plugin?.close();
});

async function stackOf(
    id: string,
    config?: Record<string, { value: string; secret?: boolean }>,
    onPath?: string,
) {
    const program = async () => {
        const connection = { url: simulator.url, token: pulumi.secret(token) };
        const project = new LakekeeperProject(
            "project",
            { connection, projectId: id, name: wishes.name, deletionProtection: false },
            wishes.import ? { import: wishes.import.project } : {},
        );
        const warehouse = new LakekeeperWarehouse(
            "warehouse",
            {
                connection,
                projectId: project.projectId,
                name: id,
                storage: { type: "s3", bucket: wishes.bucket, keyPrefix: id, region: "us-east-1" },
                credential: {
                    type: "s3-access-key",
                    accessKeyId: "AKIAEXAMPLE",
                    secretAccessKey: pulumi.secret(wishes.key),
                },
                deletionProtection: false,
                storageWaitSeconds: 0,
            },
            wishes.import ? { import: wishes.import.warehouse } : {},
        );
        return { name: warehouse.name, id: warehouse.id, uri: warehouse.catalogUri };
    };
    const env: Record<string, string> = onPath ? {} : { PULUMI_DEBUG_PROVIDERS: `fluss:${plugin.port}` };
    const stack = await testStack({ program, env, config, onPath });
    stacks.push(stack);
    return stack;
}

function usePlugin() {
    process.env["PULUMI_FLUSS_PLUGIN"] = "true";
}

const ours = (steps: { op: string; name: string; type: string }[]) =>
    steps.filter(({ type }) => /lakekeeper/.test(type)).map(({ op, name }) => `${op} ${name}`);

describe("resources that the plugin runs", () => {
    let stack: TestStack;

    test("are made, and nothing changes afterwards", async () => {
        usePlugin();
        stack = await stackOf("made");
        const made = await stack.up();
        expect(ours(changesOf(made))).toEqual(["create project", "create warehouse"]);
        expect(made.outputs["uri"]?.value).toBe(`${simulator.url}/catalog`);
        expect(ours(changesOf(await stack.up()))).toEqual([]);
        expect(ours(changesOf(await stack.refresh()))).toEqual([]);
    });

    test("hold no secret in clear in the state", async () => {
        const text = fs.readFileSync(`${stack.folder}/state/.pulumi/stacks/test/test.json`, "utf8");
        expect(text).not.toContain(secretAccessKey);
        expect(text).not.toContain(token);
        expect(text).toContain('"fluss:lakekeeper:Warehouse"');
        expect(text).not.toContain("__provider");
    });

    test("tell which input changes what", async () => {
        usePlugin();
        wishes.name = "Sea";
        wishes.bucket = "sea";
        const { steps } = await stack.preview();
        const diffs = Object.fromEntries(
            steps.filter(({ op }) => op !== "same").map(({ name, op, diff }) => [`${op} ${name}`, diff]),
        );
        expect(diffs["update project"]).toEqual({ name: "update" });
        expect(diffs["replace warehouse"]).toMatchObject({ storage: "update-replace" });
    });
});

describe("a stack of the dynamic provider", () => {
    test("goes on with the plugin as the same objects, changed in place, and then nothing changes", async () => {
        const stack = await stackOf("moved");
        const made = await stack.up();
        const before = await fetchWarehouses("moved");
        usePlugin();
        const moved = await stack.up();
        expect(ours(changesOf(moved)).filter((step) => !step.startsWith("update"))).toEqual([]);
        expect(moved.outputs["id"]?.value).toBe(made.outputs["id"]?.value);
        expect(await fetchWarehouses("moved")).toEqual(before);
        expect(ours(changesOf(await stack.up()))).toEqual([]);
    });
});

describe("an import", () => {
    test("takes objects by their ids, and nothing changes afterwards", async () => {
        const first = await stackOf("there");
        const made = await first.up();
        usePlugin();
        wishes.import = { project: "there", warehouse: made.outputs["id"]?.value as string };
        const connection = { url: simulator.url, token };
        const value = JSON.stringify({ lakekeeper: { connection, projectId: "there" } });
        const stack = await stackOf("there", { "fluss:importFrom": { value, secret: true } });
        const imported = await stack.up();
        // No API gives a credential back, and whether deletion is refused is the program's to say.
        expect(ours(changesOf(imported))).toEqual([
            "import project",
            "update project",
            "import warehouse",
            "update warehouse",
        ]);
        const last = changesOf(imported).at(-1)!;
        expect(last.diff).toEqual({
            credential: "add",
            deletionProtection: "update",
            storageWaitSeconds: "add",
        });
        delete wishes.import;
        expect(ours(changesOf(await stack.up()))).toEqual([]);
    });

    test("without the connection says how to give it", async () => {
        usePlugin();
        wishes.import = { project: "there", warehouse: "x" };
        const stack = await stackOf("unknown");
        await expect(stack.preview()).rejects.toThrow(
            /import of fluss:lakekeeper:Project 'there' as project: an id does not say where the object is; not known: connection/,
        );
    });
});

describe("the executable", () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pulumi-fluss-plugin-"));
    const executable = path.join(folder, "pulumi-resource-fluss");
    afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
    beforeAll(() => {
        const main = path.resolve(import.meta.dirname, "../../dist/host/main.js");
        fs.writeFileSync(executable, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, {
            mode: 0o755,
        });
    });

    test("is found on the PATH, and runs the resources", async () => {
        usePlugin();
        const stack = await stackOf("found", undefined, folder);
        expect(ours(changesOf(await stack.up()))).toEqual(["create project", "create warehouse"]);
        expect(ours(changesOf(await stack.destroy()))).toEqual(["delete warehouse", "delete project"]);
    });

    test("gives the schema, from which Pulumi makes SDKs for other languages", async () => {
        const { pulumi: cli } = await testTools();
        const env = {
            ...process.env,
            PULUMI_HOME: cli.home,
            PULUMI_SKIP_UPDATE_CHECK: "true",
            PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
        };
        const text = execFileSync(path.join(cli.binDir, "pulumi"), ["package", "get-schema", executable], {
            cwd: folder,
            env,
            encoding: "utf8",
        });
        const tokens = [...hostedTypes().keys(), ...hostedComponents().keys()];
        expect(Object.keys(JSON.parse(text).resources)).toEqual(tokens.sort());
    });
});

async function fetchWarehouses(project: string): Promise<unknown> {
    const answer = await fetch(`${simulator.url}/management/v1/warehouse`, {
        headers: { authorization: `Bearer ${token}`, "x-project-id": project },
    });
    return await answer.json();
}
