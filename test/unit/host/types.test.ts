import * as pulumi from "@pulumi/pulumi";
import { beforeAll, expect, test, vi } from "vitest";
import * as all from "../../../dynamic-providers/index.ts";
import { hostedTypes } from "../../../host/types.ts";

interface Settings {
    provider: string;
    type: string;
    outputs: string[];
    secretOutputs?: string[];
}

const { said } = vi.hoisted(() => ({ said: [] as Settings[] }));

vi.mock("../../../dynamic-providers/thin-resource.ts", async (original) => ({
    ...(await original<object>()),
    ThinResource: class {
        constructor(settings: Settings) {
            said.push(settings);
        }
    },
}));

beforeAll(async () => {
    await pulumi.runtime.setMocks({ newResource: () => ({ id: "", state: {} }), call: () => ({}) });
});

/** As much as any constructor looks at. */
const args = {
    connection: { url: "https://a.example.com" },
    catalog: { name: "c", options: {} },
    options: {},
    spec: { database: "d", name: "t", columns: [{ name: "a", type: "INT" }] },
    value: "v",
    password: "p",
    jar: { uri: "u" },
    jarUri: "u",
};

test("the provider has each resource with the outputs and secrets that its class says", () => {
    const classes = Object.values<unknown>(all).filter(
        (value) => typeof value === "function" && /^class \w+ extends/.test(value.toString()),
    ) as (new (
        name: string,
        args: object,
    ) => object)[];
    for (const Resource of classes) new Resource("one", args);
    const types = hostedTypes();
    expect([...types.keys()].sort()).toEqual(said.map(({ type }) => `fluss:${type}`).sort());
    for (const { type, outputs, secretOutputs = [] } of said) {
        const hosted = types.get(`fluss:${type}`)!;
        expect([...hosted.outputs].sort(), type).toEqual([...outputs].sort());
        // A class marks the other secrets among its arguments.
        expect(hosted.secrets, type).toEqual(expect.arrayContaining(secretOutputs));
    }
    expect([...types.values()].map(({ hosted }) => hosted)).toEqual(
        expect.arrayContaining(Object.values(all.providers)),
    );
});
