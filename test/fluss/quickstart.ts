import { FlinkRest, SqlGateway, type SqlSession } from "../../local/flink/index.ts";
import type { Lakehouse } from "./lakehouse.ts";

/** Clients of the running services. */
export function clientsOf(lakehouse: Lakehouse): { flink: FlinkRest; gateway: SqlGateway } {
    const options = { secrets: () => lakehouse.secrets };
    const flink = new FlinkRest(lakehouse.flinkUrl, options);
    return { flink, gateway: new SqlGateway(lakehouse.gatewayUrl, flink, options) };
}

/** Opens a session that knows the catalog `fluss_quickstart`. */
export async function openCatalog(
    lakehouse: Lakehouse,
    properties: Record<string, string> = {},
): Promise<SqlSession> {
    const { fluss, catalog } = lakehouse;
    const session = await clientsOf(lakehouse).gateway.openSession(properties);
    await session.execute(
        `CREATE CATALOG fluss_quickstart WITH (
            'type' = 'fluss',
            'bootstrap.servers' = '${fluss.bootstrapServers}',
            'client.security.protocol' = 'sasl',
            'client.security.sasl.mechanism' = 'PLAIN',
            'client.security.sasl.username' = '${fluss.username}',
            'client.security.sasl.password' = '${fluss.password}',
            'iceberg.token' = '${catalog.token}')`,
    );
    return session;
}

/** Arguments of the tiering job as in the quickstart; `overrides` replaces or adds options. */
export function tieringArgs(lakehouse: Lakehouse, overrides: Record<string, string> = {}): string[] {
    const options = {
        "fluss.bootstrap.servers": lakehouse.fluss.bootstrapServers,
        "fluss.client.security.protocol": "SASL",
        "fluss.client.security.sasl.mechanism": "PLAIN",
        "fluss.client.security.sasl.username": lakehouse.fluss.username,
        "fluss.client.security.sasl.password": lakehouse.fluss.password,
        ...lakehouse.lakeOptions,
        // How often the job asks Fluss for work; 30 s by default.
        "fluss.tiering.poll.table.interval": "5s",
        ...overrides,
    };
    return Object.entries(options).flatMap(([key, value]) => [`--${key}`, value]);
}

/** Flink options of a tiering job: it outlives an outage of the lake, as in production. */
export const tieringConfiguration = {
    "execution.checkpointing.interval": "5s",
    "restart-strategy.type": "exponential-delay",
    "restart-strategy.exponential-delay.initial-backoff": "1s",
    "restart-strategy.exponential-delay.max-backoff": "5s",
};
