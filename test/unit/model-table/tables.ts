import type { TableSpec } from "../../../model/table.ts";

/** The accounts of the quickstart: a primary key table that stays in Fluss. */
export const accounts: TableSpec = {
    database: "finance",
    name: "accounts",
    columns: [
        { name: "account_id", type: "INT" },
        { name: "client_name", type: "STRING" },
        { name: "risk_rating", type: "STRING" },
        { name: "currency", type: "STRING" },
        { name: "balance", type: "DECIMAL(15, 2)" },
    ],
    primaryKey: ["account_id"],
    bucketCount: 3,
    options: {},
};

/** The trades of the quickstart: a log table in the lake. */
export const trades: TableSpec = {
    database: "finance",
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
