import { columnLines, identifier, literal, qualified, withOptions } from "./ddl.ts";

/** How the values of a generated column are drawn, evenly. */
export type SampleValues =
    | { kind: "integer"; from: number; to: number }
    | { kind: "decimal"; from: number; to: number }
    | { kind: "choice"; of: readonly string[] }
    | { kind: "past"; days: number };

/** A column of a feed. `type` is Flink SQL. */
export interface SampleColumn {
    name: string;
    type: string;
    nullable?: boolean;
    values: SampleValues;
}

/** A feed of random rows, and the table that it is written to. */
export interface SampleFeed {
    /** Name of the temporary table that generates the rows. */
    name: string;
    /** Table that is written, in the database of the sample data. */
    table: string;
    /** True when the table has a primary key, which then says the bucket of a row. */
    keyed: boolean;
    columns: readonly SampleColumn[];
    /** Expressions over the feed's columns, by the table's column that each fills. */
    select: Readonly<Record<string, string>>;
}

/** Where and how the rows are written. */
export interface SampleTarget {
    catalog: string;
    database: string;
    /** `faker` is part of Ververica Platform; open Flink has only `datagen`. */
    generator: "faker" | "datagen";
    /** Rows a second; default 100 (quickstart). */
    rowsPerSecond?: number;
    /** Rows in all, after which the job ends; by default it never does. */
    rows?: number;
}

/** The accounts of the quickstart: 19 of them, written again and again with other balances and ratings. */
export const ACCOUNTS: SampleFeed = {
    name: "account_feed",
    table: "accounts",
    keyed: true,
    columns: [
        { name: "account_id", type: "INT", nullable: false, values: { kind: "integer", from: 1, to: 19 } },
        { name: "risk_rating", type: "STRING", values: { kind: "choice", of: ["low", "medium", "high"] } },
        { name: "currency", type: "STRING", values: { kind: "choice", of: ["USD", "EUR", "GBP", "CHF"] } },
        { name: "balance", type: "DECIMAL(15, 2)", values: { kind: "decimal", from: 1000, to: 500_000 } },
    ],
    select: {
        account_id: "`account_id`",
        client_name: "CONCAT('Client ', CAST(`account_id` AS STRING))",
        risk_rating: "`risk_rating`",
        currency: "`currency`",
        balance: "`balance`",
    },
};

/** The trades of the quickstart; each belongs to one of the accounts. */
export const TRADES: SampleFeed = {
    name: "trade_feed",
    table: "trades",
    keyed: false,
    columns: [
        { name: "trade_id", type: "BIGINT", values: { kind: "integer", from: 0, to: 99_999_999 } },
        { name: "account_id", type: "INT", nullable: false, values: { kind: "integer", from: 1, to: 19 } },
        { name: "notional", type: "DECIMAL(15, 2)", values: { kind: "decimal", from: 100, to: 250_000 } },
        { name: "trade_time", type: "TIMESTAMP(3)", values: { kind: "past", days: 30 } },
        { name: "side", type: "STRING", values: { kind: "choice", of: ["BUY", "SELL"] } },
        {
            name: "symbol",
            type: "STRING",
            values: { kind: "choice", of: ["AAPL", "MSFT", "NVDA", "JPM", "GS", "BAC"] },
        },
    ],
    select: {
        trade_id: "`trade_id`",
        account_id: "`account_id`",
        notional: "`notional`",
        trade_date: "CAST(`trade_time` AS DATE)",
        side: "`side`",
        symbol: "`symbol`",
    },
};

/** The whole SQL script of a job that writes the feed: a temporary table that generates rows, and the INSERT. */
export function sampleDataSql(feed: SampleFeed, target: SampleTarget): string {
    const script = target.generator === "faker" ? fakerScript(feed, target) : datagenScript(feed, target);
    return `${script}\n`;
}

/** Faker draws from [from, to), with quotes of its own around each argument. */
function fakerScript(feed: SampleFeed, target: SampleTarget): string {
    const options: [string, string][] = [
        ["connector", "faker"],
        ...volume(target),
        ...feed.columns.map(({ name, values }): [string, string] => [
            `fields.${name}.expression`,
            `#{${fakerExpression(values)}}`,
        ]),
    ];
    return [
        `CREATE TEMPORARY TABLE ${feed.name} (`,
        columnLines([...feed.columns])
            .map((line) => `    ${line}`)
            .join(",\n"),
        `) ${withOptions(options)};`,
        "",
        insertInto(feed, target),
        `SELECT ${Object.values(feed.select).join(", ")}`,
        `FROM ${feed.name};`,
    ].join("\n");
}

/** Names the columns, which the quickstart does not: the table may have got further ones since. */
function insertInto(feed: SampleFeed, target: SampleTarget, hint = ""): string {
    const columns = Object.keys(feed.select).map(identifier).join(", ");
    return `INSERT INTO ${qualified(target.catalog, target.database, feed.table)}${hint} (${columns})`;
}

function fakerExpression(values: SampleValues): string {
    switch (values.kind) {
        case "integer":
            return `number.numberBetween '${values.from}','${values.to + 1}'`;
        case "decimal":
            return `number.randomDouble '2','${values.from}','${values.to}'`;
        case "choice":
            return `regexify '(${values.of.join("|")}){1}'`;
        case "past":
            return `date.past '${values.days}','DAYS'`;
    }
}

/**
 * Datagen knows no choices, so one is a drawn number and a CASE, in a subquery with the feed's columns. The hint spreads the rows of a log table over its buckets: without it one small INSERT fills one bucket, and
 * a batch read of the table waits for ever for the lake's side of an empty one (Fluss 0.9.1 observed).
 */
function datagenScript(feed: SampleFeed, target: SampleTarget): string {
    const options: [string, string][] = [
        ["connector", "datagen"],
        ...volume(target),
        ...feed.columns.flatMap((column) => datagenOptions(column)),
    ];
    const drawn = feed.columns.map(({ name, type, nullable, values }) => ({
        name,
        type: drawnType(type, values),
        nullable,
    }));
    const spread = " /*+ OPTIONS('client.writer.bucket.no-key-assigner' = 'round_robin') */";
    return [
        `CREATE TEMPORARY TABLE ${feed.name} (`,
        columnLines(drawn)
            .map((line) => `    ${line}`)
            .join(",\n"),
        `) ${withOptions(options)};`,
        "",
        insertInto(feed, target, feed.keyed ? "" : spread),
        `SELECT ${Object.values(feed.select).join(", ")}`,
        "FROM (",
        `    SELECT ${feed.columns.map(fromDrawn).join(",\n           ")}`,
        `    FROM ${feed.name}`,
        ");",
    ].join("\n");
}

function volume(target: SampleTarget): [string, string][] {
    const options: [string, string][] = [["rows-per-second", String(target.rowsPerSecond ?? 100)]];
    if (target.rows !== undefined) options.push(["number-of-rows", String(target.rows)]);
    return options;
}

function drawnType(type: string, values: SampleValues): string {
    if (values.kind === "choice") return "INT";
    return values.kind === "decimal" ? "DOUBLE" : type;
}

function datagenOptions({ name, values }: SampleColumn): [string, string][] {
    switch (values.kind) {
        case "integer":
        case "decimal":
            return [
                [`fields.${name}.min`, String(values.from)],
                [`fields.${name}.max`, String(values.to)],
            ];
        case "choice":
            return [
                [`fields.${name}.min`, "1"],
                [`fields.${name}.max`, String(values.of.length)],
            ];
        case "past":
            return [[`fields.${name}.max-past`, `${values.days} d`]];
    }
}

function fromDrawn({ name, type, values }: SampleColumn): string {
    const column = `\`${name}\``;
    if (values.kind === "decimal") return `CAST(${column} AS ${type}) AS ${column}`;
    if (values.kind !== "choice") return column;
    const cases = values.of.map((choice, index) => `WHEN ${index + 1} THEN ${literal(choice)}`);
    return `CASE ${column} ${cases.join(" ")} END AS ${column}`;
}
