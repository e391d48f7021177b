// The state of each release, with a resource of every kind: the code of today changes and replaces nothing of it.
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resourceTypes } from "../../dynamic-providers/resource-types.ts";
import { hostedComponents } from "../../host/components/index.ts";
import { flussProvider } from "../../host/provider.ts";
import { type Served, serve } from "../../host/serve.ts";
import { hostedTypes } from "../../host/types.ts";
import {
    onlySecret,
    type Places,
    startPlaces,
    withoutPlaces,
    withPlaces,
} from "../fixtures/states/places.ts";
import { changesOf, type TestStack, testStack } from "./engine.ts";

const states = path.resolve(import.meta.dirname, "../fixtures/states");
/** Writes the states of a release that is being made, instead of looking at them: see the README beside them. */
const recorded = process.env["RECORD_STATES"];
const releases = recorded ? [recorded] : fs.readdirSync(states).filter((name) => /^\d/.test(name));
const hosts = ["dynamic", "plugin"] as const;

let plugin: Served;

beforeAll(async () => {
    plugin = await serve(
        flussProvider({ types: hostedTypes(), components: hostedComponents(), version: "0.0.1" }),
    );
});
afterAll(() => plugin?.close());

describe.each(releases)("the state of %s", (release) => {
    test.each(hosts)("of resources that the %s provider runs is not changed", async (host) => {
        const { program } = await import(path.join(states, release, "program.ts"));
        const file = path.join(states, release, `${host}.json`);
        const places = await startPlaces();
        const stack = await stackOf(host, places, program);
        try {
            if (recorded) await record(stack, file, places);
            else await stack.import(JSON.parse(withPlaces(fs.readFileSync(file, "utf8"), places)));
            const preview = await stack.preview();
            expect(changesOf(preview).map(({ op, name, diff }) => ({ op, name, diff }))).toEqual([]);
            expect(preview.changes["same"]).toBeGreaterThanOrEqual(kindsIn(release, host).length);
        } finally {
            await stack.dispose();
            await places.close();
        }
    });
});

function stackOf(host: (typeof hosts)[number], places: Places, program: (places: Places) => void) {
    const [namespace, env] =
        host === "plugin"
            ? ["fluss", { PULUMI_DEBUG_PROVIDERS: `fluss:${plugin.port}` }]
            : ["pulumi-fluss", {}];
    return testStack({
        program: async () => {
            if (host === "plugin") process.env["PULUMI_FLUSS_PLUGIN"] = "true";
            try {
                program(places);
            } finally {
                delete process.env["PULUMI_FLUSS_PLUGIN"];
            }
        },
        config: { [`${namespace}:vvpToken`]: { value: onlySecret, secret: true } },
        env: { VV_API_TOKEN: "", ...env },
    });
}

/** Secrets are written as they are: they are none. */
async function record(stack: TestStack, file: string, places: Places): Promise<void> {
    await stack.up();
    const { version, deployment } = await stack.exportWithSecrets();
    // When and where in a program a resource was made is of no interest to the engine.
    const resources = deployment.resources.map(
        ({ sourcePosition, stackTrace, created, modified, ...resource }: Record<string, unknown>) => resource,
    );
    const state = JSON.stringify({ version, deployment: { ...deployment, resources } }, undefined, 2);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `${withoutPlaces(state, places)}\n`);
}

const prefixes = { dynamic: "pulumi-nodejs:dynamic/", plugin: "fluss:" };

/** Kinds that no release has had yet: they get into the state of the next one. */
const younger: string[] = ["fluss:LakeProgress"];

test.each(hosts)("every kind that the %s provider runs is in the state of a release", (host) => {
    const kept = new Set(releases.flatMap((release) => kindsIn(release, host)));
    const missing = resourceTypes()
        .map(({ type }) => type)
        .filter((type) => !kept.has(type));
    expect(missing).toEqual(younger);
});

function kindsIn(release: string, host: (typeof hosts)[number]): string[] {
    const { deployment } = JSON.parse(
        fs.readFileSync(path.join(states, release, `${host}.json`), "utf8"),
    ) as {
        deployment: { resources: { type: string }[] };
    };
    const prefix = prefixes[host];
    const types = deployment.resources.map(({ type }) => type).filter((type) => type.startsWith(prefix));
    return [...new Set(types.map((type) => type.slice(prefix.length)))].sort();
}
