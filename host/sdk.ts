/** Pulumi's SDK for Node, loaded when the first component is made: resources do without, and half a second is saved. */

import type * as pulumi from "@pulumi/pulumi";
import type messages from "@pulumi/pulumi/proto/provider_pb.js";
import type structs from "google-protobuf/google/protobuf/struct_pb.js";

/** What is used of the SDK. Its own server for providers uses the same; some of it is not in the published types. */
export interface Sdk {
    pulumi: typeof pulumi;
    settings: {
        resetOptions: typeof pulumi.runtime.resetOptions;
        awaitFeatureSupport(): Promise<void>;
        waitForRPCs(): Promise<void>;
    };
    state: { withLocalStorage<T>(run: () => Promise<T>): Promise<T> };
    server: {
        deserializeInputs(
            inputs: structs.Struct,
            dependencies: ReturnType<messages.ConstructRequest["getInputdependenciesMap"]>,
        ): Promise<Record<string, unknown>>;
    };
}

export async function loadSdk(): Promise<Sdk> {
    const [sdk, settings, state, server] = await Promise.all([
        import("@pulumi/pulumi"),
        import("@pulumi/pulumi/runtime/settings.js"),
        import("@pulumi/pulumi/runtime/state.js"),
        import("@pulumi/pulumi/provider/server.js"),
    ]);
    return { pulumi: ours(sdk), settings: ours(settings), state: ours(state), server: ours(server) };
}

/** A CommonJS module that was imported: all that it exports is its default. */
function ours<T>(module: unknown): T {
    return (module as { default: T }).default;
}
