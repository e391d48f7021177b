/** Makes a component for a program in another language: a part of that program, run in this process. */

import process from "node:process";
import type * as pulumi from "@pulumi/pulumi";
import messages from "@pulumi/pulumi/proto/provider_pb.js";
import structs from "google-protobuf/google/protobuf/struct_pb.js";
import { throwFaults } from "../model/faults.ts";
import { argumentFaults } from "./components/given.ts";
import type { HostedComponent } from "./components/index.ts";
import { failingWithOthers } from "./late-failures.ts";
import { loadSdk, type Sdk } from "./sdk.ts";

/**
 * Runs the constructor of a component against the engine of the request, and waits until all that it makes is registered.
 * @param engine address of the engine, for messages to people
 * @throws with every fault of the arguments, or with what the component refuses
 */
export async function construct(
    component: HostedComponent,
    request: messages.ConstructRequest,
    engine: string,
): Promise<messages.ConstructResponse> {
    // The resources of the component are run by this plugin: a program in another language has no dynamic provider.
    process.env["PULUMI_FLUSS_PLUGIN"] = "true";
    const sdk = await loadSdk();
    const name = request.getName();
    return await sdk.state.withLocalStorage(() =>
        failingWithOthers(async () => {
            await enter(sdk, request, engine);
            const inputs = await sdk.server.deserializeInputs(
                request.getInputs() ?? new structs.Struct(),
                request.getInputdependenciesMap(),
            );
            throwFaults(
                `the arguments of ${component.token} '${name}'`,
                argumentFaults(component.inputs, inputs),
            );
            const made = await component.make(name, inputs, optionsOf(sdk, request));
            const response = await responseOf(sdk, made.component, made.outputs);
            await sdk.settings.waitForRPCs();
            return response;
        }),
    );
}

/** Takes the place of the program: its project, its stack, its engine and its configuration. */
async function enter(sdk: Sdk, request: messages.ConstructRequest, engine: string): Promise<void> {
    sdk.settings.resetOptions(
        request.getProject(),
        request.getStack(),
        request.getParallel(),
        engine,
        request.getMonitorendpoint(),
        request.getDryrun(),
        request.getOrganization(),
    );
    await sdk.settings.awaitFeatureSupport();
    const config = Object.fromEntries(request.getConfigMap().toArray());
    sdk.pulumi.runtime.setAllConfig(config, request.getConfigsecretkeysList());
}

function optionsOf({ pulumi }: Sdk, request: messages.ConstructRequest): pulumi.ComponentResourceOptions {
    const of = (urn: string) => new pulumi.DependencyResource(urn);
    const providers = request
        .getProvidersMap()
        .toArray()
        .map(([name, reference]) => [name, new pulumi.DependencyProviderResource(reference)] as const);
    return {
        ...(request.getParent() ? { parent: of(request.getParent()) } : {}),
        ...(request.getDeletedwith() ? { deletedWith: of(request.getDeletedwith()) } : {}),
        dependsOn: request.getDependenciesList().map(of),
        providers: Object.fromEntries(providers),
        aliases: request.getAliasesList().map((alias) => {
            if (!alias.hasSpec()) return alias.getUrn();
            const spec = alias.getSpec()!;
            return {
                ...(spec.getName() ? { name: spec.getName() } : {}),
                ...(spec.getProject() ? { project: spec.getProject() } : {}),
                ...(spec.getStack() ? { stack: spec.getStack() } : {}),
                ...(spec.hasParenturn() ? { parent: spec.getParenturn() } : {}),
                ...(spec.hasNoparent() && spec.getNoparent() ? { parent: pulumi.rootStackResource } : {}),
            };
        }),
        ...(request.hasProtect() ? { protect: request.getProtect() } : {}),
        ...(request.hasRetainondelete() ? { retainOnDelete: request.getRetainondelete() } : {}),
        ignoreChanges: request.getIgnorechangesList(),
        replaceOnChanges: request.getReplaceonchangesList(),
    };
}

/** What the program gets: the component's name in the engine and its outputs, with what each comes from. */
async function responseOf(
    sdk: Sdk,
    component: pulumi.ComponentResource,
    outputs: Record<string, unknown>,
): Promise<messages.ConstructResponse> {
    const urn = await urnOf(component);
    const [state, dependencies] = await sdk.pulumi.runtime.serializeResourceProperties(urn, outputs);
    const response = new messages.ConstructResponse()
        .setUrn(urn)
        .setState(structs.Struct.fromJavaScript(state as Record<string, structs.JavaScriptValue>));
    for (const [name, resources] of dependencies) {
        const urns = await Promise.all([...resources].map(urnOf));
        const list = new messages.ConstructResponse.PropertyDependencies().setUrnsList(urns);
        response.getStatedependenciesMap().set(name, list);
    }
    return response;
}

function urnOf(resource: pulumi.Resource): Promise<string> {
    // `promise` is kept out of the published types.
    return (resource.urn as unknown as { promise(): Promise<string> }).promise();
}
