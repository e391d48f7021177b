import * as z from "zod";
import { strict } from "./faults.ts";
import { saslUsername } from "./names.ts";
import { type Option, secretRef } from "./secret-ref.ts";

/** Schema of {@link FlussClient}. */
export const flussClientSchema = strict({
    /** `host:port` of the client listener; several servers with commas between, no blanks. */
    bootstrapServers: z.string().refine((text) => text.split(",").every(isHostAndPort), {
        error: "is not host:port, nor several of them with commas between",
        params: {
            fix: "Give the client listener, e.g. coordinator-server-0.coordinator-server-hs.fluss.svc:9124",
        },
    }),
    /** The SASL PLAIN user that the job connects as. Default: no authentication. */
    sasl: strict({ username: saslUsername, password: secretRef }).optional(),
});

/** How a job reaches a Fluss cluster. */
export type FlussClient = z.output<typeof flussClientSchema>;

/** The servers in the order of the alphabet: one text for one cluster, in whatever order and letters its address names them. */
export function clusterAddress(bootstrapServers: string): string {
    return bootstrapServers.toLowerCase().split(",").sort().join(",");
}

/** Whether two addresses are of one cluster: each may name some of its servers only. Names and numbers of one machine count as two. */
export function isSameCluster(one: string, other: string): boolean {
    const servers = new Set(clusterAddress(one).split(","));
    return clusterAddress(other)
        .split(",")
        .some((server) => servers.has(server));
}

/**
 * The client's options without prefix, all four SASL options or none. `protocol` is how the reader spells it; Fluss
 * does not mind the case, and the manuals write `SASL` for the tiering job and `sasl` for a catalog.
 */
export function clientOptions(client: FlussClient, protocol: "SASL" | "sasl"): Option[] {
    const options: Option[] = [
        { key: "bootstrap.servers", value: client.bootstrapServers, path: "client.bootstrapServers" },
    ];
    if (client.sasl) {
        const { username, password } = client.sasl;
        options.push(
            { key: "client.security.protocol", value: protocol, path: "client.sasl" },
            { key: "client.security.sasl.mechanism", value: "PLAIN", path: "client.sasl" },
            { key: "client.security.sasl.username", value: username, path: "client.sasl.username" },
            { key: "client.security.sasl.password", value: password, path: "client.sasl.password" },
        );
    }
    return options;
}

function isHostAndPort(text: string): boolean {
    const match = /^(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:]+\]):(\d{1,5})$/.exec(text);
    return match !== null && Number(match[1]) >= 1 && Number(match[1]) <= 65535;
}
