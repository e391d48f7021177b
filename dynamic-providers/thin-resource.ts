import * as pulumi from "@pulumi/pulumi";
import type { ResourceType } from "./resource-types.ts";
import { mendStackLines } from "./stack-lines.ts";

// Every program with a resource of this library comes here, before it can fail.
mendStackLines();

/**
 * The text that a resource keeps in the state as its provider. It names the installed library instead of holding
 * code, so that it is the same in every release and `destroy` always runs the installed code.
 * It is stored in users' states for years: never change a text that was released; `test/engine/provider-text.test.ts` holds them.
 * @param provider a key of `providers` in the module
 * @param module the entry that the program's folder can resolve; the default is this library
 */
export function providerText(provider: string, module = "pulumi-fluss/dynamic-providers"): string {
    return `exports.handler = () => require("module").createRequire(process.cwd() + "/_.js")("${module}").providers.${provider};`;
}

/**
 * True when the resources of this program are run by the plugin `pulumi-resource-fluss`, and not by Pulumi's dynamic
 * provider: when the environment variable `PULUMI_FLUSS_PLUGIN` is `true`. See docs/plugin.md.
 */
export function usesPlugin(): boolean {
    return process.env["PULUMI_FLUSS_PLUGIN"] === "true";
}

/**
 * A custom resource whose logic is one of this library's `providers`.
 * Subclasses declare as `declare readonly x: pulumi.Output<…>` the outputs that `resource-types.ts` lists.
 */
export abstract class ThinResource extends pulumi.CustomResource {
    /** @param settings what its class is; `module` is the entry that has the provider, when it is not this library's */
    constructor(
        settings: ResourceType & { module?: string },
        name: string,
        args: object,
        opts?: pulumi.CustomResourceOptions,
    ) {
        const dynamicType = `pulumi-nodejs:dynamic/${settings.type}`;
        const plugin = usesPlugin() && settings.module === undefined;
        if (opts?.import !== undefined && !plugin) {
            throw new Error(
                `${name}: a dynamic resource cannot be imported by the "import" option; set its argument "adopt: true" to take over an object that exists, or let the plugin run the resources (PULUMI_FLUSS_PLUGIN=true)`,
            );
        }
        super(
            plugin ? `fluss:${settings.type}` : dynamicType,
            name,
            {
                ...Object.fromEntries(settings.outputs.map((output) => [output, undefined])),
                ...args,
                ...(plugin ? {} : { __provider: providerText(settings.provider, settings.module) }),
            },
            pulumi.mergeOptions(
                {
                    additionalSecretOutputs: [...(settings.secretOutputs ?? [])],
                    // What the dynamic provider made goes on as the same object.
                    ...(plugin ? { aliases: [{ type: dynamicType }] } : {}),
                },
                opts,
            ),
        );
    }
}
