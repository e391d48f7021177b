import { z } from "zod";
import type { ResourceDefinition } from "../../dynamic-providers/resource.ts";
import { flussCoordinator, flussTablet } from "../services/fluss.ts";
import { serviceNames } from "../services/names.ts";
import { readEnvironment } from "./environment.ts";

export interface FlussServersInputs {
    /** server.yaml as the model derives it; holds passwords and keys. */
    options: Record<string, string>;
}

export interface FlussServersOutputs {
    /** Address of the client listener. */
    bootstrapServers: string;
}

/** A coordinator and a tablet server of Fluss on this machine, configured by the stack's own outputs. */
export const flussServers: ResourceDefinition<FlussServersInputs, FlussServersOutputs> = {
    kind: "local Fluss servers",
    inputs: z.strictObject({ options: z.record(z.string(), z.string()) }),
    fields: { options: "update" },
    secretInputs: ["options"],

    async create({ options }) {
        return { id: "fluss", outputs: await start(options) };
    },

    async read(_id, state) {
        const { supervisor } = readEnvironment();
        const running = [serviceNames.flussCoordinator, serviceNames.flussTablet].every((name) =>
            supervisor.isRunning(name),
        );
        return running ? { outputs: { bootstrapServers: state.bootstrapServers } } : undefined;
    },

    async update(_id, _state, { options }) {
        return start(options);
    },

    async delete() {
        const { supervisor } = readEnvironment();
        await supervisor.forget(serviceNames.flussTablet);
        await supervisor.forget(serviceNames.flussCoordinator);
    },
};

async function start(options: Record<string, string>): Promise<FlussServersOutputs> {
    const { supervisor, tools, ports, root } = readEnvironment();
    await supervisor.start(flussCoordinator(tools, ports, root, options));
    await supervisor.start(flussTablet(tools, ports, root, options));
    return { bootstrapServers: `localhost:${ports.flussCoordinator}` };
}
