import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { markOf } from "../../../dynamic-providers/vvp/owner-mark.ts";
import { ownerMark } from "../../../dynamic-providers/vvp/resource-common.ts";

beforeAll(async () => {
    await pulumi.runtime.setMocks(
        { newResource: () => ({ id: "", state: {} }), call: () => ({}) },
        "shop",
        "prod",
    );
});
afterEach(() => {
    delete process.env["PULUMI_FLUSS_PLUGIN"];
    pulumi.runtime.setAllConfig({});
});

describe("the mark of a resource has", () => {
    const ofStack = /^organization-shop-prod-job-/;
    const both = { "fluss:owner": "of-plugin", "pulumi-fluss:owner": "of-dynamic" };
    test.each([
        ["organization, project and stack without a setting", "", {}, ofStack],
        ["the setting of the library", "", both, markOf("of-dynamic/job")],
        ["no setting of a plugin that is not in use", "", { "fluss:owner": "of-plugin" }, ofStack],
        ["the plugin's setting with the plugin", "true", both, markOf("of-plugin/job")],
        ["the library's with the plugin, too", "true", { "pulumi-fluss:owner": "o" }, markOf("o/job")],
        ["the stack with the plugin without a setting", "true", {}, ofStack],
    ])("%s", (_, plugin, config, expected) => {
        process.env["PULUMI_FLUSS_PLUGIN"] = plugin;
        pulumi.runtime.setAllConfig(config);
        expect(ownerMark("job")).toMatch(expected);
    });
});
