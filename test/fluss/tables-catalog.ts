import { GatewayRunner } from "../../dynamic-providers/flink-sql/gateway.ts";
import type { FlussClient } from "../../model/fluss-client.ts";
import { defineLake, type Lake } from "../../model/lake.ts";
import type { Lakehouse } from "./lakehouse.ts";

/** Options of a Fluss catalog for the running services. */
export function catalogOptionsOf({ fluss }: Lakehouse): Record<string, string> {
    return {
        type: "fluss",
        "bootstrap.servers": fluss.bootstrapServers,
        "client.security.protocol": "sasl",
        "client.security.sasl.mechanism": "PLAIN",
        "client.security.sasl.username": fluss.username,
        "client.security.sasl.password": fluss.password,
    };
}

/** The same for the components. */
export function flussClientOf({ fluss }: Lakehouse): FlussClient {
    const { bootstrapServers, username, password } = fluss;
    return { bootstrapServers, sasl: { username, password: { value: password } } };
}

/** The cluster's lake for the components. */
export function lakeOf({ catalog, s3, buckets }: Lakehouse): Lake {
    const { url: uri, warehouse, token } = catalog;
    const { endpoint, region } = s3;
    return defineLake({
        catalog: { type: "rest", uri, warehouse, auth: { type: "token", token: { value: token } } },
        storage: { type: "s3Compatible", endpoint, bucket: buckets.lake, region },
    });
}

/** A runner whose sessions know the catalog `c`. */
export function runnerFor(lakehouse: Lakehouse): GatewayRunner {
    const catalogs = [{ name: "c", options: catalogOptionsOf(lakehouse) }];
    return new GatewayRunner({ url: lakehouse.gatewayUrl, catalogs });
}
