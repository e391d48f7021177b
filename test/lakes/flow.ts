import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { SqlSession } from "../../local/flink/index.ts";
import { createDatabase, createTable, qualified } from "../../model/ddl.ts";
import type { LakeCluster } from "./cluster.ts";

const database = "rotation";

/** Rows with rising numbers that a job writes into a table of Fluss, which is tiered to the lake. */
export class Flow {
    readonly #cluster: LakeCluster;
    #job = "";
    #tiering = "";
    #outside: SqlSession | undefined;

    private constructor(cluster: LakeCluster) {
        this.#cluster = cluster;
    }

    /** Makes the table and begins; the first rows are in the lake then. */
    static async start(cluster: LakeCluster): Promise<Flow> {
        const flow = new Flow(cluster);
        const session = await cluster.openSession("flussCatalog");
        await session.execute(createDatabase(cluster.catalog, { name: database }));
        await session.execute(
            createTable(cluster.catalog, {
                database,
                name: "trades",
                columns: [{ name: "trade_id", type: "BIGINT" }],
                bucketCount: 1,
                options: { "table.datalake.enabled": "true", "table.datalake.freshness": "1s" },
            }),
        );
        await session.close();
        flow.#tiering = await cluster.tier();
        await flow.#write();
        await flow.reopen();
        await flow.#waitForLake(1);
        return flow;
    }

    /** Waits for so many more rows in the lake. The writer goes on meanwhile, and has seen no failure. */
    async expectMore(rows: number): Promise<void> {
        await this.#waitForLake((await this.#lakeCount()) + rows);
        const { flink } = this.#cluster;
        expect(await flink.state(this.#job)).toBe("RUNNING");
        expect(await flink.exceptions(this.#job)).toEqual([]);
    }

    /** A session keeps the tables that it has read, and with each the key that the catalog gave with it. */
    async reopen(): Promise<void> {
        await this.#outside?.close();
        this.#outside = await this.#cluster.openSession("flink", { "execution.runtime-mode": "batch" });
    }

    /** Starts writer and tiering again as the cluster's clients log in now; the writer from a savepoint. */
    async changeOver(): Promise<void> {
        const { flink } = this.#cluster;
        await this.#write(await flink.stopWithSavepoint(this.#job));
        await flink.cancel(this.#tiering);
        this.#tiering = await this.#cluster.tier();
        await this.reopen();
    }

    /** Ends the writer. Each row that was written is in the lake, once: the sequence has neither gap nor repetition. */
    async end(): Promise<void> {
        await this.#cluster.flink.cancel(this.#job);
        const inside = await this.#cluster.openSession("flussCatalog", { "execution.runtime-mode": "batch" });
        const written = await this.#figures(inside);
        expect([written.distinct, written.last]).toEqual([written.count, written.count]);
        await this.#waitForLake(written.count);
        expect(await this.#figures(this.#outside!)).toEqual(written);
        await Promise.all([inside.close(), this.#outside?.close()]);
        expect(["RUNNING", "RESTARTING"]).toContain(await this.#cluster.flink.state(this.#tiering));
    }

    get #table(): string {
        return qualified(this.#cluster.catalog, database, "trades");
    }

    async #write(savepoint?: string): Promise<void> {
        const jobName = savepoint ? "flow that goes on" : "flow";
        const session = await this.#cluster.openSession("flussCatalog", {
            "table.dml-sync": "false",
            ...(savepoint ? { "execution.state-recovery.path": savepoint } : {}),
        });
        // The source keeps all the numbers to come in its state, which must be small.
        await session.execute(`CREATE TEMPORARY TABLE feed (trade_id BIGINT) WITH ('connector' = 'datagen',
            'rows-per-second' = '100', 'fields.trade_id.kind' = 'sequence', 'fields.trade_id.start' = '1',
            'fields.trade_id.end' = '200000')`);
        await session.execute(`INSERT INTO ${this.#table} SELECT trade_id FROM feed`, { jobName });
        await session.close();
        const running = (await this.#cluster.flink.jobs()).filter(({ id }) => id !== this.#job);
        this.#job = running.find((job) => job.name === jobName && job.state !== "FINISHED")!.id;
        await this.#cluster.flink.waitUntilRunning(this.#job);
    }

    async #figures(session: SqlSession): Promise<{ count: number; distinct: number; last: number }> {
        const columns = "count(*), count(DISTINCT trade_id), max(trade_id)";
        const { rows } = await session.execute(`SELECT ${columns} FROM ${this.#table}`);
        const [count, distinct, last] = (rows[0]?.fields ?? []).map(Number) as [number, number, number];
        return { count, distinct, last };
    }

    async #lakeCount(): Promise<number> {
        const { rows } = await this.#outside!.execute(`SELECT count(*) FROM ${this.#table}`);
        return Number(rows[0]?.fields[0] ?? 0);
    }

    async #waitForLake(atLeast: number): Promise<void> {
        for (const began = performance.now(); ; await sleep(500)) {
            const count = await this.#lakeCount();
            if (count >= atLeast) return;
            if (performance.now() - began > 60_000)
                throw new Error(`The lake has ${count} of ${atLeast} rows after 60 s`);
        }
    }
}
