import { GatewayRunner } from "../../dynamic-providers/flink-sql/gateway.ts";
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

/** A runner whose sessions know the catalog `c`. */
export function runnerFor(lakehouse: Lakehouse): GatewayRunner {
    const catalogs = [{ name: "c", options: catalogOptionsOf(lakehouse) }];
    return new GatewayRunner({ url: lakehouse.gatewayUrl, catalogs });
}
