/**
 * What the dynamic provider process loads for the resources that only the local stack has: servers that start
 * during `pulumi up`, from what the stack itself made.
 */
import { type Hosted, hosted } from "../../dynamic-providers/resource.ts";
import { flussServers } from "./fluss-servers.ts";
import { icebergCatalog } from "./iceberg-catalog.ts";

/** The logic by the name that the state knows. */
export const providers: Record<string, Hosted> = {
    localFlussServers: hosted(flussServers),
    localIcebergCatalog: hosted(icebergCatalog),
};
