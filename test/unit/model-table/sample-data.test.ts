import { expect, test } from "vitest";
import { ACCOUNTS, sampleDataSql, TRADES } from "../../../model/sample-data.ts";

const at = { catalog: "fluss_quickstart", database: "finance" };

test("faker writes the accounts as the quickstart does, and names the columns besides", () => {
    expect(sampleDataSql(ACCOUNTS, { ...at, generator: "faker" })).toBe(`CREATE TEMPORARY TABLE account_feed (
    \`account_id\`  INT NOT NULL,
    \`risk_rating\` STRING,
    \`currency\`    STRING,
    \`balance\`     DECIMAL(15, 2)
) WITH (
    'connector'                     = 'faker',
    'rows-per-second'               = '100',
    'fields.account_id.expression'  = '#{number.numberBetween ''1'',''20''}',
    'fields.risk_rating.expression' = '#{regexify ''(low|medium|high){1}''}',
    'fields.currency.expression'    = '#{regexify ''(USD|EUR|GBP|CHF){1}''}',
    'fields.balance.expression'     = '#{number.randomDouble ''2'',''1000'',''500000''}'
);

INSERT INTO \`fluss_quickstart\`.\`finance\`.\`accounts\` (\`account_id\`, \`client_name\`, \`risk_rating\`, \`currency\`, \`balance\`)
SELECT \`account_id\`, CONCAT('Client ', CAST(\`account_id\` AS STRING)), \`risk_rating\`, \`currency\`, \`balance\`
FROM account_feed;
`);
});

test("faker writes the trades as the quickstart does, and names the columns besides", () => {
    expect(sampleDataSql(TRADES, { ...at, generator: "faker" })).toBe(`CREATE TEMPORARY TABLE trade_feed (
    \`trade_id\`   BIGINT,
    \`account_id\` INT NOT NULL,
    \`notional\`   DECIMAL(15, 2),
    \`trade_time\` TIMESTAMP(3),
    \`side\`       STRING,
    \`symbol\`     STRING
) WITH (
    'connector'                    = 'faker',
    'rows-per-second'              = '100',
    'fields.trade_id.expression'   = '#{number.numberBetween ''0'',''100000000''}',
    'fields.account_id.expression' = '#{number.numberBetween ''1'',''20''}',
    'fields.notional.expression'   = '#{number.randomDouble ''2'',''100'',''250000''}',
    'fields.trade_time.expression' = '#{date.past ''30'',''DAYS''}',
    'fields.side.expression'       = '#{regexify ''(BUY|SELL){1}''}',
    'fields.symbol.expression'     = '#{regexify ''(AAPL|MSFT|NVDA|JPM|GS|BAC){1}''}'
);

INSERT INTO \`fluss_quickstart\`.\`finance\`.\`trades\` (\`trade_id\`, \`account_id\`, \`notional\`, \`trade_date\`, \`side\`, \`symbol\`)
SELECT \`trade_id\`, \`account_id\`, \`notional\`, CAST(\`trade_time\` AS DATE), \`side\`, \`symbol\`
FROM trade_feed;
`);
});

test("datagen draws the same ranges into the same columns of the target", () => {
    const sql = sampleDataSql(TRADES, { ...at, generator: "datagen", rows: 500, rowsPerSecond: 50 });
    expect(sql).toContain("'connector'                  = 'datagen'");
    expect(sql).toContain("'rows-per-second'            = '50'");
    expect(sql).toContain("'number-of-rows'             = '500'");
    expect(sql).toContain("'fields.trade_id.max'        = '99999999'");
    expect(sql).toContain("'fields.account_id.max'      = '19'");
    expect(sql).toContain("CASE `side` WHEN 1 THEN 'BUY' WHEN 2 THEN 'SELL' END AS `side`");
    const faker = sampleDataSql(TRADES, { ...at, generator: "faker" });
    const select = /^SELECT .*$/m;
    expect(select.exec(sql)?.[0]).toBe(select.exec(faker)?.[0]);
});

test("only a log table's INSERT says how rows find their bucket", () => {
    const hint = "/*+ OPTIONS('client.writer.bucket.no-key-assigner' = 'round_robin') */";
    expect(sampleDataSql(TRADES, { ...at, generator: "datagen" })).toContain(
        `\`trades\` ${hint} (\`trade_id\``,
    );
    expect(sampleDataSql(ACCOUNTS, { ...at, generator: "datagen" })).not.toContain("/*+");
});
