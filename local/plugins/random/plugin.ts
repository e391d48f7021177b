import type { Plugin } from "../resource-type.ts";
import { randomId } from "./random-id.ts";
import { randomPassword, randomString } from "./random-text.ts";

/** Stand-in for the random package's plugin: passwords, strings and ids from the operating system's secure source. */
export const randomPlugin: Plugin<unknown> = {
    name: "random",
    sdk: "@pulumi/random",
    options: [],
    types: [randomPassword, randomString, randomId],
    functions: {},
    configure: () => ({}),
    explain: (error) => (error instanceof Error ? error.message : String(error)),
};
