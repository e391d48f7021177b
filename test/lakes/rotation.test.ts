import { setTimeout as sleep } from "node:timers/promises";
import { DeleteAccessKeyCommand, ListAccessKeysCommand } from "@aws-sdk/client-iam";
import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { SqlSession } from "../../local/flink/index.ts";
import { Supervisor, startTogether } from "../../local/services/index.ts";
import { createDatabase, createTable, qualified } from "../../model/ddl.ts";
import { iamOf, keyOf, makeKey, makeUser, placeOf } from "../fluss/buckets.ts";
import { type Bed, restCatalog, type S3Key } from "./bed.ts";
import { LakeCluster } from "./cluster.ts";
import { lakesOf } from "./lakes.ts";

const shared = inject("lakesBed");
const name = "rotating";
const database = "rotation";
let cluster: LakeCluster;
let outside: SqlSession;

/** The bed as the owner of that key sees it. */
const bedWith = (key: S3Key): Bed => ({ ...shared, s3User: { ...shared.s3User, ...key, name } });
const restartCatalog = (key: S3Key) => startTogether(new Supervisor(shared.root), [restCatalog(shared, key)]);
const table = () => qualified(cluster.catalog, database, "trades");

let first: S3Key;

beforeAll(async () => {
    first = await makeUser(shared.s3, name, shared.s3User.policy);
    await restartCatalog(first);
    const bed = bedWith(first);
    const { lake } = lakesOf(bed).find(({ catalog }) => catalog === "REST, token")!;
    cluster = await LakeCluster.start(bed, lake, name);
    outside = await cluster.openSession("flink", { "execution.runtime-mode": "batch" });
});

afterAll(async () => {
    await cluster?.stop();
    await restartCatalog(shared.s3User);
});

test("the key of the store is replaced while rows flow and tier: no write fails, and the old key is gone", async () => {
    const writer = await cluster.openSession("flussCatalog", { "table.dml-sync": "false" });
    await writer.execute(createDatabase(cluster.catalog, { name: database }));
    await writer.execute(
        createTable(cluster.catalog, {
            database,
            name: "trades",
            columns: [{ name: "trade_id", type: "BIGINT" }],
            bucketCount: 1,
            options: { "table.datalake.enabled": "true", "table.datalake.freshness": "1s" },
        }),
    );
    const tiering = await cluster.tier();
    await writer.execute(`CREATE TEMPORARY TABLE feed (trade_id BIGINT) WITH ('connector' = 'datagen',
        'rows-per-second' = '100', 'fields.trade_id.kind' = 'sequence', 'fields.trade_id.start' = '1',
        'fields.trade_id.end' = '1000000')`);
    await writer.execute(`INSERT INTO ${table()} SELECT trade_id FROM feed`, { jobName: "flow" });
    const flow = (await cluster.flink.jobs()).find((job) => job.name === "flow")!.id;
    await waitForLake(1);

    // As `keys` of LakeBuckets has it: the second key first, everybody changes over, then the first one is deleted.
    const second = await makeKey(shared.s3, name);
    expect(await keys()).toHaveLength(2);
    await restartCatalog(second);
    await cluster.rotate(bedWith(second).s3User);
    // A session keeps the tables that it has read, and with each the key that the catalog gave with it.
    await outside.close();
    outside = await cluster.openSession("flink", { "execution.runtime-mode": "batch" });
    await waitForLake((await lakeCount()) + 1);
    await iamOf(shared.s3).send(
        new DeleteAccessKeyCommand({ UserName: name, AccessKeyId: first.accessKeyId }),
    );
    await waitForLake((await lakeCount()) + 500);

    expect(await cluster.flink.state(flow)).toBe("RUNNING");
    expect(await cluster.flink.exceptions(flow)).toEqual([]);
    await cluster.flink.cancel(flow);
    // Each row that was written is in the lake, once: the sequence has neither gap nor repetition.
    const inside = await cluster.openSession("flussCatalog", { "execution.runtime-mode": "batch" });
    const written = await figures(inside);
    expect([written.distinct, written.last]).toEqual([written.count, written.count]);
    await waitForLake(written.count);
    expect(await figures(outside)).toEqual(written);
    await inside.close();
    expect(["RUNNING", "RESTARTING"]).toContain(await cluster.flink.state(tiering));

    expect(await keys()).toEqual([second.accessKeyId]);
    const old = new S3Client({ ...placeOf(shared.s3), credentials: keyOf(first), forcePathStyle: true });
    await expect(old.send(new ListObjectsV2Command({ Bucket: shared.buckets.lake }))).rejects.toThrow();
    await writer.close();
}, 300_000);

async function figures(session: SqlSession): Promise<{ count: number; distinct: number; last: number }> {
    const columns = "count(*), count(DISTINCT trade_id), max(trade_id)";
    const { rows } = await session.execute(`SELECT ${columns} FROM ${table()}`);
    const [count, distinct, last] = (rows[0]?.fields ?? []).map(Number) as [number, number, number];
    return { count, distinct, last };
}

async function lakeCount(): Promise<number> {
    const { rows } = await outside.execute(`SELECT count(*) FROM ${table()}`);
    return Number(rows[0]?.fields[0] ?? 0);
}

async function waitForLake(atLeast: number): Promise<void> {
    for (const began = performance.now(); ; await sleep(500)) {
        const count = await lakeCount();
        if (count >= atLeast) return;
        if (performance.now() - began > 60_000)
            throw new Error(`The lake has ${count} of ${atLeast} rows after 60 s`);
    }
}

async function keys(): Promise<(string | undefined)[]> {
    const { AccessKeyMetadata = [] } = await iamOf(shared.s3).send(
        new ListAccessKeysCommand({ UserName: name }),
    );
    return AccessKeyMetadata.map(({ AccessKeyId }) => AccessKeyId);
}
