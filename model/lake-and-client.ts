import { parse, together } from "./faults.ts";
import { type FlussClient, flussClientSchema } from "./fluss-client.ts";
import { defineLake, type Lake } from "./lake.ts";

/** What most things are derived from. */
export interface LakeAndClient<L extends Lake | undefined = Lake> {
    lake: L;
    client: FlussClient;
}

/**
 * Lake and cluster, checked and with their defaults, also where a program without types put them together by itself. Throws a
 * `FaultsError` with every fault of both.
 */
export function lakeAndClient<L extends Lake | undefined>(given: LakeAndClient<L>): LakeAndClient<L> {
    return together<LakeAndClient<L> & Record<string, unknown>>("lake and client", {
        lake: () => (given.lake === undefined ? given.lake : (defineLake(given.lake) as L)),
        client: () => parse(flussClientSchema, given.client, "client"),
    });
}
