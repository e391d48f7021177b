/** The rows that the writer of a soaked lakehouse has written, and those of them that have come to the lake. */

import { setTimeout as sleep } from "node:timers/promises";
import { localCatalog } from "../../local/program.ts";
import { qualified } from "../../model/ddl.ts";
import { database } from "../../stacks/quickstart-tables.ts";
import type { SoakLakehouse } from "./soak-lakehouse.ts";

const tradesPath = qualified(localCatalog, database, "trades");
export const lakePath = qualified(localCatalog, database, "trades$lake");

/** Waits until the lake has so many rows. @returns how many it has, also when it does not come to that */
export async function lakeReaches(
    lakehouse: SoakLakehouse,
    wanted: number,
    seconds: number,
): Promise<number> {
    for (const began = performance.now(); ; await sleep(1000)) {
        const { count } = await figures(lakehouse, lakePath);
        if (count >= wanted || performance.now() - began > seconds * 1000) return count;
    }
}

/** The writer has ended: the sequence has neither gap nor repetition, and the lake has each row once. */
export async function lookAtRows(lakehouse: SoakLakehouse, say: (line: string) => void): Promise<string[]> {
    const written = await figures(lakehouse, tradesPath);
    await lakeReaches(lakehouse, written.count, 180);
    const inLake = await figures(lakehouse, lakePath);
    const text = ({ count, distinct, last }: Figures) => `${count} rows, ${distinct} distinct, last ${last}`;
    say(`written: ${text(written)}; in the lake: ${text(inLake)}`);
    const once = written.distinct === written.count && written.last === written.count;
    return [
        ...(once ? [] : [`written: ${text(written)}`]),
        ...(text(inLake) === text(written)
            ? []
            : [`in the lake: ${text(inLake)} instead of ${text(written)}`]),
    ];
}

interface Figures {
    count: number;
    distinct: number;
    last: number;
}

export async function figures(lakehouse: SoakLakehouse, path: string): Promise<Figures> {
    // A session keeps the tables that it has read, and with each the key that the catalog gave with it.
    const session = await lakehouse.openSession({ "execution.runtime-mode": "batch" });
    try {
        const columns = "count(*), count(DISTINCT trade_id), max(trade_id)";
        const { rows } = await session.execute(`SELECT ${columns} FROM ${path}`);
        const [count = 0, distinct = 0, last = 0] = (rows[0]?.fields ?? []).map(Number);
        return { count, distinct, last };
    } finally {
        await session.close();
    }
}
