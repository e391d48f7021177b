import { setTimeout as sleep } from "node:timers/promises";
import type { SqlGateway, SqlResult, SqlSession } from "./flink/index.ts";
import type { Phases } from "./phases.ts";

/** What the proof needs to know of the lakehouse. */
export interface ProofSettings {
    gateway: SqlGateway;
    /** `CREATE CATALOG` with its secrets; a catalog lives in one session of the gateway only. */
    createCatalog: string;
    /** `catalog`.`database`, quoted. */
    database: string;
    /** Rows that `trades$lake` must hold at least. */
    wantedLakeRows: number;
    /** Only the lake is read: for a start that changed nothing. */
    brief: boolean;
    /** Seconds until they must be there. */
    deadlineSeconds: number;
    /** What the tiering job says when no row comes: its state and its last exception. */
    explain: () => Promise<string>;
}

/**
 * Reads the rows back in every way that the quickstart shows: from Fluss, from the lake, and from both at once.
 * @returns the rows in the lake
 * @throws when a read fails or gives nothing, with what the tiering job says about it
 */
export async function proveRows(phases: Phases, settings: ProofSettings): Promise<number> {
    const batch = await openSession(settings, { "execution.runtime-mode": "batch" });
    const streaming = settings.brief ? undefined : await openSession(settings, {});
    try {
        if (streaming) await showFluss(phases, streaming, settings.database);
        const lakeRows = await waitForLake(phases, batch, settings);
        await show(phases, batch, "the lake's snapshots", snapshots(settings.database), 3);
        if (streaming) await showLake(phases, batch, streaming, settings.database);
        return lakeRows;
    } finally {
        await Promise.all([batch.close(), streaming?.close()]);
    }
}

async function openSession(settings: ProofSettings, properties: Record<string, string>): Promise<SqlSession> {
    const session = await settings.gateway.openSession(properties);
    await session.execute(settings.createCatalog);
    return session;
}

async function showFluss(phases: Phases, session: SqlSession, database: string): Promise<void> {
    await show(phases, session, "trades, each with its account (lookup join)", lookupJoin(database), 5);
    await show(phases, session, "the changelog of accounts", changelog(database), 5);
    await show(
        phases,
        session,
        "trades from the earliest offset, remote segments included",
        earliest(database),
        5,
    );
}

async function showLake(
    phases: Phases,
    batch: SqlSession,
    streaming: SqlSession,
    database: string,
): Promise<void> {
    await show(phases, batch, "the lake alone: buys and sells", lakeSides(database), 2);
    await show(phases, streaming, "lake and Fluss at once (streaming union read)", union(database), 6);
}

function lookupJoin(database: string): string {
    return `SELECT t.trade_id, t.account_id, COALESCE(a.client_name, 'unknown') AS client_name,
       COALESCE(a.risk_rating, 'unknown') AS risk_rating, t.notional, t.side, t.symbol
FROM (SELECT *, PROCTIME() AS ptime FROM ${database}.\`trades\` /*+ OPTIONS('scan.startup.mode' = 'earliest') */) AS t
LEFT JOIN ${database}.\`accounts\` /*+ OPTIONS('lookup.async' = 'true') */ FOR SYSTEM_TIME AS OF t.ptime AS a
ON t.account_id = a.account_id`;
}

function changelog(database: string): string {
    return `SELECT _change_type, _log_offset, account_id, risk_rating, balance FROM ${database}.\`accounts$changelog\``;
}

function earliest(database: string): string {
    return `SELECT * FROM ${database}.\`trades\` /*+ OPTIONS('scan.startup.mode' = 'earliest') */`;
}

function lakeSides(database: string): string {
    return `SELECT side, COUNT(*) AS trade_count, SUM(notional) AS total_notional FROM ${database}.\`trades$lake\` GROUP BY side`;
}

function snapshots(database: string): string {
    return `SELECT committed_at, CAST(snapshot_id AS STRING) AS snapshot_id, operation FROM ${database}.\`trades$lake$snapshots\``;
}

function union(database: string): string {
    return `SELECT symbol, COUNT(*) AS trade_count, SUM(notional) AS total_notional
FROM ${database}.\`trades\` /*+ OPTIONS('scan.startup.mode' = 'full') */ GROUP BY symbol`;
}

async function waitForLake(phases: Phases, session: SqlSession, settings: ProofSettings): Promise<number> {
    return phases.run(
        "lake",
        "Waiting for the tiering job to commit rows to the lake (freshness 30 s)",
        async () => {
            const deadline = Date.now() + settings.deadlineSeconds * 1000;
            for (;;) {
                const rows = await countLakeRows(session, settings.database);
                if (rows >= settings.wantedLakeRows) {
                    phases.say(`${rows} rows of trades are in the lake`);
                    return rows;
                }
                if (Date.now() > deadline) {
                    throw new Error(
                        `trades$lake holds ${rows} rows after ${settings.deadlineSeconds} s, ${settings.wantedLakeRows} were expected.\n` +
                            `The job's state alone does not show it; this is what the tiering job says:\n${await settings.explain()}`,
                    );
                }
                await sleep(1000);
            }
        },
    );
}

/** Before the first commit the lake has no snapshot, which the count reports as zero rows or as an error. */
async function countLakeRows(session: SqlSession, database: string): Promise<number> {
    const result = await session.execute(`SELECT COUNT(*) FROM ${database}.\`trades$lake\``);
    return Number(result.rows[0]?.fields[0] ?? 0);
}

/** Runs a query until it has given `wanted` rows, and prints them. */
async function show(
    phases: Phases,
    session: SqlSession,
    title: string,
    query: string,
    wanted: number,
): Promise<void> {
    const result = await session.execute(query, {
        until: (rows) => rows.length >= wanted,
        deadlineSeconds: 90,
    });
    if (result.rows.length === 0) throw new Error(`"${title}" gave no row:\n${query}`);
    phases.say(`${title}:`);
    for (const line of table(result, wanted)) console.log(`          ${line}`);
}

/** The last rows as aligned text; of a changing result, the newest values. */
function table(result: SqlResult, count: number): string[] {
    const current = result.rows.filter((row) => row.kind !== "UPDATE_BEFORE" && row.kind !== "DELETE");
    const names = result.columns.map((column) => column.name);
    const lines = [names, ...current.slice(-count).map((row) => row.fields.map(text))];
    const widths = result.columns.map((_, column) =>
        Math.max(...lines.map((line) => (line[column] ?? "").length)),
    );
    return lines.map((line) =>
        line
            .map((value, column) => value.padEnd(widths[column] ?? 0))
            .join("  ")
            .trimEnd(),
    );
}

function text(value: unknown): string {
    return value === null ? "NULL" : String(value);
}
