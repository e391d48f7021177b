import { z } from "zod";
import type { ResourceDefinition } from "../../dynamic-providers/resource.ts";
import { icebergCatalog as catalogService } from "../services/iceberg-catalog.ts";
import { serviceNames } from "../services/names.ts";
import { readEnvironment } from "./environment.ts";

const inputs = z.strictObject({
    bucket: z.string(),
    prefix: z.string(),
    region: z.string(),
    endpoint: z.string(),
    accessKeyId: z.string(),
    secretAccessKey: z.string(),
});

export type IcebergCatalogInputs = z.output<typeof inputs>;

export interface IcebergCatalogOutputs {
    /** Base URL; only the simulated Lakekeeper calls it. */
    url: string;
}

/** The real Iceberg REST catalog behind the simulated Lakekeeper, on the warehouse's bucket and key. */
export const icebergCatalog: ResourceDefinition<IcebergCatalogInputs, IcebergCatalogOutputs> = {
    kind: "local Iceberg catalog",
    inputs,
    fields: {
        bucket: "update",
        prefix: "update",
        region: "update",
        endpoint: "update",
        accessKeyId: "update",
        secretAccessKey: "update",
    },
    secretInputs: ["secretAccessKey"],

    async create(wanted) {
        return { id: "iceberg-catalog", outputs: await start(wanted) };
    },

    async read(_id, state) {
        const { supervisor } = readEnvironment();
        return supervisor.isRunning(serviceNames.catalog) ? { outputs: { url: state.url } } : undefined;
    },

    async update(_id, _state, wanted) {
        return start(wanted);
    },

    async delete() {
        await readEnvironment().supervisor.forget(serviceNames.catalog);
    },
};

async function start(wanted: IcebergCatalogInputs): Promise<IcebergCatalogOutputs> {
    const { supervisor, tools, ports, root } = readEnvironment();
    await supervisor.start(catalogService(tools, ports, root, wanted));
    return { url: `http://127.0.0.1:${ports.catalog}` };
}
