import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { writeJars } from "../components/jars.ts";
import { blocks, root } from "./examples.ts";
import { writeModule } from "./modules.ts";

const folder = path.join(root, ".local", `previews-${process.pid}`);
const place = fs.mkdtempSync(path.join(os.tmpdir(), "previews-"));
const before = process.cwd();
/** What the page's own program declares. */
const made: string[] = [];

beforeAll(async () => {
    writeJars(path.join(place, "jars"));
    fs.mkdirSync(folder, { recursive: true });
    // Examples name the JARs' folder from that of Pulumi.yaml.
    process.chdir(place);
    const { lake, client, connection } = await mocked(() => import("./surroundings.ts"));
    lakehouse = {
        contract: 1,
        flussVersion: "1.0.0-vv-3",
        server: "1.0",
        vvp: {
            connection: { ...connection, workspace: "defaultworkspace", namespace: "default" },
            deploymentTarget: "target",
            engineVersion: "vera-4.5-jdk11-flink-1.20",
            clientJarUris: [],
        },
        catalog: "fluss_quickstart",
        client,
        lake,
        buckets: { remote: "acme-remote", lake: "acme-lake" },
    };
});
afterAll(() => {
    process.chdir(before);
    for (const one of [folder, place]) fs.rmSync(one, { recursive: true, force: true });
});

let lakehouse: object = {};

const programs = blocks("ts", "typescript").map((block, index) => ({ ...block, index }));

test.each(programs.map((block) => [`${block.page}:${block.line}`, block] as const))(
    "%s runs as a preview",
    async (_, block) => {
        const { file, part } = writeModule(block, folder, block.index);
        if (part || block.page === "docs/policies.md") return;
        made.length = 0;
        await mocked(() => import(file), configOf(block.text));
        // Some show no more than a call of the model.
        if (/\bnew \w+\(/.test(block.text)) expect(made.length).toBeGreaterThan(0);
    },
);

/** A value for each key of the configuration that the example asks for. */
function configOf(text: string): Record<string, string> {
    const keys = [...text.matchAll(/config\.\w+\("([\w-]+)"\)/g)].map(([, key = ""]) => key);
    const values = keys.map((key) => [
        `docs:${key}`,
        /url$/i.test(key) ? "http://localhost:8181" : "value-4711",
    ]);
    return Object.fromEntries(values);
}

/** Runs a program on Pulumi's mocks as a preview does, and waits until all is registered. */
async function mocked<T>(program: () => Promise<T>, config: Record<string, string> = {}): Promise<T> {
    await pulumi.runtime.setMocks(
        {
            call: ({ inputs }) => inputs,
            newResource: ({ type, name, inputs }) => {
                made.push(name);
                const told =
                    type === "pulumi:pulumi:StackReference"
                        ? { outputs: { lakehouse }, secretOutputNames: [] }
                        : {};
                return { id: `${name}-id`, state: { ...inputs, ...told } };
            },
        },
        "docs",
        "test",
        true,
    );
    pulumi.runtime.setAllConfig(config, []);
    const loaded = await program();
    let seen = -1;
    await vi.waitUntil(
        () => {
            const settled = made.length === seen;
            seen = made.length;
            return settled;
        },
        { interval: 60, timeout: 10_000 },
    );
    return loaded;
}
