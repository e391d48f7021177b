/** Arguments that several components have. */

import * as z from "zod";
import { gatewayFields } from "../../dynamic-providers/flink-sql/gateway-client.ts";
import { warehouse } from "../../dynamic-providers/lakekeeper/warehouse.ts";
import { connectionSchema } from "../../dynamic-providers/vvp/connection.ts";
import { defineLake, type LakeInput } from "../../model/lake.ts";
import { tableSpec } from "../../model/table-spec.ts";
import { loadSdk } from "../sdk.ts";
import { given } from "./given.ts";
import { portForward } from "./kubernetes.ts";

/** Ververica Platform; what is left out comes from the environment. */
export const vvpConnection = given(connectionSchema);

/** Release line of the servers. Default `1.0`. */
export const release = z.enum(["0.9", "1.0"]);

/** What runs SQL. */
export const runner = z.discriminatedUnion("kind", [
    z.strictObject({
        kind: z.literal("vvp"),
        connection: vvpConnection,
        engineVersion: given(z.string().min(1)).optional(),
        additionalDependencies: given(z.array(z.string())).optional(),
    }),
    z.strictObject({
        kind: z.literal("gateway"),
        url: given(gatewayFields.url),
        deadlineSeconds: gatewayFields.deadlineSeconds,
    }),
]);

/** The tables as a list; they must be known when the program runs, since each is a resource. */
export const tables = z.array(tableSpec);

/** How a warehouse is emptied before it is deleted. */
export const drain = given(warehouse.inputs.shape["drain"]!);

/** A Lakekeeper server that runs. */
export const lakekeeperServer = {
    url: z.string().min(1),
    internalUrl: z.string().min(1).optional(),
    token: given(z.string().min(1)),
    portForward: portForward.optional(),
};

/** URI and names of what a job on Ververica Platform is made of. */
export const text = given(z.string().min(1));

/** Options by name. */
export const options = z.record(z.string(), z.string());

/** A lake as the components take it: what the program may leave out is filled in. */
export async function definedLake(lake: unknown) {
    const { pulumi } = await loadSdk();
    return pulumi.output(lake as LakeInput).apply((known) => defineLake(known as LakeInput));
}
