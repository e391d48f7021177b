import type { TableSpec } from "../../model/table.ts";
import { identifier } from "../../model/table-quoting.ts";

/** What was traded of each symbol on each day, kept current by a job. */
export const dailyVolume: TableSpec = {
    database: "analytics",
    name: "daily_volume",
    columns: [
        { name: "trade_date", type: "DATE", nullable: false },
        { name: "symbol", type: "STRING", nullable: false },
        { name: "volume", type: "DECIMAL(38, 2)" },
        { name: "trades", type: "BIGINT", nullable: false },
    ],
    primaryKey: ["trade_date", "symbol"],
    // A lake takes one bucket key.
    bucketKey: ["symbol"],
    bucketCount: 3,
    options: {},
};

/** The job: it reads the lakehouse's trades, the log from its first offset on. */
export function dailyVolumeSql(catalog: string): string {
    return `INSERT INTO ${identifier(catalog)}.\`analytics\`.\`daily_volume\`
SELECT \`trade_date\`, \`symbol\`, SUM(\`notional\`), COUNT(*)
FROM ${identifier(catalog)}.\`finance\`.\`trades\`
WHERE \`trade_date\` IS NOT NULL AND \`symbol\` IS NOT NULL
GROUP BY \`trade_date\`, \`symbol\`;`;
}
