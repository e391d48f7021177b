import type { TableSpec } from "../model/table.ts";

/** The database of the quickstart. */
export const database = "finance";

/** The client accounts, one current row each. They are read by key and stay in Fluss. */
export const accounts: TableSpec = {
    database,
    name: "accounts",
    columns: [
        { name: "account_id", type: "INT", nullable: false },
        { name: "client_name", type: "STRING" },
        { name: "risk_rating", type: "STRING" },
        { name: "currency", type: "STRING" },
        { name: "balance", type: "DECIMAL(15, 2)" },
    ],
    primaryKey: ["account_id"],
    bucketCount: 3,
    options: {},
};

/** The executed trades: a log that is tiered to the lake. */
export const trades: TableSpec = {
    database,
    name: "trades",
    columns: [
        { name: "trade_id", type: "BIGINT" },
        { name: "account_id", type: "INT", nullable: false },
        { name: "notional", type: "DECIMAL(15, 2)" },
        { name: "trade_date", type: "DATE" },
        { name: "side", type: "STRING" },
        { name: "symbol", type: "STRING" },
    ],
    bucketCount: 3,
    options: { "table.datalake.enabled": "true", "table.datalake.freshness": "30s" },
};
