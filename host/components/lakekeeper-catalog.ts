import * as z from "zod";
import type {
    LakekeeperCatalogArgs,
    WarehouseStorage,
    WarehouseSts,
} from "../../components/lakekeeper-catalog.ts";
import { type SecretRef, secretRef } from "../../model/secret-ref.ts";
import { given } from "./given.ts";
import type { HostedComponent } from "./index.ts";
import { lakekeeperChart } from "./kubernetes.ts";
import { drain, lakekeeperServer, text } from "./parts.ts";

const sts = {
    roleArn: text,
    externalId: text.optional(),
    validitySeconds: z.number().optional(),
    kmsKey: text.optional(),
} satisfies Record<keyof WarehouseSts, z.ZodType>;

const shape = {
    /** A Lakekeeper server that runs already. */
    existing: z.strictObject(lakekeeperServer).optional(),
    /** Installs a server on Kubernetes by Helm, instead of `existing`. */
    chart: lakekeeperChart.optional(),
    /** Name of the warehouse. Default `fluss`. */
    warehouse: z.string().min(1).optional(),
    /** Where the warehouse keeps its tables. */
    storage: z.strictObject({
        bucket: text,
        region: z.string().min(1),
        keyPrefix: z.string().min(1).optional(),
        key: z.strictObject({ accessKeyId: text, secretAccessKey: text }),
        endpoint: z.string().min(1).optional(),
        sts: z.strictObject(sts).optional(),
    } satisfies Record<keyof WarehouseStorage, z.ZodType>),
    /** Bootstraps the server when nobody has yet. Default true. */
    bootstrap: z.boolean().optional(),
    /** Refuses to delete or to replace the warehouse. Default true. */
    deletionProtection: z.boolean().optional(),
    /** Drops what is in the warehouse before it is deleted. Default: nothing. */
    drain: drain.optional(),
    /** Takes over a warehouse of that name and place. Default false. */
    adopt: z.boolean().optional(),
} satisfies Record<keyof Required<LakekeeperCatalogArgs>, z.ZodType>;

const inputs = z.strictObject({
    ...shape,
    /** How the readers of the output `lake` find the token: `{"secretValue": "fluss-iceberg-token"}`. Without it there is no such output. */
    lakeToken: given(secretRef).optional(),
});

/** `fluss:index:LakekeeperCatalog` for other languages. */
export const lakekeeperCatalog: HostedComponent = {
    token: "fluss:index:LakekeeperCatalog",
    description: "The Iceberg catalog: bootstraps Lakekeeper and makes the warehouse on the lake's bucket.",
    inputs,
    outputs: {
        catalogUri: {
            type: "string",
            description: "URI of the Iceberg REST catalog, as Fluss and the jobs reach it.",
        },
        warehouse: { type: "string", description: "Name of the warehouse, once it exists." },
        token: { type: "string", secret: true, description: "The client token." },
        lake: {
            $ref: "pulumi.json#/Any",
            description:
                "The lake, as FlussTables and TieringDeployment take it. There is none without `lakeToken`.",
        },
    },
    async make(name, { lakeToken, ...args }, opts) {
        const { LakekeeperCatalog } = await import("../../components/lakekeeper-catalog.ts");
        const component = new LakekeeperCatalog(name, args as unknown as LakekeeperCatalogArgs, opts);
        const { catalogUri, warehouse, token } = component;
        const lake = lakeToken === undefined ? undefined : component.lake(lakeToken as SecretRef);
        return { component, outputs: { catalogUri, warehouse, token, lake } };
    },
};
