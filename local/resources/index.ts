import type * as pulumi from "@pulumi/pulumi";
import { ThinResource } from "../../dynamic-providers/thin-resource.ts";
import type { FlussServersInputs } from "./fluss-servers.ts";
import type { IcebergCatalogInputs } from "./iceberg-catalog.ts";

type Inputs<T> = { [K in keyof T]: pulumi.Input<T[K]> };

const module = "#local-providers";

/** A coordinator and a tablet server of Fluss on this machine. */
export class FlussServers extends ThinResource {
    /** Address of the client listener. */
    declare readonly bootstrapServers: pulumi.Output<string>;

    constructor(name: string, args: Inputs<FlussServersInputs>, opts?: pulumi.CustomResourceOptions) {
        super(
            {
                provider: "localFlussServers",
                type: "local:FlussServers",
                outputs: ["bootstrapServers"],
                secretOutputs: ["options"],
                module,
            },
            name,
            args,
            opts,
        );
    }
}

/** The real Iceberg REST catalog behind the simulated Lakekeeper. */
export class IcebergCatalog extends ThinResource {
    /** Base URL; only the simulated Lakekeeper calls it. */
    declare readonly url: pulumi.Output<string>;

    constructor(name: string, args: Inputs<IcebergCatalogInputs>, opts?: pulumi.CustomResourceOptions) {
        super(
            {
                provider: "localIcebergCatalog",
                type: "local:IcebergCatalog",
                outputs: ["url"],
                secretOutputs: ["secretAccessKey"],
                module,
            },
            name,
            args,
            opts,
        );
    }
}
